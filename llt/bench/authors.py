"""Transolver as its authors publish it, from a checkout of their repository.

A speedup says something about LLT only beside the fastest form of its rival, so that form is looked
for in the authors' own code, too. None of it is kept here.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.base import Operator
from llt.problem import Problem

NAME = "transolver_authors"
FOLDER = "PDE-Solving-StandardBenchmark"  # of github.com/thuml/Transolver


class AuthorsTransolver(Operator):
    """Their network behind our interface: it is handed batches and hands back fields."""

    paper = "Wu et al.: Transolver: A Fast Transformer Solver for PDEs on General Geometries, 2024"

    def __init__(self, problem: Problem, network: nn.Module) -> None:
        super().__init__()
        self.problem, self.network = problem, network

    def forward(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        fields = a if a.shape[-1] else None
        found: Tensor = self.network(x, fields, None if t is None else t[:, None])
        return found


def checkout(folder: Path) -> Path:
    """Where their models lie in a checkout, or a ConfigError."""
    for place in (folder, folder / FOLDER):
        if (place / "model" / "Physics_Attention.py").is_file():
            return place.resolve()
    raise ConfigError(
        f"{folder}: no checkout of github.com/thuml/Transolver; expected {FOLDER}/model"
    )


def fingerprint(folder: Path) -> str:
    """Of their models: tells which code was measured, with or without its history."""
    files = sorted((checkout(folder) / "model").glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def build_authors(folder: Path, problem: Problem, settings: dict[str, Any]) -> Operator:
    """With the settings of our Transolver, whose defaults are theirs."""
    sizes = {"dim": 128, "num_layers": 8, "heads": 8, "slices": 64, "mlp_ratio": 1, **settings}
    points = sizes.get("reference_points", 0)
    shape = {} if problem.grid is None else dict(zip(("H", "W"), problem.grid, strict=True))
    module = _load(folder, "Irregular_Mesh" if problem.grid is None else "Structured_Mesh_2D")
    network = module.Model(
        space_dim=problem.space_dim,
        n_layers=sizes["num_layers"],
        n_hidden=sizes["dim"],
        n_head=sizes["heads"],
        Time_Input=problem.timed,
        mlp_ratio=sizes["mlp_ratio"],
        fun_dim=problem.in_channels,
        out_dim=problem.out_channels,
        slice_num=sizes["slices"],
        ref=points or 8,
        unified_pos=bool(points),
        **shape,
    )
    model = AuthorsTransolver(problem, network)
    model.name, model.arguments = NAME, dict(settings)
    return model


def _load(folder: Path, mesh: str) -> ModuleType:
    place = str(checkout(folder))
    if place not in sys.path:
        sys.path.append(place)
    _stand_in("timm.models.layers", trunc_normal_=nn.init.trunc_normal_)
    _stand_in("einops", rearrange=_heads_beside_each_other, repeat=None)
    return import_module(f"model.Transolver_{mesh}")


def _stand_in(name: str, **contents: Any) -> None:
    """All they take from other packages is what torch has, too."""
    try:
        import_module(name)
    except ImportError:
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            parent = ".".join(parts[:count])
            sys.modules[parent] = ModuleType(parent)
        vars(sys.modules[name]).update(contents)


def _heads_beside_each_other(z: Tensor, pattern: str) -> Tensor:
    if pattern != "b h n d -> b n (h d)":
        raise ConfigError(f"einops is not installed, and their code wants {pattern!r} of it")
    return z.transpose(1, 2).flatten(2)
