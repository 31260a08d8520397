"""ShapeNet-Car: folders param0 to param8 of cars, each with the files of `car_mesh`.

The literature tests on param0 and trains on all others, in whatever order the system lists them;
here they are sorted. Cars that lack a file are left out, as there.

A sample has the points outside of the car, then those on its surface. Inputs are the distance to
the nearest surface point and the direction from it, on the surface 0 and the normal. Velocities on
the surface are those of the air's mesh where it has this point, else 0; the pressure exists on the
surface alone. The drag is the coefficient by which the literature compares cars.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, KDTree, QhullError

from llt.data.derived import derived_numbers
from llt.data.formats import process
from llt.data.published.car_mesh import (
    SURFACE,
    VOLUME,
    Array,
    Surface,
    load_pyvista,
    read_surface,
    read_volume,
    same_places,
)
from llt.data.published.stream import Stream
from llt.data.sample import Sample
from llt.data.splits import Splits
from llt.errors import ConfigError, DataError
from llt.problem import CAR

FOLDS = tuple(f"param{k}" for k in range(9))
TEST = FOLDS[0]
SPEED = 72 / 3.6  # m/s
DENSITY, VISCOSITY = 0.3, 1.8e-5  # as the literature has them
TINY = 1e-8


def read_car(folder: Path, *, validation_share: float = 0.05) -> Stream:
    """889 cars of 32,186 points: param0 tests, all other folds train.

    Args:
        validation_share: of every training fold, its last cars by name, which validate: the
            literature has no validation set. By default 5 %, 40 of 789 cars.
    """
    if not 0 < validation_share < 1:
        raise ConfigError(f"validation_share={validation_share:g} must be between 0 and 1")
    load_pyvista()
    cars, skipped = _find_cars(folder)
    provenance: dict[str, Any] = {
        "source": "published",
        "files": [],
        "skipped": skipped,
        "validation_share": validation_share,
    }
    names = [f"{car.parent.name}/{car.name}" for fold in cars.values() for car in fold]
    return Stream(
        problem=CAR,
        samples=_read_cars(cars, provenance["files"]),
        splits=_splits(folder, [len(fold) for fold in cars.values()], validation_share),
        records={"name": np.array(names, np.bytes_)},
        provenance=provenance,
    )


def _find_cars(folder: Path) -> tuple[dict[str, list[Path]], list[str]]:
    """The folders of every fold's cars, sorted, and the names of those that lack a file."""
    roots = [path.parent for path in (folder / TEST, *sorted(folder.rglob(TEST))) if path.is_dir()]
    root = roots[0] if roots else folder
    missing = [fold for fold in FOLDS if not (root / fold).is_dir()]
    if missing:
        raise DataError(
            f"{root / missing[0]}: no such folder; the benchmark consists of {FOLDS[0]} to "
            f"{FOLDS[-1]}"
        )
    cars: dict[str, list[Path]] = {}
    skipped = []
    for fold in FOLDS:
        found = sorted(path for path in (root / fold).iterdir() if path.is_dir())
        whole = [car for car in found if all((car / name).is_file() for name in (SURFACE, VOLUME))]
        skipped += [f"{fold}/{car.name}" for car in found if car not in whole]
        if not whole:
            raise DataError(f"{root / fold}: no folder with {SURFACE} and {VOLUME}")
        cars[fold] = whole
    return cars, skipped


def _splits(folder: Path, counts: list[int], share: float) -> Splits:
    test, *folds = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    ends = [len(fold) - ceil(share * len(fold)) for fold in folds]
    train = np.concatenate([fold[:end] for fold, end in zip(folds, ends, strict=True)])
    val = np.concatenate([fold[end:] for fold, end in zip(folds, ends, strict=True)])
    if not len(train):
        raise DataError(f"{folder}: {len(val)} cars validate, none is left to train")
    return Splits.of(train, val, test)


