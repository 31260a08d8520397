"""What pictures of a case are made from: its surface as triangles, values of cells at points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from llt.data.formats.blocks import dimension
from llt.data.formats.loaded import Loaded, update, vtk
from llt.data.formats.mesh import Array, Mesh
from llt.data.formats.vtk_faces import surface_of
from llt.data.formats.vtk_mesh import to_mesh


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """One state of a case."""

    mesh: Mesh
    triangles: Array | None = None  # (T, 3) numbers of points; None: of no cells, or of lines
    at_points: Mapping[str, Array] = field(default_factory=dict)  # cell fields, (N,) or (N, C)


def draw(loaded: Loaded) -> Drawing:
    """The cells of a surface, the boundary of a volume."""
    mesh, data = to_mesh(loaded), loaded.data
    triangles = None
    if data.n_cells and dimension(data) > 1:
        surface = surface_of(data)
        ids = np.asarray(surface.point_data["vtkOriginalPointIds"])
        triangles = ids[surface.faces.reshape(-1, 4)[:, 1:]]
    return Drawing(mesh=mesh, triangles=triangles, at_points=_at_points(mesh, data))


def _at_points(mesh: Mesh, data: object) -> dict[str, Array]:
    """Means over the cells around every point."""
    names = [name for name in mesh.cell_fields if name not in mesh.point_fields]
    if not names:
        return {}
    mean = vtk("vtkFiltersCore", "vtkCellDataToPointData")()
    mean.SetInputData(data)
    numpy = vtk("util.numpy_support", "vtk_to_numpy")
    arrays = update(mean).GetPointData()
    return {name: numpy(arrays.GetArray(name)) for name in names}
