"""The tables of README and docs, each a function of the records. TABLES has them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llt.bench.accuracy_tables import study, study_problems, study_short
from llt.bench.markdown import Lines, markdown
from llt.bench.matched_table import matched
from llt.bench.memory_table import memory
from llt.bench.model_tables import deviations, models, models_bf16, parity, precision
from llt.bench.parallel_table import one_gpu, parallel
from llt.bench.race_report import TITLES as RACE_TITLES
from llt.bench.race_report import race_rows, verdict
from llt.bench.rate_table import rates
from llt.bench.record import Record, Records
from llt.bench.robustness_tables import fuzz, fuzz_later
from llt.bench.scale_out import scale_out
from llt.bench.service_table import service
from llt.bench.small_report import small_table
from llt.bench.time_tables import cost, large, predictions, solvers, step, versions
from llt.bench.training_tables import (
    CAR_COLUMNS,
    PLASTICITY_COLUMNS,
    ablation,
    paper_trainings,
    resolutions,
    side_by_side,
    trained,
    trainings,
    trials,
)


def race(records: Records) -> Lines:
    """The races, one below the other."""
    lines: Lines = []
    for name, record in _study(records, "race").items():
        found = record.results
        if lines:
            lines.append("")
        about = f"{record.title} (`{name}`, target {found['target']:g})"
        lines += [f"{about}; {verdict(found)}:", "", *markdown(RACE_TITLES, race_rows(found))]
    return lines


def small(records: Records) -> Lines:
    """All cells in one table."""
    cells: dict[str, Any] = {}
    for record in _study(records, "small").values():
        cells |= record.results["cells"]
    return markdown(*small_table(cells)) if cells else []


def trust(records: Records) -> Lines:
    """Shares within bars that claim 90 %, over the splits."""
    rows = []
    for run, found in records["trust/coverage"].results.items():
        every = [*found["points"].items(), ("cases", found["cases"])]
        shares = (f"{100 * row['mean']:.1f} ± {100 * row['std']:.1f} %" for _, row in every)
        counts = f"{found['validation_cases']} and {found['test_cases']}"
        rows.append((run.removeprefix("pretrained:"), counts, *shares))
    return markdown(("problem", "validation and test cases", "of points", "of cases"), rows)


def _study(records: Records, study: str) -> dict[str, Record]:
    """The records of a study; there may be none yet."""
    return {name: record for name, record in records.items() if name.startswith(f"{study}/")}


TABLES: dict[str, Callable[[Records], Lines]] = {
    "trainings": trainings,
    "step": step,
    "predictions": predictions,
    "large": large,
    "solvers": solvers,
    "versions": versions,
    "cost-matched": cost("matched", "N"),
    "cost-problems": cost("problems", "problem"),
    "precision": precision,
    "models": models,
    "parity": parity,
    "models-bf16": models_bf16,
    "deviations": deviations,
    "fuzz": fuzz,
    "fuzz-later": fuzz_later,
    "race": race,
    "small": small,
    "study": study,
    "study-short": study_short,
    "study-problems": study_problems,
    "study-rates": rates,
    "study-sizes": matched,
    "trials-darcy": trials("darcy"),
    "trials-elasticity": trials("elasticity"),
    "trials-airfoil": trials("airfoil"),
    "trials-pipe": trials("pipe"),
    "trials-darcy43": trials("darcy43"),
    "ablation-darcy": ablation("darcy"),
    "ablation-elasticity": ablation("elasticity"),
    "resolutions": resolutions,
    "trainings-paper": paper_trainings,
    "plasticity": side_by_side("plasticity", "h200", PLASTICITY_COLUMNS),
    "plasticity-cpu": side_by_side("plasticity", "cpu", PLASTICITY_COLUMNS),
    "car": side_by_side("car", "h200", CAR_COLUMNS),
    "car-cpu": side_by_side("car", "cpu", CAR_COLUMNS),
    "trust": trust,
    "serve": service,
    "scale-out": scale_out,
    "parallel-cpu": parallel,
    "parallel-h200": one_gpu,
    "memory": memory,
    "trained-airfoil": trained("accuracy/airfoil-h200-best-200-epochs"),
    "trained-airfoil-coordinates": trained(
        "accuracy/airfoil-h200-50-epochs", "accuracy/airfoil-h200-50-epochs-bounding-box"
    ),
    "trained-pipe": trained("accuracy/pipe-h200-best-100-epochs", "accuracy/pipe-h200-50-epochs"),
}
