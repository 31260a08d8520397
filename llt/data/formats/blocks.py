"""A mesh of many blocks as one: zones of CGNS, parts of EnSight, patches of OpenFOAM.

Blocks of the highest dimension are the mesh, one after the other. The others, as surfaces around
volumes, are patches: the points of the mesh that lie where theirs do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from llt.data.formats.loaded import Loaded, vtk
from llt.data.formats.mesh import Array
from llt.errors import DataError

PLACES = ("", "Internal", "Patches", "Surfaces")  # in a zone of CGNS
Block = tuple[str, Any]  # its name and its dataset
Masks = dict[str, Array]


def one_mesh(data: Any) -> Loaded:
    """From a dataset, or from any tree of them."""
    blocks = [block for block in _leaves(data, "") if block[1].n_points]
    if not blocks:
        raise DataError("no points in it, or nothing that VTK can read")
    dims = [dimension(block) for _, block in blocks]
    mesh = [block for block, dim in zip(blocks, dims, strict=True) if dim == max(dims)]
    thin = [block for block, dim in zip(blocks, dims, strict=True) if dim < max(dims)]
    whole, patches, cells, left_out = _join(mesh)
    for name, block in thin:
        mask = _where(whole.points, _used(block))
        if mask is None:
            left_out[name] = "a block of a lower dimension whose points are not the mesh's"
        else:  # one patch may go along several zones
            patches[name] = mask | patches.get(name, False)
    return Loaded(whole, patches, cells, left_out=left_out)


def dimension(data: Any) -> int:
    """Of the cells: 3 for volumes, 2 for surfaces."""
    kinds = vtk("vtkCommonDataModel", "vtkCellTypes")()
    new = hasattr(data, "GetDistinctCellTypes")  # since VTK 9.6
    (data.GetDistinctCellTypes if new else data.GetCellTypes)(kinds)
    make = vtk("vtkCommonDataModel", "vtkGenericCell").InstantiateCell
    cells = [make(kinds.GetCellType(i)) for i in range(kinds.GetNumberOfTypes())]
    return max((cell.GetCellDimension() for cell in cells if cell is not None), default=0)


def _leaves(data: Any, name: str) -> Iterator[Block]:
    """The datasets of a tree, each with the last name on the way to it."""
    if data is None:
        return
    if data.IsA("vtkDataSet"):
        yield name, import_module("pyvista").wrap(data)
        return
    if data.IsA("vtkPartitionedDataSet"):
        children = [("", data.GetPartition(i)) for i in range(data.GetNumberOfPartitions())]
    elif data.IsA("vtkPartitionedDataSetCollection"):
        children = [
            (_name(data, i), data.GetPartitionedDataSet(i))
            for i in range(data.GetNumberOfPartitionedDataSets())
        ]
    elif data.IsA("vtkMultiBlockDataSet"):
        children = [(_name(data, i), data.GetBlock(i)) for i in range(data.GetNumberOfBlocks())]
    else:
        raise DataError(f"holds a {data.GetClassName()}, expected points and cells")
    for own, child in children:
        yield from _leaves(child, name if own in PLACES else own)


def _name(data: Any, index: int) -> str:
    key = vtk("vtkCommonDataModel", "vtkCompositeDataSet").NAME()
    about = data.GetMetaData(index) if data.HasMetaData(index) else None
    return (about.Get(key) or "") if about is not None else ""


def _join(blocks: Sequence[Block]) -> tuple[Any, Masks, Masks, dict[str, str]]:
    """All points and cells in order, and which are whose; arrays that all blocks have."""
    if len(blocks) == 1:
        return blocks[0][1], {}, {}, {}
    append = vtk("vtkFiltersCore", "vtkAppendFilter")()
    append.MergePointsOff()
    for _, block in blocks:
        append.AddInputData(block)
    append.Update()
    whole = import_module("pyvista").wrap(append.GetOutput())
    sizes = [block.n_points for _, block in blocks]
    if whole.n_points != sum(sizes):
        raise DataError(f"its {len(blocks)} blocks cannot be joined")
    names = [*_unique(name for name, _ in blocks)]
    patches = _owned(names, sizes)
    cells = _owned(names, [block.n_cells for _, block in blocks])
    every = {name for _, block in blocks for name in block.array_names}
    lost = every - {*whole.array_names}
    return whole, patches, cells, dict.fromkeys(sorted(lost), "not in all blocks of the mesh")


def _owned(names: Sequence[str], sizes: Sequence[int]) -> Masks:
    owner = np.repeat(np.arange(len(names)), sizes)
    return {name: owner == i for i, name in enumerate(names)}


def _unique(names: Iterable[str]) -> Iterator[str]:
    """With numbers, where two are the same or there is none."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield name if name and seen[name] == 1 else f"{name or 'block'}_{seen[name]}"


def _used(block: Any) -> Array:
    """Points that are in cells; blocks may share the points of them all."""
    if not block.n_cells:
        return np.asarray(block.points)
    corners = block.cast_to_unstructured_grid().cell_connectivity
    return np.asarray(block.points)[np.unique(corners)]


def _where(points: Array, places: Array) -> Array | None:
    """Which points lie at some places; None where there is a place without a point."""
    whole, part = (_rows(np.asarray(array, np.float64)) for array in (points, places))
    return np.isin(whole, part) if np.isin(part, whole).all() else None


def _rows(array: Array) -> Array:
    """Every row as one value to compare; -0.0 is 0.0."""
    return np.ascontiguousarray(array + 0.0).view(f"V{8 * array.shape[1]}").reshape(-1)
