"""Tables of trainings and of what the recipe's parts are worth, each a function of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from statistics import fmean
from typing import Any

from llt.bench.figures import TITLES
from llt.bench.markdown import Lines, markdown
from llt.bench.paper_errors import PAPER_ERRORS
from llt.bench.record import Record, Records

PROBLEMS = ("darcy", "elasticity", "airfoil", "pipe")


def trainings(records: Records) -> Lines:
    """The recipe `best`: a row for each number of epochs, the mean of its seeds."""
    rows = []
    for name in PROBLEMS:
        paper = f"{PAPER_ERRORS['llt'][name]:.4f}"
        found = groupby(_best(records, name), key=_epochs_of)
        rows += [(name.title(), *_trainings([*group]), paper) for _, group in found]
    titles = ("problem", "epochs", "test error", "symmetrized", "on the training set")
    return markdown((*titles, "mean field", "paper, 500 epochs"), rows)


def _best(records: Records, problem: str) -> list[Record]:
    """Trainings on one resolution, the shortest first."""
    found = (r for name, r in records.items() if name.startswith(f"accuracy/{problem}-h200-best"))
    return sorted((r for r in found if "resolutions" not in r.title), key=_epochs_of)


def _epochs_of(record: Record) -> int:
    return int(record.settings["train"]["epochs"])


def _trainings(group: list[Record]) -> tuple[str, ...]:
    def mean(values: Iterable[float | None], digits: int = 5) -> str:
        known = [value for value in values if value is not None]
        return f"{fmean(known):.{digits}f}" if len(known) == len(group) else ""

    evaluations = [record.results["evaluation"] for record in group]
    seeds = f", {len(group)} seeds" if len(group) > 1 else ""
    return (
        f"{_epochs_of(group[0])}{seeds}",
        mean(found["relative_l2"] for found in evaluations),
        mean(found["symmetrized"]["relative_l2"] for found in evaluations),
        mean(record.results.get("train_error") for record in group),
        mean((found["mean_field_error"] for found in evaluations), 3),
    )


def resolutions(records: Records) -> Lines:
    """One model on grids that it was trained on and others, beside the floor for each."""
    record = records["accuracy/darcy-h200-best-resolutions-200-epochs"]
    trained = record.settings["train"]["resolutions"]
    return markdown(
        ("grid", "trained on", "test error", "predicted at 85 x 85 and resampled"),
        (
            (
                f"{row['resolution']} x {row['resolution']}",
                "yes" if row["resolution"] in trained else "no",
                f"{row['relative_l2']:.5f}",
                f"{row['resampled']:.5f}",
            )
            for row in record.results["evaluation"]["resolutions"]
        ),
    )


def paper_trainings(records: Records) -> Lines:
    """The paper's recipe, and what was added to it on the way to `best`."""
    rows = {
        "Darcy": "darcy-h200-100-epochs",
        "Darcy, fp16, fused kernels": "darcy-h200-500-epochs",
        "Darcy, the square's eight symmetries as augmentation": "darcy-h200-100-epochs-augmented",
        "Darcy, symmetries, Muon, derivative term": "darcy-h200-muon-derivative-50-epochs",
        "the same with a 5 x 5 local kernel": "darcy-h200-muon-derivative-kernel-5-120-epochs",
        "Elasticity": "elasticity-h200-50-epochs",
        "Airfoil": "airfoil-h200-50-epochs",
        "Pipe": "pipe-h200-50-epochs",
    }
    found = {name: records[f"accuracy/{record}"] for name, record in rows.items()}
    return markdown(
        ("problem", "epochs", "test error"),
        (
            (name, str(_epochs_of(r)), f"{r.results['evaluation']['relative_l2']:.4f}")
            for name, r in found.items()
        ),
    )


def trained(*names: str) -> Callable[[Records], Lines]:
    """One problem in detail, a column per record."""

    def table(records: Records) -> Lines:
        columns = [_trained(records[name]) for name in names]
        rows = [(title, *(column[title] for column in columns)) for title in columns[0]]
        return markdown(("relative L2", *(f"`{name}`" for name in names)), rows)

    return table


