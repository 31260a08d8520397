"""Look at cases in the browser."""

from __future__ import annotations

from pathlib import Path

import typer

from llt.cli.options import DEVICE
from llt.errors import ConfigError

GRACE = 1.0  # seconds for answers that are on their way when the server is stopped


def run(
    path: Path = typer.Argument(
        ..., help="A run, a dataset, pretrained:NAME, or a file with a mesh such as out.vtu."
    ),
    host: str = typer.Option("127.0.0.1", help="Address to listen at; others can then look on."),
    port: int = typer.Option(0, help="0 takes a free one."),
    split: str = typer.Option("test", help="train, val or test: the cases shown first."),
    data: Path | None = typer.Option(None, help="Another dataset file of the run's problem."),
    device: str = DEVICE,
    browser: bool = typer.Option(True, "--browser/--no-browser", help="Open the page."),
) -> None:
    """Look at cases in the browser: truth, prediction, error; live problems to change by hand."""
    if split not in ("train", "val", "test"):
        raise ConfigError(f"--split {split}: must be train, val or test")
    from llt.serve.server import address, bind
    from llt.serve.server import run as serve
    from llt.view.application import make_app
    from llt.view.opening import open_scene

    with bind(host, port) as socket:
        scene = open_scene(path, split=split, data=data, device=device)
        try:
            where = address(socket)
            app = make_app(scene, frozenset({host}))
            serve(app, socket, grace=GRACE, ready=lambda: _ready(where, browser))
        finally:
            scene.close()


def _ready(where: str, browser: bool) -> None:
    from llt.cli.display import say

    print(where, flush=True)
    say("Ctrl-C ends")
    if browser:
        _open(where)


def _open(where: str) -> None:
    """In a browser with windows: one inside the terminal could not show the page."""
    import os
    import sys
    import webbrowser
    from threading import Thread

    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        return
    Thread(target=webbrowser.open, args=(where,), daemon=True).start()
