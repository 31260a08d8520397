"""The surface of a body in space, drawn from its points alone.

Seen from its middle, every direction meets the surface of a body such as a car once. So points
that are neighbors as directions are neighbors on the surface: the triangles are those of the
directions' convex hull.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

Floats = NDArray[np.floating[Any]]
LEAST, MOST = 50, 50_000  # points
ROUGH = 1.2  # ratio of the corners' distances from the middle; it is larger between loose points
LIGHT = np.array([0.3, 0.5, 0.8])  # from the right, the front and above


def body_triangles(points: Floats) -> NDArray[np.int64] | None:
    """Outward triangles (T, 3) between points (N, 3) of a surface; None where they are of none."""
    if not LEAST <= len(points) <= MOST:
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    x = (points - (low + high) / 2) / np.maximum(high - low, 1e-12)
    size = np.linalg.norm(x, axis=1, keepdims=True)
    if size.min() < 1e-6:
        return None
    try:
        hull = ConvexHull(x / size)
    except QhullError:
        return None
    triangles: NDArray[np.int64] = hull.simplices.astype(np.int64)
    corners = size[triangles, 0]
    if np.median(corners.max(axis=1) / corners.min(axis=1)) > ROUGH:
        return None
    inward = np.einsum("td,td->t", _normals(x, triangles), x[triangles].sum(axis=1)) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return triangles


def draw_body(
    axes: Axes,
    flat: Floats,
    near: Floats,
    values: Floats,
    triangles: NDArray[np.int64],
    look: dict[str, Any],
) -> Any:
    """The triangles that face the viewer, far ones first, with some light on them.

    Args:
        flat, near: where the points are seen, (N, 2), and how near, (N,), as `project` gives them.
    """
    seen = np.column_stack([flat, near])
    normals = _normals(seen, triangles)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    front = np.flatnonzero(normals[:, 2] > 0)
    front = front[np.argsort(near[triangles[front]].mean(axis=1), kind="stable")]
    shown = PolyCollection([*flat[triangles[front]]], linewidths=0.3, rasterized=True)
    colors = look["cmap"](look["norm"](values[triangles[front]].mean(axis=1)))
    light = 0.75 + 0.25 * np.clip(normals[front] @ (LIGHT / np.linalg.norm(LIGHT)), 0, 1)
    colors[:, :3] *= light[:, None]
    shown.set(facecolor=colors, edgecolor=colors)
    axes.add_collection(shown)
    # color scales are made of what has values and a map
    return axes.scatter([], [], c=[], cmap=look["cmap"], norm=look["norm"])


def _normals(x: Floats, triangles: NDArray[np.int64]) -> Floats:
    a, b, c = np.moveaxis(x[triangles], 1, 0)
    return np.cross(b - a, c - a)
