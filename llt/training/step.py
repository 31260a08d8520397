"""One training step: gather, augment, forward, loss, backward, clip, update, average.

All it reads and writes are tensors on the device, counters included. So the same code runs step
by step (eager) or is captured once in a CUDA graph and replayed, which matters where launching
kernels costs more than running them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import log2

import torch
from torch import Tensor

from llt.data.augmentation import Augmentation
from llt.data.batch import Batch
from llt.data.sources import Size, Source
from llt.errors import ConfigError
from llt.models.llt import LLT
from llt.models.llt.parallel import Part, forward
from llt.runtime.device import autocast
from llt.runtime.team import ALONE, Team
from llt.surrogate import Surrogate
from llt.training.averaging import WeightAverage
from llt.training.buckets import bucket_sizes, step_sizes
from llt.training.capture import Graphs, record_sizes, restoring
from llt.training.config import TrainConfig
from llt.training.domain import Regions, Rows, part_of, whole_norms
from llt.training.epoch_order import Table, epoch_order, epoch_strides
from llt.training.loss import Loss, OfSteps, build_loss
from llt.training.loss.units import Units
from llt.training.noise import Noise
from llt.training.optimizer import build_optimizer

Domain = Rows | Regions  # how meshes are cut into parts


class TrainingStep:
    """Call it once per step; `start_epoch` lays out the order of the coming steps."""

    def __init__(
        self,
        surrogate: Surrogate,
        data: Source,
        config: TrainConfig,
        team: Team = ALONE,
        domain: Domain | None = None,
    ) -> None:
        self.surrogate, self.data, self.config = surrogate, data, config
        self.team, self.domain = team, domain
        self.batch_size = min(config.batch_size, data.num_items)
        _check_shares(self.batch_size, config.batch_size, team.data)
        self.steps_per_epoch = data.num_items // self.batch_size
        self.device, num_steps = surrogate.device, config.epochs * self.steps_per_epoch
        self.units: Units | None = None
        if config.balance or surrogate.normalizer.u_log is not None:
            self.units = Units(surrogate)
        self.unit = 1.0 if self.units else unit_of(surrogate.typical_output)
        typical = 1.0 if self.units else surrogate.typical_output / self.unit
        self.loss: Loss = build_loss(
            surrogate.problem,
            derivative=config.derivative,
            graph=surrogate.model.max_neighbors > 0,
            typical=typical,
            whole=whole_norms(team),
        )
        if surrogate.frames is not None:
            self.loss = OfSteps(self.loss, surrogate.problem, typical, whole_norms(team))
        self.share = team.own_share(self.batch_size)  # of every batch
        self.noise = None
        if config.noise:
            items = self.share.start, self.batch_size
            self.noise = Noise(surrogate, config.noise, config.seed, items)
        self.optimizer = build_optimizer(surrogate.model, config, num_steps, self.device, team)
        self.average = None
        if config.average:
            flat = self.optimizer.parameters.flat
            self.average = WeightAverage(flat, decay=config.average, num_steps=num_steps)
        shape = (self.steps_per_epoch, self.batch_size // team.data)
        self.items = torch.zeros(shape, dtype=torch.long, device=self.device)
        self.symmetries = torch.zeros_like(self.items)
        self.position = torch.zeros(1, dtype=torch.long, device=self.device)  # in the epoch
        self.count = torch.zeros(1, dtype=torch.long, device=self.device)  # in the run
        self.loss_sum = torch.zeros(1, device=self.device)  # over the epoch so far
        self.forward_loss: Callable[[Batch], Tensor] = self._loss
        self.sizes = bucket_sizes(data.counts, data.strides)
        self.augmentations: dict[Size, Augmentation] = {}
        if config.augment:
            self.augmentations = {size: Augmentation(data.at(size)) for size in self.sizes}
        self._coming: list[Size] = []  # sizes of the coming steps of the epoch, last one first
        self._graphs: Graphs = {}
        self._part: Part | None = None  # of the mesh of the present batch

    def start_epoch(self, epoch: int, position: int = 0) -> None:
        items, symmetries = epoch_order(
            self.config.seed,
            epoch,
            num_items=self.data.num_items,
            batch_size=self.batch_size,
            num_symmetries=1 + len(self.data.problem.symmetries) if self.augmentations else 1,
        )
        sizes = self._sizes(epoch, items)
        items, symmetries = items[:, self.share], symmetries[:, self.share]
        self.items.copy_(torch.from_numpy(items))
        self.symmetries.copy_(torch.from_numpy(symmetries))
        self._coming = sizes[position:][::-1]
        self.data.schedule(items[position:], sizes[position:])
        self.position.fill_(position)
        self.count.fill_(epoch * self.steps_per_epoch + position)
        if position == 0:
            self.loss_sum.zero_()

    def _sizes(self, epoch: int, items: Table) -> list[Size]:
        """Of every step of an epoch."""
        strides = self.data.strides
        if not strides:
            return step_sizes(items // self.data.num_times, self.data.counts, self.sizes)
        drawn = epoch_strides(
            self.config.seed, epoch, num_steps=len(items), num_strides=len(strides)
        )
        return [strides[number] for number in drawn]

    @property
    def size(self) -> Size:
        """Of the coming step."""
        return self._coming[-1] if self._coming else self.sizes[0]

    def __call__(self) -> None:
        size = self.size
        if self._coming:
            self._coming.pop()
        self.data.stage(size)
        if self._graphs:
            self._graphs[size].replay()
        else:
            self._run(size)

    def capture(self, *, compiled: bool = False) -> None:
        """Record the step as one CUDA graph for every size; the state is left as it was found."""
        self.forward_loss = torch.compile(self._loss, dynamic=False) if compiled else self._loss
        with restoring([*self.changed(), self.items], self.device):
            if self.data.counts is not None:  # the smallest sample fits every size
                self.items.fill_(int(self.data.counts.argmin()) * self.data.num_times)
            self.data.stage()  # what is recorded reads from where batches will be
            self._graphs = record_sizes(self._run, self.sizes, self._rewind)

    def release(self) -> None:
        """Give up what was captured: NCCL does not end before graphs that hold work of it."""
        self._graphs.clear()

    def _rewind(self) -> None:
        """Back to the first step of the run: a short one has fewer than capturing takes."""
        self.position.zero_()
        self.count.zero_()

    def _run(self, size: Size) -> None:
        loss = self.backward(size)
        self.optimizer.step(self.count)
        if self.average is not None:
            self.average.update(self.count)
        self.loss_sum += self.team.total(loss / self.team.domain) / self.batch_size
        self.position += 1
        self.count += 1

    def backward(self, size: Size) -> Tensor:
        """The gradients of the present step; gives its loss."""
        items = self.items[self.position].squeeze(0)
        batch = self.data.batch(items, size)
        if self.augmentations:
            batch = self.augmentations[size](batch, self.symmetries[self.position].squeeze(0))
        if self.noise is not None:
            batch = self.noise(batch, self.count)
        if self.domain is not None:
            self._part = self.domain.part(batch, items // self.data.num_times)
        parameters = self.optimizer.parameters
        parameters.zero_grad()
        loss = self.forward_loss(batch)
        parameters.scaled(loss).backward()
        return loss.detach()

    def _loss(self, batch: Batch) -> Tensor:
        """Sum of the losses of a batch."""
        encode = self.surrogate.normalizer
        x, a = self.surrogate.encode_points(batch.x, batch.grid), encode.encode_inputs(batch.a)
        t = None if batch.t is None else encode.encode_time(batch.t)
        if self._part is None:
            with self.autocast():
                u = self.surrogate.model(
                    x, a, t=t, grid=batch.grid, neighbors=batch.neighbors, mask=batch.mask
                )
            u = self.surrogate.decode_learned(u, batch.grid)
        else:
            u, batch = self._part_loss(self._part, x, a, t, batch)
        if self.units is not None:
            u, batch = self.units(u), replace(batch, u=self.units(encode.as_learned(batch.u)))
        if self.unit != 1:
            u, batch = u / self.unit, replace(batch, u=batch.u / self.unit)
        return self.loss(u, batch).sum()

    def _part_loss(
        self, part: Part, x: Tensor, a: Tensor, t: Tensor | None, batch: Batch
    ) -> tuple[Tensor, Batch]:
        """Prediction and batch as the loss sees them, of a part of the mesh and what it reads."""
        assert isinstance(self.surrogate.model, LLT)
        with self.autocast():
            u = forward(self.surrogate.model, part, part.cut(x), part.cut(a), t)
        rows = part.points if isinstance(part.points, slice) else None
        u = self.surrogate.decode_learned(part.halo.around(u), batch.grid, rows)
        return u, part_of(batch, part)

    @property
    def mean_loss(self) -> float:
        """Per sample, over the epoch that has just ended."""
        return self.loss_sum.item() / self.steps_per_epoch

    def autocast(self) -> torch.autocast:
        """Products in the precision of the training."""
        return autocast(self.device, self.config.precision)

    def kept_weights(self) -> AbstractContextManager[None]:
        """Let the model have the weights that are validated and saved."""
        return nullcontext() if self.average is None else self.average.applied()

    def state(self) -> dict[str, Tensor]:
        """All that a resumed run must be given back, by name; these are the tensors themselves."""
        state = {f"optimizer.{k}": v for k, v in self.optimizer.state().items()}
        state |= {f"buffer.{k}": v for k, v in self.surrogate.model.named_buffers()}
        if self.average is not None:
            state["average"] = self.average.mean
        return state | {"loss_sum": self.loss_sum}

    def changed(self) -> list[Tensor]:
        """Every tensor that a step changes."""
        return [*self.state().values(), self.position, self.count]


def _check_shares(size: int, asked: int, shares: int) -> None:
    """Refuse batches that processes cannot share evenly."""
    if size % shares == 0:
        return
    batch = f"train.batch_size={size}" if size == asked else f"a batch of all {size} items"
    # more than all there are do not help
    fits = size - size % shares or (shares if size == asked else 0)
    way = f"train.batch_size={fits} or " if fits else ""
    raise ConfigError(
        f"{batch} is not a multiple of parallel.data={shares}; use {way}fewer processes"
    )


def unit_of(typical: float) -> float:
    """What the loss measures outputs in, so that float32 can hold their squares: a power of two.

    Outputs of a usual size are measured as they are.
    """
    usual = 1e-6 < typical < 1e6
    return 1.0 if usual or not typical > 0 else 2.0 ** round(log2(typical))