def _trained(record: Record) -> dict[str, str]:
    found = record.results["evaluation"]
    best = min(record.results["metrics"], key=lambda row: row["val_error"])
    return {
        "test error": f"{found['relative_l2']:.4f}",
        "median, worst of 200": f"{found['median']:.4f}, {found['worst']:.4f}",
        "validation error of the weights kept": f"{best['val_error']:.4f} (epoch {best['epoch']})",
        "mean field of the training set": f"{found['mean_field_error']:.4f}",
    }


Column = Callable[[dict[str, Any]], str]  # of an evaluation


def side_by_side(
    problem: str, device: str, columns: dict[str, Column]
) -> Callable[[Records], Lines]:
    """Networks trained beside each other on the same data; seconds of a shared GPU say nothing."""

    def table(records: Records) -> Lines:
        rows = []
        for name, record in records.items():
            if not name.startswith(f"accuracy/{problem}-{device}-"):
                continue
            found, settings = record.results["evaluation"], record.settings
            minutes = f"{record.results['training_seconds'] / 60:.0f}"
            rows.append(
                (
                    TITLES[settings["model"]["name"]],
                    f"{found['parameters']:,}",
                    str(settings["train"]["epochs"]),
                    *([minutes] if device == "cpu" else []),
                    *(column(found) for column in columns.values()),
                )
            )
        budget = ["epochs", "minutes"] if device == "cpu" else ["epochs"]
        return markdown(("model", "parameters", *budget, *columns), rows)

    return table


def of_vector(name: str) -> Column:
    return lambda found: f"{found['vectors'][name]['relative_l2']:.4f}"


def of_number(name: str, what: str, digits: int) -> Column:
    return lambda found: f"{found['derived'][name][what]:.{digits}f}"


PLASTICITY_COLUMNS: dict[str, Column] = {
    "all outputs": lambda found: f"{found['relative_l2']:.5f}",
    "displacements alone": of_vector("u"),
    "displacements at the last frame": lambda f: f"{f['times'][-1]['vectors']['u']:.4f}",
    "worst sample, all outputs": lambda found: f"{found['worst']:.5f}",
    "mean field": lambda found: f"{found['mean_field_error']:.4f}",
}
CAR_COLUMNS: dict[str, Column] = {
    "velocity of the air": of_vector("velocity off surface"),
    "pressure on the surface": lambda f: f"{f['fields']['pressure']['relative_l2']:.4f}",
    "drag": of_number("drag", "relative_error", 3),
    "rank correlation of the drag": of_number("drag", "rank_correlation", 3),
}


def trials(problem: str) -> Callable[[Records], Lines]:
    """What parts of the recipe do to the validation error of a problem, longer trainings last."""

    def table(records: Records) -> Lines:
        rows = [
            (row["epochs"], _settings(row["settings"]), f"{row['validation']:.5f}")
            for row in records["recipe/trials-h200"].results["trials"]
            if row["problem"] == problem and row["trained"] == row["epochs"]
        ]
        titles = ("epochs", "settings besides the paper's", "validation error")
        return markdown(titles, ((str(epochs), *row) for epochs, *row in sorted(rows, key=_epochs)))

    return table


def ablation(problem: str) -> Callable[[Records], Lines]:
    """The recipe without one of its parts at a time, the part that is missed most first."""

    def table(records: Records) -> Lines:
        found = records["recipe/ablation-h200"].results[problem]
        whole = fmean(found["whole"])
        rows = [("nothing", f"{whole:.5f}", "")]
        for part, error in sorted(found["without"].items(), key=lambda item: -item[1]):
            rows.append((part, f"{error:.5f}", f"{100 * (error / whole - 1):+.0f} %"))
        return markdown(("without", "validation error", "change"), rows)

    return table


def _epochs(row: tuple[Any, ...]) -> Any:
    return row[0]


def _settings(settings: dict[str, str]) -> str:
    words = (f"{name.partition('.')[2]}={value}" for name, value in settings.items())
    return ", ".join(word.removesuffix("=true") for word in words)
