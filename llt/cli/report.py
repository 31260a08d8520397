"""Write the report of a run."""

from __future__ import annotations

from pathlib import Path

import typer


def run(
    run: Path = typer.Argument(..., help="A run folder."),
    data: Path | None = typer.Option(None, help="The run's dataset file, where it has moved."),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
) -> None:
    """Write RUN/report.html: a verdict, errors by field, pictures, curves, and how to use it; and
    RUN/README.md, the model card."""
    from llt.checkpoint import checkpoint_folder, read_weights
    from llt.errors import CheckpointError
    from llt.evaluation.kept import keep_evaluation, kept_evaluation
    from llt.evaluation.metrics import evaluate
    from llt.evaluation.report import write_report
    from llt.model_card import write_model_card
    from llt.runtime.device import find_device
    from llt.training.folder import read_data_record

    evaluation = kept_evaluation(run)
    if evaluation is None or evaluation.checkpoint != read_weights(checkpoint_folder(run))[1]:
        evaluation = evaluate(run, device=device, data_path=data)
        if evaluation.data_hash != read_data_record(run)["hash"]:
            raise CheckpointError(f"{run}: was not trained on {data}; a report is of its own data")
        keep_evaluation(run, evaluation)
    print(write_report(run, evaluation, str(find_device(device)), data))
    write_model_card(run, evaluation, data)
