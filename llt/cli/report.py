"""Write the report of a run, or of two side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from llt.cli.options import DEVICE
from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.evaluation.metrics import Evaluation


def run(
    runs: list[Path] = typer.Argument(..., help="A run folder, or two of the same data."),
    out: Path | None = typer.Option(
        None,
        "-o",
        "--out",
        help="The page to write.  [default: RUN/report.html; of two, RUN1/comparison.html]",
        show_default=False,
    ),
    data: Path | None = typer.Option(None, help="The runs' dataset file, where it has moved."),
    device: str = DEVICE,
) -> None:
    """Write a page: a verdict, errors by field, pictures, curves, how to use it, with the
    model card RUN/README.md; or two runs side by side.
    """
    from llt.runtime.device import find_device

    if len(runs) > 2:
        raise ConfigError(f"{len(runs)} runs: llt report takes one, or two to put side by side")
    found = [_evaluated(run, device, data) for run in runs]
    where = str(find_device(device))
    if len(runs) == 1:
        from llt.evaluation.report import write_report
        from llt.model_card import write_model_card

        print(write_report(runs[0], found[0], where, data, out))
        write_model_card(runs[0], found[0], data)
        return
    from llt.evaluation.comparison import Comparison
    from llt.evaluation.comparison_report import write_comparison
    from llt.evaluation.finished import FinishedRun

    read = (FinishedRun.read(*pair, where, data) for pair in zip(runs, found, strict=True))
    print(write_comparison(Comparison(*read), out or runs[0] / "comparison.html"))


def _evaluated(run: Path, device: str, data: Path | None) -> Evaluation:
    """What the run keeps, where it is of its weights; else found out now, and kept."""
    from llt.checkpoint import checkpoint_folder, read_weights
    from llt.errors import CheckpointError
    from llt.evaluation.kept import keep_evaluation, kept_evaluation
    from llt.evaluation.metrics import evaluate
    from llt.training.folder import read_data_record

    evaluation = kept_evaluation(run)
    if evaluation is None or evaluation.checkpoint != read_weights(checkpoint_folder(run))[1]:
        evaluation = evaluate(run, device=device, data_path=data)
        if evaluation.data_hash != read_data_record(run)["hash"]:
            raise CheckpointError(f"{run}: was not trained on {data}; a report is of its own data")
        keep_evaluation(run, evaluation)
    return evaluation
