// A mesh as it came from the server, and where on it a ray of sight lands.

export function readMesh({ meta, arrays }) {
  const { points, triangles = null, lines = null } = arrays;
  const dim = meta.dim ?? 2;
  const bounds = meta.bounds ?? boundsOf(points);
  const surface = meta.surface ? arrays[`mask:${meta.surface}`] : null;
  const focus = dim === 3 ? (body(points, triangles) ?? bounds) : (meta.focus ?? dense(points, bounds));
  return { points, triangles, lines, dim, bounds, surface, focus, up: meta.up ?? "z", count: points.length / 3 };
}

export function boundsOf(points) {
  const lo = [Infinity, Infinity, Infinity];
  const hi = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    const value = points[i];
    if (value < lo[i % 3]) lo[i % 3] = value;
    if (value > hi[i % 3]) hi[i % 3] = value;
  }
  return [lo, hi];
}

export const joined = ([lo, hi], [low, high]) => [
  lo.map((x, k) => Math.min(x, low[k])),
  hi.map((x, k) => Math.max(x, high[k])),
];

export const sizeOf = ([lo, hi]) => hi.map((h, i) => h - lo[i]);

// What holds at a place of the mesh: corners of a triangle (or one point) and their weights.
export const interpolate = (values, { corners, weights }) =>
  corners.reduce((sum, corner, k) => sum + weights[k] * values[corner], 0);

export const positionAt = (points, place) =>
  [0, 1, 2].map((axis) => place.corners.reduce((sum, c, k) => sum + place.weights[k] * points[3 * c + axis], 0));

// The nearest triangle that the ray hits; `visible` tells of a position whether it is drawn.
export function hitTriangle(points, triangles, origin, direction, visible) {
  let best = null;
  let nearest = Infinity;
  const [dx, dy, dz] = direction;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = points[b] - points[a],
      uy = points[b + 1] - points[a + 1],
      uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a],
      vy = points[c + 1] - points[a + 1],
      vz = points[c + 2] - points[a + 2];
    const px = dy * vz - dz * vy,
      py = dz * vx - dx * vz,
      pz = dx * vy - dy * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (determinant === 0) continue;
    const sx = origin[0] - points[a],
      sy = origin[1] - points[a + 1],
      sz = origin[2] - points[a + 2];
    const p = (sx * px + sy * py + sz * pz) / determinant;
    if (p < -1e-9 || p > 1 + 1e-9) continue;
    const qx = sy * uz - sz * uy,
      qy = sz * ux - sx * uz,
      qz = sx * uy - sy * ux;
    const q = (dx * qx + dy * qy + dz * qz) / determinant;
    if (q < -1e-9 || p + q > 1 + 1e-9) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (distance >= nearest || !visible(origin.map((o, i) => o + distance * direction[i]))) continue;
    nearest = distance;
    best = { corners: [triangles[t], triangles[t + 1], triangles[t + 2]], weights: [1 - p - q, p, q], distance };
  }
  return best;
}

// What the triangles cover; points in the air around it reach far.
const body = (points, triangles) =>
  triangles &&
  boundsOf(
    Float32Array.from({ length: 3 * triangles.length }, (_, i) => points[3 * triangles[Math.floor(i / 3)] + (i % 3)]),
  );

// Most points of a grid that reaches far out lie near the body: there the view begins.
function dense(points, bounds) {
  const around = [0, 1, 2].map((axis) => {
    const sorted = points.filter((_, i) => i % 3 === axis).sort();
    return [0.05, 0.95].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
  });
  const inner = [around.map(([lo]) => lo), around.map(([, hi]) => hi)];
  const share = Math.max(...sizeOf(inner)) / Math.max(...sizeOf(bounds));
  return share < 0.25 ? inner : bounds;
}
