"""`llt bench serve`: the service under load."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import FORCE, refuse_existing


def serve(
    run: str = typer.Argument("pretrained:elasticity", help="A run, or pretrained:NAME."),
    clients: int = typer.Option(32, min=1, help="At the same time."),
    seconds: float = typer.Option(60.0, min=1.0, help="Of many clients; one has a quarter."),
    points: int = typer.Option(972, min=1, help="Of a case, on point sets."),
    device: str = typer.Option("auto", help="auto, cpu or cuda; of the service."),
    out: Path = typer.Option(Path("runs/serve/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Ask a service on this machine: one client, then many beside such as misbehave."""
    from llt.bench.misuse import misuses
    from llt.bench.record import new_record, write_record
    from llt.bench.service import measure_service
    from llt.cli.display import say, show
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    settings = {"run": run, "clients": clients, "seconds": seconds, "points": points}
    found = measure_service(run, device, clients=clients, seconds=seconds, points=points, tell=say)
    for who in ("one", "many"):
        row = found[who]
        times = ", ".join(f"{name} {value:.0f} ms" for name, value in row["milliseconds"].items())
        show(f"{who}: {row['per_second']:.1f} requests a second, {times}, {row['statuses']}")
    memory = ", ".join(f"{name} {value:.0f}" for name, value in found["memory_mib"].items())
    show(f"requests in a batch: {found['mean_batch']:.1f}; MiB of the service: {memory}")
    for kind, statuses in found["misuse"].items():
        show(f"{kind}: {statuses}, {misuses()[kind][-1]} is right")
    title = f"{clients} clients of llt serve on loopback, {seconds:g} s, {run}"
    write_record(out, new_record("serve", title, find_device(device), found, settings))
    say(f"{out}: the record")
