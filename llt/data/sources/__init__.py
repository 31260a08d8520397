"""Where batches come from: the device, host memory, or the dataset's file."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sources.base import Size, Source
from llt.data.sources.device import DeviceSource
from llt.data.sources.streamed import StreamedSource
from llt.data.sources.thinned import ThinnedSource
from llt.errors import ConfigError, unknown
from llt.runtime.device import free_memory

__all__ = [
    "PLACES",
    "DeviceSource",
    "Size",
    "Source",
    "StreamedSource",
    "ThinnedSource",
    "open_source",
]

PLACES = ("auto", "device", "host", "file")
SHARE = 0.5  # of the free memory that data may take


def open_source(
    data: Dataset,
    indices: NDArray[np.int64],
    device: torch.device,
    *,
    radius: float | None = None,
    max_neighbors: int = 0,
    among: int = 0,
    where: str = "auto",
) -> Source:
    """Samples of a dataset for a device, kept `where`: as near as they fit, if that is "auto"."""
    if where not in PLACES:
        raise ConfigError(unknown("place for the data", where, PLACES))
    if where == "auto":
        where = _nearest(data, indices, device, max_neighbors)
    if where == "file" and data.file is None:
        raise ConfigError(f"{data.problem.name}: the data are in memory already; use host")
    if where == "host":
        data = data.load()
    kind = DeviceSource if where == "device" else StreamedSource
    return kind(data, indices, device, radius=radius, max_neighbors=max_neighbors, among=among)


def _nearest(
    data: Dataset, indices: NDArray[np.int64], device: torch.device, max_neighbors: int
) -> str:
    samples = len(indices) * int(data.counts[indices].max())  # padded
    per_point = data.num_bytes / int(data.counts.sum()) + 4 * max_neighbors
    if samples * per_point <= SHARE * free_memory(device):
        return "device"
    if data.file is None or data.num_bytes <= SHARE * free_memory(torch.device("cpu")):
        return "host"
    return "file"
