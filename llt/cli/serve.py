"""Answer requests over HTTP."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import DEVICE


def run(
    runs: list[str] = typer.Argument(..., help="Runs, checkpoints, or pretrained:NAME."),
    host: str = typer.Option("127.0.0.1", help="The address to listen at; others need a token."),
    port: int = typer.Option(8000, help="The port; 0 takes one that is free."),
    token_file: Path | None = typer.Option(
        None, help="A file with the token that requests must have; else LLT_TOKEN, if it is set."
    ),
    max_body: float = typer.Option(32.0, help="MiB that a request may have."),
    timeout: float = typer.Option(60.0, help="Seconds for a body to come, and for an answer."),
    concurrency: int = typer.Option(64, help="Requests at the same time; others are told to wait."),
    device: str = DEVICE,
) -> None:
    """Serve runs over HTTP: POST /predict with npz, JSON or files as trained on."""
    import os

    from llt.cli.display import say
    from llt.errors import ConfigError
    from llt.runtime.limits import VARIABLE
    from llt.serve.access import check_exposed, find_token, is_loopback
    from llt.serve.app import Service, Settings
    from llt.serve.served import load_runs
    from llt.serve.server import address, bind
    from llt.serve.server import run as serve

    if not (0 < max_body <= 2**14 and 0 < timeout <= 3600 and 0 < concurrency <= 400):
        raise ConfigError(
            "--max-body is above 0 and at most 16384, --timeout at most 3600, --concurrency 400"
        )
    token = find_token(token_file)
    check_exposed(host, token)
    size = int(max_body * 2**20)
    settings = Settings(
        max_body=size,
        seconds=timeout,
        concurrency=concurrency,
        token=token,
        own_pages=is_loopback(host),
    )
    with bind(host, port) as sock:  # before the runs are loaded, which takes longer
        service = Service(load_runs(runs, device), settings)
        os.environ.setdefault(VARIABLE, str(max(4 * size, 2**24)))
        line = (
            f"{', '.join(service.runs)} at {address(sock)}; /schema says how to ask, Ctrl-C stops"
        )
        serve(service.application(), sock, grace=timeout, ready=lambda: say(line))
    say("stopped")
