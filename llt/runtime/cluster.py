"""A Dask cluster as an executor: processes on other machines that work for this one.

Dask is an optional dependency. It gives the work of a worker that dies to another one by itself.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from llt import __version__
from llt.errors import ConfigError, SolverError

PATIENCE = 5.0  # seconds for a scheduler to answer
TALKATIVE = ("distributed", "distributed.client", "tornado.application")


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """The cluster whose scheduler listens at an address, as tcp://10.0.0.1:8786."""
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise ConfigError('--dask needs Dask: pip install "llt[cluster]"') from None
    _check_scheduler(address)
    with _quiet(), Client(address, timeout=PATIENCE, set_as_default=False) as client:
        _check_versions(client)
        try:
            yield client.get_executor(pure=False)
        except KilledWorker as error:
            raise SolverError(
                f"--dask {address}: workers died, as when memory runs out: {error}; finished "
                "samples are kept, run the command again with --resume"
            ) from None


def _check_scheduler(address: str) -> None:
    """Refuse what is no scheduler: Dask's client would wait for some of these without end."""
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> Any:
        args = Security().get_connection_args("client")
        async with rpc(address, timeout=PATIENCE, connection_args=args) as found:
            return await found.identity()

    async def ask_in_time() -> Any:
        return await asyncio.wait_for(ask(), PATIENCE)

    try:
        kind = asyncio.run(ask_in_time())["type"]
    except Exception as error:  # any program may listen there, and send anything
        late = isinstance(error, TimeoutError)
        reason = f"nothing within {PATIENCE:.0f} s" if late else error or type(error).__name__
        raise ConfigError(
            f"--dask {address}: no Dask scheduler answers there ({reason}); expected the address "
            "of one that runs, as tcp://10.0.0.1:8786"
        ) from error
    if kind != "Scheduler":
        raise ConfigError(f"--dask {address}: is a {kind}; give the address of its scheduler")


def _check_versions(client: Any) -> None:
    """Refuse other versions of llt; workers that come later are on their own."""
    try:
        found = {"scheduler": client.run_on_scheduler(_installed)}  # it unpacks the work, too
    except (ImportError, AttributeError, RuntimeError) as error:
        found = {"scheduler": error}
    workers = client.run(_installed, on_error="return")
    if not workers:
        warnings.warn("the Dask cluster has no workers yet; waiting for them", stacklevel=4)
    for name, version in {**found, **workers}.items():
        if version != __version__:
            raise ConfigError(
                f"--dask: llt {__version__}, as it is here, must be installed there; "
                f"{name} has {version}"
            )


def _installed() -> str:
    return __version__


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is told in a line of ours, not in many of Dask's."""
    loggers = [logging.getLogger(name) for name in TALKATIVE]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
