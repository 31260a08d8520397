"""Which grids a training sees: strides over the grid of the data, from the settings.

`train.strides` names them as they are, one number for all axes or one for each axis;
`train.resolutions` names the points per side of square grids. The first is the base: the model is
built for its grid, and validated there.
"""

from __future__ import annotations

from typing import Any

from llt.data.thinning import LEAST, Stride, fitting_strides, stride_between
from llt.errors import ConfigError
from llt.problem import Problem


def check_grids(strides: tuple[Any, ...], resolutions: tuple[Any, ...]) -> None:
    """What can be said of the settings before the data are known."""
    if strides and resolutions:
        raise ConfigError(
            "train.strides and train.resolutions say the same thing; give one of them"
        )
    for stride in strides:
        numbers = stride if isinstance(stride, tuple) else (stride,)
        if not numbers or not all(type(k) is int and k > 0 for k in numbers):
            raise ConfigError(
                f"train.strides: {_plain(stride)} must be a positive number, or one for each axis, "
                "as in [7, 5, 3] or [[1, 1], [2, 2]]"
            )
    for n in resolutions:
        if type(n) is not int or n < 2:
            raise ConfigError(
                f"train.resolutions: {_plain(n)} must be the points of a side, as in [61, 85, 141]"
            )


def find_strides(
    strides: tuple[Any, ...], resolutions: tuple[int, ...], problem: Problem
) -> tuple[Stride, ...]:
    """The strides that the settings mean on the grid of a problem; () where they name none."""
    if not strides and not resolutions:
        return ()
    name = "strides" if strides else "resolutions"
    if problem.grid is None:
        raise ConfigError(f"train.{name}: {problem.name} is a point set and has no grid to thin")
    if resolutions:
        return tuple(_from_resolution(n, problem.grid) for n in resolutions)
    return tuple(_from_setting(stride, problem.grid) for stride in strides)


def _from_setting(stride: Any, grid: tuple[int, ...]) -> Stride:
    numbers: Stride = stride if isinstance(stride, tuple) else (stride,) * len(grid)
    shape = " x ".join(map(str, grid))
    if len(numbers) != len(grid):
        raise ConfigError(
            f"train.strides: {_plain(stride)} has {len(numbers)} numbers for a grid of {shape}; "
            f"give {len(grid)}, or one for all axes"
        )
    for n, k in zip(grid, numbers, strict=True):
        if k not in (fits := fitting_strides(n)):
            raise ConfigError(
                f"train.strides: a stride of {k} over {n} points (grid {shape}) misses the last "
                f"one or leaves fewer than {LEAST}; choose from {', '.join(map(str, fits))}"
            )
    return numbers


def _from_resolution(n: int, grid: tuple[int, ...]) -> Stride:
    side = grid[0]
    if set(grid) != {side}:
        shape = " x ".join(map(str, grid))
        raise ConfigError(
            f"train.resolutions: the grid of {shape} is not square; use train.strides, "
            "as [[1, 1], [2, 2]]"
        )
    fits = [(side - 1) // k + 1 for k in fitting_strides(side)]
    if n not in fits:
        raise ConfigError(
            f"train.resolutions: {n} is not every k-th of the file's {side} points; "
            f"choose from {', '.join(map(str, fits[::-1]))}"
        )
    return stride_between(grid, (n,) * len(grid)) or ()


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
