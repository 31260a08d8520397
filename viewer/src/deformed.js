// Where outputs are coordinates, the mesh is drawn where its points have moved.

import { boundsOf, joined } from "./mesh.js";

// Where a panel's points are; undefined where the fields say nothing of it.
export function movedPoints(fields, answer, mesh, panel) {
  const part = panel === "truth" ? "truth" : "prediction";
  const axes = fields.map((field) => answer.arrays[`${field}/${part}`] ?? answer.arrays[`${field}/truth`]);
  if (!axes.every(Boolean)) return undefined;
  answer.moved ??= {};
  answer.moved[part] ??= mesh.points.map((x, i) => axes[i % 3]?.[Math.floor(i / 3)] ?? x);
  return answer.moved[part];
}

// They may reach further than the points at rest.
export function makeRoom(mesh, parts) {
  if (mesh.roomy) return;
  for (const { positions } of parts.filter((part) => part.positions)) {
    mesh.focus = joined(mesh.focus, boundsOf(positions));
  }
  mesh.roomy = true;
}
