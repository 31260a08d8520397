"""A mesh of many blocks as one: zones of CGNS, parts of EnSight, patches of OpenFOAM.

Blocks of the highest dimension are the mesh, one after the other. The others, as surfaces around
volumes, are patches: the points of the mesh that lie where theirs do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from llt.data.formats.loaded import Loaded, vtk
from llt.data.formats.mesh import Array
from llt.errors import DataError

Block = tuple[str, Any]  # its name and its dataset


def one_mesh(data: Any) -> Loaded:
    """From a dataset, or from any tree of them."""
    blocks = [block for block in _named(_leaves(data, ())) if block[1].n_points]
    if not blocks:
        raise DataError("no points in it, or nothing that VTK can read")
    dims = [dimension(block) for _, block in blocks]
    mesh = [block for block, dim in zip(blocks, dims, strict=True) if dim == max(dims)]
    thin = [block for block, dim in zip(blocks, dims, strict=True) if dim < max(dims)]
    whole, patches, left_out = _join(mesh)
    for name, block in thin:
        mask = _where(whole.points, block.points)
        if mask is None:
            left_out[name] = "a block of a lower dimension whose points are not the mesh's"
        else:
            patches[name] = mask
    return Loaded(whole, patches, left_out=left_out)


def dimension(data: Any) -> int:
    """Of the cells: 3 for volumes, 2 for surfaces."""
    kinds = vtk("vtkCommonDataModel", "vtkCellTypes")()
    data.GetCellTypes(kinds)
    make = vtk("vtkCommonDataModel", "vtkGenericCell").InstantiateCell
    cells = [make(kinds.GetCellType(i)) for i in range(kinds.GetNumberOfTypes())]
    return max((cell.GetCellDimension() for cell in cells if cell is not None), default=0)


def _leaves(data: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The datasets of a tree, with the names on the way to each."""
    if data is None:
        return
    if data.IsA("vtkDataSet"):
        yield names, import_module("pyvista").wrap(data)
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
    for name, child in children:
        yield from _leaves(child, (*names, name) if name else names)


def _name(data: Any, index: int) -> str:
    key = vtk("vtkCommonDataModel", "vtkCompositeDataSet").NAME()
    about = data.GetMetaData(index) if data.HasMetaData(index) else None
    return (about.Get(key) or "") if about is not None else ""


def _named(leaves: Iterator[tuple[tuple[str, ...], Any]]) -> list[Block]:
    """By last names, with those before them, or a number, where two are the same."""
    found = [*leaves]
    last = Counter(names[-1:] for names, _ in found)
    long = ["/".join(names[-1:] if last[names[-1:]] == 1 else names) for names, _ in found]
    count = Counter(long)
    return [
        (name if name and count[name] == 1 else f"{name or 'block'}_{i}", data)
        for i, (name, (_, data)) in enumerate(zip(long, found, strict=True))
    ]


def _join(blocks: Sequence[Block]) -> tuple[Any, dict[str, Array], dict[str, str]]:
    """All points and cells in order; arrays that all blocks have."""
    if len(blocks) == 1:
        return blocks[0][1], {}, {}
    append = vtk("vtkFiltersCore", "vtkAppendFilter")()
    append.MergePointsOff()
    for _, block in blocks:
        append.AddInputData(block)
    append.Update()
    whole = import_module("pyvista").wrap(append.GetOutput())
    sizes = [block.n_points for _, block in blocks]
    if whole.n_points != sum(sizes):
        raise DataError(f"its {len(blocks)} blocks cannot be joined")
    owner = np.repeat(np.arange(len(blocks)), sizes)
    patches = {name: owner == i for i, (name, _) in enumerate(blocks)}
    every = {name for _, block in blocks for name in block.array_names}
    lost = every - {*whole.array_names}
    return whole, patches, dict.fromkeys(sorted(lost), "not in all blocks of the mesh")


def _where(points: Array, places: Array) -> Array | None:
    """Which points lie at some places; None where there is a place without a point."""
    whole, part = (_rows(np.asarray(array, np.float64)) for array in (points, places))
    return np.isin(whole, part) if np.isin(part, whole).all() else None


def _rows(array: Array) -> Array:
    """Every row as one value to compare; -0.0 is 0.0."""
    return np.ascontiguousarray(array + 0.0).view(f"V{8 * array.shape[1]}").reshape(-1)
