// What a cutting plane shows of points in the air: those near it, moved onto it and joined to triangles.

import Delaunator from "delaunator";

const LEAST = 1500; // points that the layer about the plane should hold
const REACH = 4; // times the usual length, beyond which a triangle at the surface is wrong
const [THINNEST, THICKEST] = [0.004, 0.06]; // of the mesh's extent across the plane

// Section of a mesh: `source` numbers the mesh's points, `points` is where they are drawn.
export function section(mesh, axis, at) {
  const source = near(mesh, axis, at);
  const [u, v] = [0, 1, 2].filter((k) => k !== axis);
  const flat = new Float64Array(2 * source.length);
  source.forEach((i, k) => {
    flat[2 * k] = mesh.points[3 * i + u];
    flat[2 * k + 1] = mesh.points[3 * i + v];
  });
  const points = new Float32Array(3 * source.length);
  source.forEach((i, k) =>
    points.set(
      [0, 1, 2].map((d) => (d === axis ? at : mesh.points[3 * i + d])),
      3 * k,
    ),
  );
  const triangles =
    source.length < 3 ? new Uint32Array() : outside(new Delaunator(flat).triangles, flat, source, mesh.surface);
  return { source, points, triangles };
}

function near(mesh, axis, at) {
  const away = mesh.points.filter((_, i) => i % 3 === axis).map((x) => Math.abs(x - at));
  const across = mesh.bounds[1][axis] - mesh.bounds[0][axis];
  const wanted = away.slice().sort()[Math.min(LEAST, away.length - 1)];
  const half = Math.min(Math.max(wanted, THINNEST * across), THICKEST * across);
  const found = [];
  away.forEach((distance, i) => distance <= half && found.push(i));
  return Uint32Array.from(found);
}

// triangles between points of the body's surface alone lie in the body, where there is no air,
// and so do long ones that reach from its surface through it
function outside(triangles, flat, source, surface) {
  if (!surface) return triangles;
  const touching = [];
  const kept = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [...triangles.subarray(t, t + 3)];
    const onSurface = corners.filter((k) => surface[source[k]]).length;
    if (onSurface === 0) kept.push(...corners);
    else if (onSurface < 3) touching.push({ corners, length: longest(flat, corners) });
  }
  const typical = touching.map(({ length }) => length).sort((a, b) => a - b)[touching.length >> 1];
  for (const { corners, length } of touching) if (length < REACH * typical) kept.push(...corners);
  return Uint32Array.from(kept);
}

const longest = (flat, corners) => Math.max(...corners.map((a, k) => distance(flat, a, corners[(k + 1) % 3])));

const distance = (flat, a, b) => Math.hypot(flat[2 * a] - flat[2 * b], flat[2 * a + 1] - flat[2 * b + 1]);
