"""One case as a sample of the dataset, by the plan; whatever does not follow it is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.cases import Case
from llt.data.folder.look import CELLS
from llt.data.folder.plan import Plan, Source
from llt.data.folder.states import read_state, times_of
from llt.data.folder.survey import FLAT, same_times
from llt.data.formats import Mesh
from llt.data.sample import Sample
from llt.errors import DataError, unknown

Array = NDArray[Any]


def read_sample(case: Case, plan: Plan, row: Mapping[str, float]) -> Sample:
    """Read a case.

    Args:
        row: its numbers from the table.
    """
    times = _times(case, plan)
    first = read_state(case, times[0] if plan.times else None)
    reader = Reader(case, plan, first, plan.masks)
    reader.check_grid(first)
    points = reader.points
    inputs = reader.channels(first, plan.inputs)
    if plan.times:
        frames = [reader.outputs(first)]
        for time in times[1:]:
            frames.append(reader.outputs(read_state(case, time)))
        outputs = np.stack(frames)
    else:
        outputs = reader.outputs(first)
    return Sample(
        points=points,
        inputs=inputs,
        outputs=outputs,
        masks=reader.masks,
        parameters=np.array([*_numbers(case, plan, row, first)]),
    ).in_single_precision()


def num_duplicates(points: Array) -> int:
    """How many points lie where another one does."""
    return len(points) - len(np.unique(points, axis=0))


class Reader:
    """The arrays of one case's states, checked against the plan."""

    def __init__(self, case: Case, plan: Plan, first: Mesh, masks: Sequence[str]) -> None:
        self.where, self.plan = case.where, plan
        self.points = self._points(first)  # (N, d)
        self.masks = {name: self._patch(first, name) for name in masks}

    def outputs(self, mesh: Mesh) -> Array:
        if self.plan.times and not np.array_equal(self._points(mesh), self.points):
            raise DataError(f"{self.where}: its points move with time; pass --time last")
        return self.channels(mesh, self.plan.outputs)

    def channels(self, mesh: Mesh, sources: tuple[Source, ...]) -> Array:
        if not sources:
            return np.empty((len(self.points), 0), np.float32)
        return np.concatenate([self._field(mesh, source) for source in sources], axis=1)

    def _points(self, mesh: Mesh) -> Array:
        plan = self.plan
        if plan.location == CELLS and mesh.centers is None:
            raise DataError(f"{self.where}: no cells, while {plan.location} are asked for")
        places = mesh.points if plan.location != CELLS else mesh.centers
        assert places is not None
        axes = ["xyz".index(axis) for axis in plan.axes]
        if places.shape[1] <= max(axes):
            raise DataError(
                f"{self.where}: points in {places.shape[1]}-D, expected {', '.join(plan.axes)}"
            )
        edges = np.ptp(places, axis=0)
        beside = [axis for axis in range(places.shape[1]) if axis not in axes]
        for axis in beside:
            if edges[axis] > FLAT * edges.max():
                raise DataError(
                    f"{self.where}: {'xyz'[axis]} differs by {edges[axis]:.3g}, while cases are "
                    f"taken as flat; pass --axes xyz if they are not"
                )
        return places[:, axes]

    def check_grid(self, mesh: Mesh) -> None:
        grid = self.grid(mesh)
        if self.plan.grid is not None and grid != self.plan.grid:
            has = " x ".join(map(str, grid)) or "none"
            right = " x ".join(map(str, self.plan.grid))
            raise DataError(f"{self.where}: grid {has}, expected {right}; or pass --no-grid")

    def grid(self, mesh: Mesh) -> tuple[int, ...]:
        """Of the points or cells, () where they have none."""
        less = 1 if self.plan.location == CELLS else 0
        return tuple(n - less for n in mesh.grid or () if n > 1)

    def _field(self, mesh: Mesh, source: Source) -> Array:
        """(N, C) in single precision."""
        if source.patch:
            return self._patch(mesh, source.name)[:, None].astype(np.float32)
        table = self.table(mesh, source)
        self._check_left(table, source)
        chosen = table[:, source.components] if source.components else table
        return self._finite(chosen.astype(np.float32), source)

    def table(self, mesh: Mesh, source: Source) -> Array:
        """A field as it is in the file, (N, C), of the unit and the components of the plan."""
        here, there = fields_at(mesh, self.plan.location)
        if source.name not in here:
            beside = "; it is at the other of points and cells" if source.name in there else ""
            known = unknown("field", source.name, here or ["(none)"])
            raise DataError(f"{self.where}: {known}{beside}")
        unit = mesh.units.get(source.name, "")
        if unit and source.file_unit and unit != source.file_unit:
            raise DataError(
                f"{self.where}: {source.name} is in {unit}, in others in {source.file_unit}"
            )
        values = np.asarray(here[source.name])
        size = 0 if values.ndim == 1 else values.shape[1]
        if size != source.size:
            raise DataError(
                f"{self.where}: {source.name} has {size or 'no'} components, expected "
                f"{source.size or 'none'}"
            )
        return values.reshape(len(values), -1)

    def _check_left(self, table: Array, source: Source) -> None:
        """What a plane leaves out of a vector must be nothing."""
        left = [i for i in range(source.size) if i not in source.components]
        for i in left:
            most = np.nanmax(np.abs(table[:, i]), initial=0)
            if most > 10 * FLAT * np.nanmax(np.abs(table), initial=0):
                raise DataError(
                    f"{self.where}: {source.name} has a component {'xyz'[i]} up to {most:.3g}, "
                    "while cases are taken as flat; pass --axes xyz if they are not"
                )

    def _finite(self, values: Array, source: Source) -> Array:
        bad = ~np.isfinite(values)
        if source.mask:
            outside = ~self.masks[source.mask]
            values[outside & bad.any(axis=1)] = 0  # nothing looks at it there
            bad[outside] = False
        if bad.any():
            count, first = int(bad.any(axis=1).sum()), int(bad.any(axis=1).argmax())
            what = "NaN" if np.isnan(values[bad][0]) else "infinity"
            raise DataError(
                f"{self.where}: {source.name} holds {what} at {count} of {len(values)} "
                f"{self.plan.location}, first {first}"
            )
        return values

    def _patch(self, mesh: Mesh, name: str) -> NDArray[np.bool_]:
        patches = mesh.cell_patches if self.plan.location == CELLS else mesh.patches
        if name not in patches:
            raise DataError(f"{self.where}: {unknown('patch', name, patches or ['(none)'])}")
        return np.asarray(patches[name], bool)


def fields_at(mesh: Mesh, location: str) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """Those of points or cells, whichever is asked for, and those of the others."""
    both = mesh.point_fields, mesh.cell_fields
    return both[::-1] if location == CELLS else both


def _times(case: Case, plan: Plan) -> tuple[float, ...]:
    if not plan.times:
        return ()
    times = times_of(case)
    if not same_times(plan.times, times):
        has = f"{len(times)} times" + (f", {times[0]:.4g} to {times[-1]:.4g}" if times else "")
        raise DataError(
            f"{case.where}: {has}, expected {len(plan.times)}, {plan.times[0]:.4g} to "
            f"{plan.times[-1]:.4g}; pass --time last to take the last state of each case"
        )
    return times


def _numbers(case: Case, plan: Plan, row: Mapping[str, float], mesh: Mesh) -> list[float]:
    values = [row[field.name] for field in plan.columns]
    for field in plan.numbers:
        number = mesh.case_fields.get(field.name, np.nan)
        if not np.isfinite(number):
            raise DataError(f"{case.where}: its number {field.name!r} is missing or NaN")
        values.append(number)
    return values