def _read_cars(cars: dict[str, list[Path]], files: list[dict[str, Any]]) -> Iterator[Sample]:
    """One after the other; at the end of a fold its checksum is noted."""
    for fold, paths in cars.items():
        digest = hashlib.sha256()
        for path in paths:
            for name in (SURFACE, VOLUME):
                digest.update((path / name).read_bytes())
            yield process.call(path, read_one, path)
        about = {"name": fold, "shape": [len(paths)], "dtype": "cars"}
        files.append(about | {"sha256": digest.hexdigest()})


def read_one(car: Path) -> Sample:
    """One car from its folder."""
    surface, volume = read_surface(car / SURFACE), read_volume(car / VOLUME)
    owner = same_places(surface.points, volume.points)
    outside = owner < 0
    if outside.all() or not outside.any():
        what = "none" if outside.all() else "all"
        raise DataError(
            f"{car}: {what} of the {len(outside)} points of {VOLUME} lie on the "
            f"{len(surface.points)} of {SURFACE}; they must be of the same car"
        )
    still = np.zeros((len(surface.points), 3))
    still[owner[~outside]] = volume.velocity[~outside]
    x = volume.points[outside]
    distance, nearest = KDTree(surface.points).query(x)
    direction = (x - surface.points[nearest]) / distance[:, None]
    on_surface = np.repeat([False, True], [len(x), len(still)])
    given = np.column_stack([distance, direction])
    outputs: NDArray[Any] = np.zeros((len(on_surface), 4))
    outputs[:, :3] = np.concatenate([volume.velocity[outside], still])
    outputs[on_surface, 3] = surface.pressure
    weights = {}
    for name, part in drag_weights(surface, car).items():
        weights[f"drag/{name}"] = np.concatenate([np.zeros(len(x)), part])
    sample = Sample(
        points=np.concatenate([x, surface.points]),
        inputs=np.concatenate([given, np.insert(point_normals(surface), 0, 0, axis=1)]),
        outputs=outputs,
        masks={"surface": on_surface},
        weights=weights,
    ).in_single_precision()
    drag = derived_numbers(CAR, sample)["drag"]
    return replace(sample, derived=np.array([drag], np.float32))


def point_normals(surface: Surface) -> Array:
    """The mean normal of a point's quads, of length 1; 0 at points in no quad: (M, 3)."""
    normals = np.zeros_like(surface.points)
    np.add.at(normals, surface.quads, surface.normals[:, None])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(size > 0, size, 1)


def drag_weights(surface: Surface, car: Path) -> dict[str, Array]:
    """What surface values add to the drag coefficient, C = 2 F / (ρ v² A), in the literature.

    F is a force along z: of the pressure, whose value on a quad is the mean of its corners', and
    of friction, by differences of z velocities across the quads. A is the area of the convex
    outline seen along z.
    """
    a, b, c, d = np.moveaxis(surface.points[surface.quads], 1, 0)
    area = (_length(np.cross(b - a, c - a)) + _length(np.cross(c - a, d - a))) / 2
    across = [(-1, 1, 1, -1), (-1, -1, 1, 1), (-1, 1, -1, 1)]
    corners = np.stack([a, b, c, d], axis=1)
    slopes = sum(
        np.divide(signs, _length(np.einsum("qkd,k->qd", corners, signs))[:, None] + TINY)
        for signs in across
    )  # (Q, 4), of the corners' velocities
    scale = 2 / (DENSITY * SPEED**2 * _frontal_area(surface.points, car))
    along = -scale * area * surface.normals[:, 2]
    return {
        "pressure": _gather(surface, np.repeat(along[:, None] / 4, 4, axis=1)),
        "velocity_z": _gather(surface, VISCOSITY * along[:, None] * slopes),
    }


def _gather(surface: Surface, of_corners: NDArray[Any]) -> Array:
    found = np.zeros(len(surface.points))
    np.add.at(found, surface.quads, of_corners)
    return found


def _frontal_area(points: Array, car: Path) -> float:
    try:
        return float(ConvexHull(points[:, :2]).volume)
    except QhullError:
        raise DataError(f"{car / SURFACE}: seen along z the car has no area") from None


def _length(vectors: Array) -> Array:
    return np.linalg.norm(vectors, axis=-1)
