"""Every model on a small problem: parameters, time per step, error before and after 200 steps.

    python benchmarks/model_table.py [--problem darcy] [--steps 200] [--json FILE]
    python benchmarks/model_table.py --problem elasticity --published --models llt,transolver

64 samples of Darcy (29 x 29) or Elasticity, all models small and trained the same way: AdamW,
OneCycle to 3e-3, batches of 8. The errors are over the 64 training samples: the table shows that
a model learns, not how well it predicts. Sizes were chosen on the same samples and seed.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from record import write_record

from llt.data.collate import collate
from llt.data.dataset import Dataset, Sample
from llt.data.neighbors import training_radius
from llt.data.normalizer import Normalizer
from llt.data.sources import DeviceSource
from llt.data.splits import Splits
from llt.models import MODELS, build_model, needs
from llt.presets import find_preset
from llt.problem import DARCY, ELASTICITY
from llt.solvers.generate import Job, make_settings, solve_one
from llt.surrogate import Surrogate
from llt.training.config import TrainConfig
from llt.training.step import TrainingStep
from llt.training.validation import sample_errors

SAMPLES, BATCH, LR = 64, 8, 3e-3
SIZES = {
    "factformer": {"dim": 32, "num_layers": 2, "heads": 4, "head_dim": 16},
    "ffno": {"dim": 16, "modes": 6, "num_layers": 4, "latent": 16},
    "flare": {"dim": 32, "num_layers": 3, "heads": 4, "latents": 32},
    "fno": {"dim": 16, "modes": 6, "num_layers": 4},
    "galerkin": {"dim": 32, "num_layers": 3, "heads": 4},
    "geofno": {"dim": 16, "modes": 6, "num_layers": 3, "latent": 16},
    "gnot": {"dim": 32, "num_layers": 2, "heads": 4, "num_experts": 2},
    "htnet": {"dim": 32, "num_layers": 2, "heads": 4, "num_levels": 2, "window": 4},
    "linearno": {"dim": 64, "num_layers": 3, "heads": 4, "modes": 16},
    "llt": {"dim": 64, "num_layers": 3, "heads": 4},
    "lno": {"dim": 64, "num_layers": 1, "heads": 4, "modes": 64},
    "lrsa": {"dim": 32, "num_layers": 6, "heads": 4, "latents": 16},
    "lsm": {"dim": 16, "num_scales": 3, "heads": 4},
    "oformer": {"dim": 32, "latent_dim": 48, "num_layers": 3, "heads": 4, "head_dim": 16},
    "ono": {"dim": 32, "num_layers": 3, "heads": 4},
    "transolver": {"dim": 32, "num_layers": 3, "heads": 4, "slices": 16, "reference_points": 8},
    "transolver_plus_plus": {
        "dim": 64, "num_layers": 3, "heads": 4, "slices": 16, "reference_points": 8,
    },
    "ufno": {"dim": 12, "modes": 6, "fourier_layers": 1, "unet_layers": 2},
    "uno": {"dim": 8, "modes": 6, "coarse_modes": 3},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problem", choices=("darcy", "elasticity"), default="darcy")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--models", default="", help="some of them, as llt,fno")
    parser.add_argument("--published", action="store_true", help="the problem's preset sizes")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    data = small_dataset(args.problem)
    sizes, results = SIZES, {}
    if args.published:
        sizes = {name: dict(find_preset(args.problem, name).model) for name in MODELS}
    print("model                 parameters  ms/step  before   after  after/before")
    for name in args.models.split(",") if args.models else MODELS:
        if needs(data.problem) <= MODELS[name].supports:
            results[name] = row = train_small(name, sizes[name], data, args.steps)
            print(
                f"{name:<22}{row['parameters']:>10,}{row['milliseconds per step']:>9.1f}"
                f"{row['before']:>8.3f}{row['after']:>8.3f}{row['after'] / row['before']:>10.0%}",
                flush=True,
            )
    if args.json:
        settings = {"steps": args.steps, "batch size": BATCH, "lr": LR, "sizes": sizes}
        write_record(args.json, {"data hash": data.hash, **settings, "models": results})


def small_dataset(name: str) -> Dataset:
    words = {"resolution": 29, "stored_resolution": 29} if name == "darcy" else {}
    job = Job.of(name, 0, make_settings(name, words))
    problem = {"darcy": DARCY, "elasticity": ELASTICITY}[name]
    samples = []
    for index in range(SAMPLES):
        solution = solve_one(job, index)
        points = solution.points.reshape(-1, 2)
        fields = [solution.inputs[field].ravel() for field in problem.input_names]
        inputs = np.stack(fields, axis=-1) if fields else np.empty((len(points), 0))
        outputs = solution.outputs[problem.output_names[0]].reshape(-1, 1)
        samples.append(Sample(points, inputs, outputs))
    if problem.grid:
        problem = replace(problem, grid=(29, 29))
    return collate(problem, samples, Splits.consecutive(SAMPLES, 0, 0))


def train_small(name: str, sizes: dict[str, Any], data: Dataset, steps: int) -> dict[str, float]:
    torch.manual_seed(0)
    network = build_model(name, data.problem, **sizes)
    radius = training_radius(data) if network.max_neighbors else None
    surrogate = Surrogate(network, Normalizer.fit(data), radius)
    part = DeviceSource(
        data,
        data.split("train"),
        torch.device("cpu"),
        radius=radius,
        max_neighbors=network.max_neighbors,
    )
    epochs = -(-steps * BATCH // SAMPLES)
    config = TrainConfig(epochs=epochs, batch_size=BATCH, lr=LR)
    step = TrainingStep(surrogate, part, config)
    before = sample_errors(surrogate, part).total.mean().item()
    start = perf_counter()
    for epoch in range(epochs):
        step.start_epoch(epoch)
        network.train()
        for _ in range(step.steps_per_epoch):
            step()
    seconds = perf_counter() - start
    return {
        "parameters": sum(p.numel() for p in network.parameters()),
        "milliseconds per step": seconds / (epochs * step.steps_per_epoch) * 1e3,
        "before": before,
        "after": sample_errors(surrogate, part).total.mean().item(),
    }


if __name__ == "__main__":
    main()
