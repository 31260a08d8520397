"""Samples that do not fit on the device: read ahead by a thread, copied there step by step.

They stay in the dataset: in host memory, or in its file. On the device are only buffers of one
batch for every size, always the same, so that a captured step can read from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.batch import Batch
from llt.data.dataset import Dataset
from llt.data.neighbors import Graph
from llt.data.sources.base import Size, Source

AHEAD = 3  # batches that wait to be used
PATIENCE = 0.1  # seconds between two looks at whether to stop


class StreamedSource(Source):
    """Once `stage` has been called, `batch` gives what was staged last."""

    def __init__(
        self,
        data: Dataset,
        indices: NDArray[np.int64],
        device: torch.device,
        *,
        radius: float | None = None,
        max_neighbors: int = 0,
        among: int = 0,
    ) -> None:
        super().__init__(
            data, indices, device, radius=radius, max_neighbors=max_neighbors, among=among
        )
        self._reader = _Reader(data, indices, self._graphs, pin=device.type == "cuda")
        self._buffers: dict[Size, Batch] = {}
        self._staged = False
        self._coming: _Prefetch | None = None

    def batch(self, items: Tensor, size: Size = None) -> Batch:
        if self._staged and size in self._buffers:
            return self._buffers[size]
        batch = self._on_device(self._reader.read(items.cpu().numpy(), size))
        if self._staged:  # a step is recorded before the first epoch: its buffers come to be here
            self._buffers[size] = batch
        return batch

    def schedule(self, order: NDArray[np.int64], sizes: Sequence[Size]) -> None:
        self.close()
        self._coming = _Prefetch(self._reader, zip(order, sizes, strict=True))

    def stage(self, size: Size = None) -> None:
        self._staged = True
        if self._coming is None:
            return
        batch = self._coming.take()
        if size not in self._buffers:
            self._buffers[size] = self._on_device(batch)
            return
        buffers, fresh = _tensors(self._buffers[size]), _tensors(batch)
        for name, tensor in fresh.items():
            buffers[name].copy_(tensor, non_blocking=True)

    def close(self) -> None:
        """End the reading ahead."""
        if self._coming is not None:
            self._coming.stop()
            self._coming = None

    def __del__(self) -> None:
        if getattr(self, "_coming", None) is not None:
            self.close()

    def _on_device(self, batch: Batch) -> Batch:
        moved: dict[str, Any] = {
            name: tensor.to(self.device, non_blocking=True)
            for name, tensor in _tensors(batch).items()
        }
        masks = {name: moved.pop(f"masks/{name}") for name in batch.masks}
        if self.mesh is not None:
            moved["x"] = self.mesh.expand(len(batch.u), -1, -1)
        return replace(batch, masks=masks, **moved)


class _Reader:
    """Batches in host memory. Apart from the source, so that no thread keeps that alive."""

    def __init__(
        self, data: Dataset, indices: NDArray[np.int64], graphs: Graph | None, *, pin: bool
    ) -> None:
        self.data, self.indices, self.graphs, self.pin = data, indices, graphs, pin
        self.num_times = 1 if data.times is None else len(data.times)
        self.longest = int(data.counts[indices].max())

    def read(self, items: NDArray[np.int64], size: Size) -> Batch:
        """Items padded to so many points; x is left empty where all samples share it."""
        assert not isinstance(size, tuple)  # strides are for `ThinnedSource`
        data, size = self.data, size or self.longest
        rows, moments = items // self.num_times, items % self.num_times
        timed = data.times is not None
        samples = [
            data.sample(int(self.indices[row]), int(moment) if timed else None)
            for row, moment in zip(rows, moments, strict=True)
        ]

        def padded(arrays: list[NDArray[Any]]) -> Tensor:
            whole = np.zeros((len(arrays), size, *arrays[0].shape[1:]), arrays[0].dtype)
            for row, array in enumerate(arrays):
                whole[row, : len(array)] = array
            return self._tensor(whole)

        neighbors, mask, t = None, None, None
        if self.graphs is not None:
            neighbors = self._tensor(np.stack([self.graphs[row, :size] for row in rows]))
        if data.ragged:
            counts = np.array([[len(sample.points)] for sample in samples])
            mask = self._tensor(np.arange(size) < counts)
        if data.times is not None and data.problem.timed:
            t = self._tensor(data.times.astype(np.float32)[moments])
        shared = data.shared_points
        return Batch(
            x=torch.empty(0) if shared else padded([sample.points for sample in samples]),
            a=padded([sample.given for sample in samples]),
            u=padded([sample.outputs for sample in samples]),
            t=t,
            neighbors=neighbors,
            mask=mask,
            masks={
                name: padded([sample.masks[name] for sample in samples])
                for name in data.problem.mask_names
            },
            grid=data.problem.grid,
        )

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        tensor = torch.from_numpy(array)
        return tensor.pin_memory() if self.pin else tensor


class _Prefetch:
    """A thread that reads the coming batches, a few ahead of their use."""

    def __init__(
        self, reader: _Reader, questions: Iterable[tuple[NDArray[np.int64], Size]]
    ) -> None:
        self._ready: Queue[Batch | BaseException] = Queue(AHEAD)
        self._stopped = Event()
        self._thread = Thread(target=self._run, args=(reader, questions), daemon=True)
        self._thread.start()

    def take(self) -> Batch:
        """The next batch; what went wrong in reading it is raised here."""
        result = self._ready.get()
        if isinstance(result, BaseException):
            raise result
        return result

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self, reader: _Reader, questions: Iterable[tuple[Any, Size]]) -> None:
        try:
            for items, size in questions:
                if not self._put(reader.read(items, size)):
                    return
            self._put(IndexError("all scheduled batches are taken"))
        except BaseException as error:
            self._put(error)

    def _put(self, result: Batch | BaseException) -> bool:
        while not self._stopped.is_set():
            try:
                self._ready.put(result, timeout=PATIENCE)
                return True
            except Full:
                pass
        return False


def _tensors(batch: Batch) -> dict[str, Tensor]:
    """The tensors of a batch by name, without coordinates that are not its own."""
    named = {name: getattr(batch, name) for name in ("x", "a", "u", "t", "neighbors", "mask")}
    masks = {f"masks/{name}": mask for name, mask in batch.masks.items()}
    return {name: z for name, z in (named | masks).items() if z is not None and z.numel()}
