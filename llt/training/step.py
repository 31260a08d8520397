"""One training step: gather, augment, forward, loss, backward, clip, update.

All it reads and writes are tensors on the device, counters included. So the same code runs step
by step (eager) or is captured once in a CUDA graph and replayed, which matters where launching
kernels costs more than running them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.augmentation import Augmentation
from llt.data.batch import Batch
from llt.data.sources import Source
from llt.runtime.device import autocast
from llt.surrogate import Surrogate
from llt.training.config import TrainConfig
from llt.training.epoch_order import Table, epoch_order
from llt.training.loss import relative_l2
from llt.training.optimizer import FlatAdam, LossScale

NUM_BUCKETS = 4


class TrainingStep:
    """Call it once per step; `start_epoch` lays out the order of the coming steps."""

    def __init__(self, surrogate: Surrogate, data: Source, config: TrainConfig) -> None:
        self.surrogate, self.data, self.config = surrogate, data, config
        self.batch_size = min(config.batch_size, data.num_items)
        self.steps_per_epoch = data.num_items // self.batch_size
        self.augmentation = Augmentation(data) if config.augment else None
        device = data.device
        self.optimizer = FlatAdam(
            surrogate.model,
            config,
            config.epochs * self.steps_per_epoch,
            LossScale(device) if device.type == "cuda" and config.precision == "fp16" else None,
        )
        plan_shape = (self.steps_per_epoch, self.batch_size)
        self.items = torch.zeros(plan_shape, dtype=torch.long, device=device)
        self.symmetries = torch.zeros_like(self.items)
        self.position = torch.zeros(1, dtype=torch.long, device=device)  # step within the epoch
        self.count = torch.zeros(1, dtype=torch.long, device=device)  # step within the run
        self.loss_sum = torch.zeros(1, device=device)  # over the epoch so far
        self.forward_loss: Callable[[Batch], Tensor] = self._loss
        self._sizes = bucket_sizes(data.counts)
        self._buckets: list[int | None] = []  # of the coming steps of the epoch, last one first
        self._graphs: dict[int | None, torch.cuda.CUDAGraph] = {}

    def start_epoch(self, epoch: int, position: int = 0) -> None:
        symmetries = self.augmentation.num_symmetries if self.augmentation else 1
        tables = epoch_order(
            self.config.seed,
            epoch,
            num_items=self.data.num_items,
            batch_size=self.batch_size,
            num_symmetries=symmetries,
        )
        for buffer, table in zip((self.items, self.symmetries), tables, strict=True):
            buffer.copy_(torch.from_numpy(table))
        self._buckets = self._bucket_plan(tables[0])[position:][::-1]
        self.position.fill_(position)
        self.count.fill_(epoch * self.steps_per_epoch + position)
        if position == 0:
            self.loss_sum.zero_()

    def __call__(self) -> None:
        points = self._buckets.pop() if self._buckets else self._sizes[0]
        if self._graphs:
            self._graphs[points].replay()
        else:
            self._run(points)

    def capture(self, *, compiled: bool = False) -> None:
        """Record the step as one CUDA graph for every size; the state is left as it was found."""
        if compiled:
            self.forward_loss = torch.compile(self._loss, dynamic=False)
        changed = [*self._touched(), self.items]
        before = [tensor.clone() for tensor in changed]
        if self.data.counts is not None:  # the smallest sample fits every size
            self.items.fill_(int(self.data.counts.argmin()) * self.data.num_times)
        try:
            graphs: dict[int | None, torch.cuda.CUDAGraph] = {}
            for points in self._sizes:  # the largest first: the others fit into its memory
                pool = graphs[self._sizes[0]].pool() if graphs else None
                graphs[points] = self._record(points, pool)
            self._graphs = graphs
        finally:
            for tensor, value in zip(changed, before, strict=True):
                tensor.copy_(value)

    def _record(self, points: int | None, pool: Any) -> torch.cuda.CUDAGraph:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):  # libraries allocate workspaces in the first calls
                self._run(points)
                self.position.zero_()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            self._run(points)
        return graph

    def _bucket_plan(self, items: Table) -> list[int | None]:
        """Which size each step of an epoch needs: the smallest that holds its largest sample."""
        counts = self.data.counts
        if counts is None:
            return [None] * len(items)
        largest = counts[items // self.data.num_times].max(axis=1)
        sizes = [size for size in self._sizes if size is not None]
        return [min(size for size in sizes if size >= points) for points in largest]

    def _run(self, points: int | None = None) -> None:
        batch = self.data.batch(self.items[self.position].squeeze(0), points)
        if self.augmentation is not None:
            batch = self.augmentation(batch, self.symmetries[self.position].squeeze(0))
        self.optimizer.zero_grad()
        loss = self.forward_loss(batch)
        scale = self.optimizer.scale
        (loss if scale is None else loss * scale.value).backward()
        self.optimizer.step(self.count)
        self.loss_sum += loss.detach() / self.batch_size
        self.position += 1
        self.count += 1

    def _loss(self, batch: Batch) -> Tensor:
        """Sum over the batch of the relative L2 error in physical units."""
        encode, model = self.surrogate.normalizer, self.surrogate.model
        with self.autocast():
            u = model(
                self.surrogate.encode_points(batch.x),
                encode.encode_inputs(batch.a),
                t=None if batch.t is None else encode.encode_time(batch.t),
                neighbors=batch.neighbors,
                mask=batch.mask,
            )
        return relative_l2(encode.decode(u), batch.u, batch.mask).sum()

    def autocast(self) -> torch.autocast:
        """Products in the precision of the training."""
        return autocast(self.data.device, self.config.precision)

    def _touched(self) -> list[Tensor]:
        """Every tensor that a step changes."""
        counters = [self.position, self.count, self.loss_sum]
        return [*self.optimizer.state().values(), *counters, *self.surrogate.model.buffers()]


def bucket_sizes(counts: NDArray[np.int64] | None) -> list[int | None]:
    """Sizes that batches of ragged samples are cut to, largest first: a few graphs serve all.

    None stands for all points, where samples have equally many.
    """
    if counts is None:
        return [None]
    edges = np.quantile(counts, np.linspace(0, 1, NUM_BUCKETS + 1)[1:], method="higher")
    return [*sorted({int(edge) for edge in edges}, reverse=True)]
