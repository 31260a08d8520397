"""From nothing to a trained surrogate and its report, in minutes on a CPU."""

from __future__ import annotations

from pathlib import Path

import typer

FOLDER = Path("runs/demo")
RECIPE = "best"


def run(
    out: Path = typer.Option(FOLDER, help="The run folder."),
    num: str = typer.Option("300,50,50", help="Samples: TRAIN,VAL,TEST."),
    epochs: int = typer.Option(18, help="Epochs of training."),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
) -> None:
    """Generate Darcy flows, train LLT on them, evaluate it and write a report."""
    import time
    from dataclasses import replace

    from llt.cli.display import counting, say, training
    from llt.cli.evaluate import show, study_resolutions
    from llt.cli.generate import parse_counts
    from llt.evaluation.metrics import evaluate
    from llt.evaluation.report import write_report
    from llt.generation import generate_file
    from llt.problem import DARCY
    from llt.recipes import recipe_preset
    from llt.runtime.device import find_device
    from llt.runtime.files import write_json
    from llt.training.run import train

    start = time.monotonic()
    counts = parse_counts(num)
    _move_aside(out)
    say("1/4 Darcy flow: random media, solved with the reference solver")
    data = out.with_name(out.name + "-data.h5")
    generate_file(
        "darcy",
        data,
        counts=counts,
        resume=True,
        force=True,
        settings={"resolution": 169, "stored_resolution": 43},
        progress=counting,
    )
    preset = recipe_preset(RECIPE, DARCY, preset="demo")
    say(f"2/4 training LLT for {epochs} epochs")
    with training() as listener:
        train(
            data,
            out,
            model_settings=preset.model,
            config=replace(preset.train, epochs=epochs),
            recipe=RECIPE,
            device=device,
            listener=listener,
        )
    say("3/4 evaluating on samples it has never seen")
    evaluation = evaluate(out, device=device)
    evaluation.resolutions = study_resolutions(out, [29, 43, 57, 85], 20, device)
    write_json(out / "evaluation.json", evaluation.to_dict())
    show(evaluation)
    report = write_report(out, evaluation, str(find_device(device)))
    say(f"4/4 done in {time.monotonic() - start:.0f} s; open {report}")


def _move_aside(out: Path) -> None:
    """An earlier demo is kept under another name."""
    if not out.exists():
        return
    number = 1
    while (older := out.with_name(f"{out.name}.{number}")).exists():
        number += 1
    out.rename(older)
