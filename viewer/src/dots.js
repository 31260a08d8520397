// How large a point is drawn: about as large as the points are apart.

import { sizeOf } from "./mesh.js";

export function dotSize(mesh, view, camera) {
  const size = sizeOf(mesh.focus).filter((length) => length > 0);
  const content = size.reduce((product, length) => product * length, 1);
  const apart = (content / mesh.count) ** (1 / size.length);
  const pixels = (apart * view.height) / camera.height;
  return Math.min(Math.max(pixels * 0.7, 2.5), 12);
}
