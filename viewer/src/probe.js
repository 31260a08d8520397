// Finds the place of the mesh under a pixel of a view, and a place's pixel in the others.

import { Vector3 } from "three";
import { hitTriangle, positionAt } from "./mesh.js";

const REACH = 14; // pixels from a point at which it is still meant

export function placeAt({ mesh, positions, values }, camera, { x, y, width, height }, style) {
  const near = new Vector3((2 * x) / width - 1, 1 - (2 * y) / height, -1).unproject(camera);
  const far = new Vector3((2 * x) / width - 1, 1 - (2 * y) / height, 1).unproject(camera);
  const direction = far.clone().sub(near).normalize().toArray();
  const cut = mesh.dim === 3 ? style.cut : null;
  const visible = ([px, py, pz]) => !cut || px * cut.plane[0] + py * cut.plane[1] + pz * cut.plane[2] < cut.plane[3];
  if (!mesh.triangles || style.points) return nearestPoint(positions, values, camera, { x, y, width, height }, visible);
  const body = hitTriangle(positions, mesh.triangles, near.toArray(), direction, visible);
  const across = cut && hitSection(cut.section, values, near.toArray(), direction);
  return across && !(body?.distance < across.distance) ? across : body;
}

function hitSection({ source, points, triangles }, values, near, direction) {
  const hit = hitTriangle(points, triangles, near, direction, () => true);
  if (!hit) return null;
  const corners = hit.corners.map((k) => source[k]);
  return corners.every((i) => Number.isFinite(values[i])) ? { ...hit, corners } : null;
}

export function pixelOf(place, positions, camera, { width, height }) {
  const at = new Vector3(...positionAt(positions, place)).project(camera);
  return [((at.x + 1) / 2) * width, ((1 - at.y) / 2) * height];
}

function nearestPoint(positions, values, camera, { x, y, width, height }, visible) {
  const at = new Vector3();
  let best = null;
  let nearest = Infinity;
  for (let i = 0; i < positions.length / 3; i++) {
    at.set(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
    if (!Number.isFinite(values[i])) continue;
    if (!visible(at.toArray())) continue;
    at.project(camera);
    const away = Math.hypot(((at.x + 1) / 2) * width - x, ((1 - at.y) / 2) * height - y);
    if (away > REACH || away + 4 * at.z >= nearest) continue;
    nearest = away + 4 * at.z;
    best = { corners: [i], weights: [1] };
  }
  return best;
}
