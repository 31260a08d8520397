"""The paper's Tables 2 and 3 as code: model and training settings per problem.

Where the paper is silent a choice is made here and listed in `docs/fidelity.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from llt.errors import ConfigError, unknown
from llt.problem import PROBLEMS, Problem
from llt.training.config import TrainConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """Settings of LLT and of its training for one problem."""

    model: Mapping[str, Any]
    train: TrainConfig
    paper_parameters: int | None = None  # as the paper reports them

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", MappingProxyType(dict(self.model)))

    @property
    def settings(self) -> dict[str, dict[str, Any]]:
        """By section, as a TOML file has them."""
        return {"model": dict(self.model), "train": self.train.to_dict()}


PRESETS: dict[str, Preset] = {
    "elasticity": Preset(
        model={"dim": 128, "num_layers": 6, "max_neighbors": 96},
        train=TrainConfig(batch_size=1),
        paper_parameters=1_172_000,
    ),
    # the paper's parameter count leaves no room for a convolution branch here
    "plasticity": Preset(
        model={"dim": 128, "num_layers": 4, "conv_branch": False},
        train=TrainConfig(batch_size=8),
        paper_parameters=793_000,
    ),
    "airfoil": Preset(
        model={"dim": 64, "num_layers": 6}, train=TrainConfig(), paper_parameters=284_000
    ),
    "pipe": Preset(
        model={"dim": 64, "num_layers": 6},
        train=TrainConfig(schedule="cosine"),
        paper_parameters=284_000,
    ),
    "darcy": Preset(
        model={"dim": 128, "num_layers": 8}, train=TrainConfig(), paper_parameters=1_369_000
    ),
    "car": Preset(
        model={"dim": 128, "num_layers": 8, "max_neighbors": 32},
        train=TrainConfig(batch_size=1, epochs=200, weight_decay=0.0),
        paper_parameters=1_458_000,
    ),
    # every model at its smallest, to see that it runs
    "tiny": Preset(
        model={"dim": 16, "num_layers": 2, "heads": 4}, train=TrainConfig(epochs=2, batch_size=2)
    ),
    # small enough for a laptop's CPU: what `llt demo` trains
    "demo": Preset(
        model={"dim": 32, "num_layers": 4},
        train=TrainConfig(epochs=14, lr=2e-3, muon_lr=6e-3),
    ),
}

# of a user's own problem: how long it is trained does not depend on how many samples there are
OWN = Preset(model={}, train=TrainConfig(steps=20_000))


# sizes of the baselines in the literature, by model and problem
BASELINES: dict[str, dict[str, dict[str, Any]]] = {
    "factformer": {"tiny": {"dim": 16, "num_layers": 2, "heads": 2, "head_dim": 4}},
    "ffno": {
        "elasticity": {"mlp_ratio": 2},
        "plasticity": {"first_modes": 32, "modes": 12},
        "airfoil": {"first_modes": 32},
        "car": {"mlp_ratio": 2},
        "tiny": {"dim": 8, "modes": 3, "num_layers": 2, "latent": 8},
    },
    "flare": {
        "airfoil": {"latents": 256},
        "pipe": {"latents": 128},
        "darcy": {"latents": 256, "heads": 16},
        "car": {"latents": 256},
        "tiny": {"dim": 16, "num_layers": 2, "heads": 4, "latents": 6, "mlp_layers": 1},
    },
    "fno": {"tiny": {"dim": 8, "modes": 3, "num_layers": 2}},
    "galerkin": {
        "tiny": {"dim": 16, "num_layers": 2, "heads": 2, "modes": 3, "spectral_dim": 8},
    },
    "geofno": {
        "elasticity": {"num_layers": 5},
        "airfoil": {"first_modes": 24},
        # a spectrum of 12 modes in space would have 6912 entries for each of 32,186 points
        "car": {"num_layers": 5, "modes": 5, "latent": 20},
        "tiny": {"dim": 8, "modes": 3, "num_layers": 3, "latent": 8},
    },
    "gnot": {
        "tiny": {"dim": 16, "num_layers": 2, "heads": 2, "num_experts": 2, "mlp_layers": 1},
    },
    "htnet": {"tiny": {"dim": 16, "num_layers": 2, "heads": 2, "num_levels": 2, "window": 2}},
    "linearno": {
        "plasticity": {"max_temperature": 0.0},
        "car": {
            "dim": 256,
            "modes": 32,
            "mlp_ratio": 2,
            "min_temperature": 0.1,
            "max_temperature": 2.0,
            "deep_output": True,
        },
        "tiny": {"dim": 16, "num_layers": 2, "heads": 4, "modes": 6},
    },
    "lno": {
        "elasticity": {"dim": 192, "mlp_layers": 3},
        "airfoil": {"num_layers": 8},
        "pipe": {"num_layers": 8},
        "tiny": {"dim": 16, "num_layers": 2, "heads": 4, "modes": 6, "mlp_layers": 1},
    },
    "lrsa": {"tiny": {"dim": 16, "num_layers": 2, "heads": 4, "latents": 6}},
    "lsm": {
        "pipe": {"dim": 48},
        "darcy": {"dim": 64},
        "tiny": {
            "dim": 8,
            "num_scales": 3,
            "heads": 2,
            "num_tokens": 2,
            "num_basis": 3,
            "latent": 8,
            "modes": 3,
        },
    },
    "oformer": {
        "pipe": {"resolution": 129},
        "darcy": {"resolution": 85},
        "tiny": {"dim": 16, "latent_dim": 24, "num_layers": 2, "heads": 2, "resolution": 8},
    },
    "ono": {
        "elasticity": {"attention": "nystrom"},
        "airfoil": {"num_layers": 6, "attention": "nystrom"},
        "pipe": {"attention": "nystrom"},
        "darcy": {"num_layers": 10, "psi_dim": 32, "mlp_ratio": 2, "attention": "nystrom"},
        "tiny": {"dim": 16, "num_layers": 2, "heads": 2, "psi_dim": 4},
    },
    "transolver": {
        "pipe": {"mlp_ratio": 2},
        "darcy": {"reference_points": 8},
        "car": {"dim": 256, "slices": 32, "mlp_ratio": 2},
        "tiny": {"dim": 16, "num_layers": 2, "heads": 4, "slices": 6},
        "demo": {"dim": 32, "num_layers": 4, "heads": 4, "slices": 32},
    },
    "transolver_plus_plus": {
        "darcy": {"reference_points": 8},
        "car": {"dim": 256, "slices": 32, "mlp_ratio": 2},
        "tiny": {"dim": 16, "num_layers": 2, "heads": 4, "slices": 6},
    },
    "ufno": {
        "darcy": {"reference_points": 8},
        "tiny": {"dim": 8, "modes": 3, "fourier_layers": 1, "unet_layers": 1, "num_levels": 1},
    },
    # norms of a grid of one point would be dead
    "uno": {"tiny": {"dim": 8, "modes": 3, "coarse_modes": 2, "padding": 1.0}},
}


def find_preset(name: str, model: str = "llt") -> Preset:
    """The settings of this name. Baselines have their own sizes; all are trained the same way."""
    if name not in PRESETS:
        raise ConfigError(unknown("preset", name, PRESETS))
    return _preset(name, model)


def problem_preset(problem: Problem, model: str = "llt") -> Preset:
    """The settings for a problem of the paper; a user's own has the defaults, whatever its name."""
    return _preset(preset_name(problem), model)


def preset_name(problem: Problem) -> str:
    """That of a problem of the paper; empty for a user's own, even if it is called the same."""
    paper = PROBLEMS.get(problem.name)
    known = paper is not None and (
        (paper.signature, paper.space_dim, paper.grid is None)
        == (problem.signature, problem.space_dim, problem.grid is None)
    )
    return problem.name if known else ""


def _preset(name: str, model: str) -> Preset:
    preset = PRESETS.get(name, OWN)
    if model == "llt":
        return preset
    return Preset(model=BASELINES.get(model, {}).get(name, {}), train=preset.train)
