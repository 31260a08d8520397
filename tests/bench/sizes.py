"""Cases and protocols small enough for a test."""

import torch

from llt.bench.case import Case
from llt.bench.cost import Protocol, Row
from llt.problem import Problem

SETTINGS = {"dim": 8, "num_layers": 1, "heads": 2}
QUICK = Protocol(device=torch.device("cpu"), warmup=1, repetitions=2)


def tiny(num_points: int = 20, name: str = "tiny") -> Case:
    problem = Problem(
        name=name, space_dim=2, inputs=("a",), outputs=("u",), grid=(4, num_points // 4)
    )
    settings = dict.fromkeys(("llt", "transolver"), SETTINGS)
    return Case(name=name, problem=problem, num_points=num_points, settings=settings)


def row(case="darcy", model="llt", mode="eager", kernels="reference", points=100, **values) -> Row:
    return Row(
        case=case,
        num_points=points,
        grid=None,
        model=model,
        mode=mode,
        kernels=kernels,
        **values,
    )
