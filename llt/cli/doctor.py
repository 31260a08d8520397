"""Check that this machine can run everything."""

from __future__ import annotations

from typing import Any

import typer

from llt.cli.options import JSON


def run(
    json_: bool = JSON,
) -> None:
    """Check the installation: versions, devices, and a small solve, training step and file."""
    import json

    import torch

    from llt.runtime.environment import environment

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    about: dict[str, Any] = environment(device)
    about["kernels"] = _kernels(device)
    about["checks"] = {name: _try(check) for name, check in CHECKS.items()}
    healthy = all(result == "ok" for result in about["checks"].values())
    if json_:
        print(json.dumps(about))
    else:
        for name, value in about.items():
            if isinstance(value, dict):
                value = ", ".join(f"{key} {part}" for key, part in value.items())
            print(f"{name:<12}{value}")
    if not healthy:
        raise typer.Exit(1)


def _kernels(device: Any) -> str:
    """What LLT is trained with here, in the size of the paper's Darcy model."""
    import torch

    from llt.models import build_model
    from llt.models.plan import plan
    from llt.presets import find_preset
    from llt.problem import DARCY

    with torch.device("meta"):  # shapes without memory
        model = build_model("llt", DARCY, **find_preset("darcy").model)
    return str(plan(model, device, model.precision if device.type == "cuda" else "fp32"))


def _try(check: Any) -> str:
    try:
        check()
    except Exception as error:
        return f"failed: {error}"
    return "ok"


def _solve() -> None:
    from llt.solvers import find_solver, sample_rng

    solver = find_solver("darcy")
    solver.solve_sample(sample_rng(0, 0), solver.Settings(resolution=33, stored_resolution=17))


def _model() -> None:
    import torch

    from llt.models import build_model
    from llt.problem import DARCY

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = build_model("llt", DARCY, dim=16, num_layers=1).to(device)
    x, a = torch.rand(1, 81, 2, device=device), torch.rand(1, 81, 1, device=device)
    model(x, a, grid=(9, 9)).sum().backward()


def _file() -> None:
    import tempfile
    from pathlib import Path

    import numpy as np

    from llt.data.arrays import read_arrays, write_arrays

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "check.h5"
        write_arrays(path, {"values": np.ones(3, dtype=np.float32)})
        assert read_arrays(path)["values"].sum() == 3


CHECKS = {"solver": _solve, "model": _model, "files": _file}
