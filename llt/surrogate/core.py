"""The thing a user loads and calls: a model with all it needs to predict in physical units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.dataset import Dataset
from llt.data.folder.plan import Plan as FilePlan
from llt.data.frames import Frames
from llt.data.neighbors import Graph, radius_graph, training_radius, trim
from llt.data.normalizer import Normalizer, mean_mesh, mean_outputs
from llt.data.sources import Source, open_source
from llt.data.symmetries import Group, group_tables
from llt.models import Operator
from llt.models.plan import Plan, plan
from llt.prediction.cache import CaptureCache
from llt.prediction.cases import Cases
from llt.prediction.interpolation import on_grid
from llt.prediction.question import read_question, read_times
from llt.prediction.ranges import Ranges
from llt.problem import Problem
from llt.surrogate.answering import answer, check_question, in_chunks
from llt.surrogate.forward import captured, forward, precision_of
from llt.surrogate.rollout import first_question, read_rollout, refuse_steps, roll_out
from llt.trust.distance import Distance
from llt.trust.features import Describer
from llt.trust.kept import Trust

MESH, MEAN_FIELD = "surrogate.mesh", "surrogate.mean_field"  # their names among the weights
Floats = NDArray[np.float32]
Device = torch.device  # in the class, torch is a method


@dataclass(repr=False)
class Surrogate:
    """Predicts the output fields of its problem; takes and returns physical units."""

    model: Operator
    normalizer: Normalizer
    radius: float | None = None  # of the neighbor graph on point sets
    mesh: Tensor | None = None  # (N, d) mean of structured training meshes, or the shared one
    shared_mesh: bool = False  # all training samples had this mesh
    mean_field: Tensor | None = None  # (N, Cu) that the model predicts the deviation from
    precision: str = "auto"  # of matrix products on CUDA, auto is the model's; the CPU has fp32
    ranges: Ranges | None = None  # of the training set; older checkpoints have none
    points: int = 0  # of the parts it was trained on: neighbors are among so many; 0: all
    trust: Trust | None = None  # error bars, once it was evaluated
    files: FilePlan | None = None  # how files become cases, where the data were prepared from some
    frames: Frames | None = None  # what its steps lead from and to, where it has learned steps
    _captures: CaptureCache = field(
        default_factory=CaptureCache, init=False, repr=False, compare=False
    )

    @classmethod
    def fit(
        cls, model: Operator, data: Dataset, *, mean_field: bool = False, log: Sequence[str] = ()
    ) -> Surrogate:
        """The model with what prediction needs of the training split besides its weights.

        Args:
            mean_field: on grids, the model predicts the deviation from the training set's mean.
            log: fields that the model sees, or predicts, the logarithms of.
        """
        radius = training_radius(data, model.radius) if model.max_neighbors else None
        mesh, field = mean_mesh(data), mean_outputs(data, log) if mean_field else None
        mesh = data.mesh if mesh is None else mesh
        return cls(
            model,
            Normalizer.fit(data, field, log),
            radius,
            None if mesh is None else torch.from_numpy(mesh),
            data.shared_points,
            None if field is None else torch.from_numpy(field),
            ranges=Ranges.fit(data),
            files=FilePlan.of(data.provenance),
            frames=None if data.view is None else data.view.frames,
        )

    def __repr__(self) -> str:
        size = sum(p.numel() for p in self.model.parameters())
        what = f"{self.model.name} with {size:,} parameters on {self.device}"
        return f"<Surrogate {self.problem.describe()}; {what}>"

    @property
    def problem(self) -> Problem:
        return self.model.problem

    @property
    def cases(self) -> Problem:
        """What its data hold: of steps from frame to frame, the frames."""
        return self.problem if self.frames is None else self.frames.cases

    @property
    def device(self) -> Device:
        return self.normalizer.x_low.device

    @property
    def typical_output(self) -> float:
        """The size that outputs have in the training set, that of the largest field."""
        encode = self.normalizer
        sizes = [torch.hypot(encode.u_mean.double(), encode.u_std.double()).max().item()]
        if self.mean_field is not None:
            sizes.append(self.mean_field.double().square().mean(0).sqrt().max().item())
        return max(sizes)

    @property
    def times(self) -> tuple[float, ...]:
        """Those of the training set; older checkpoints do not know them."""
        return () if self.ranges is None else self.ranges.moments

    @property
    def plan(self) -> Plan:
        """Which kernels its model uses, and why."""
        return plan(self.model, self.device, precision_of(self))

    def to(self, device: Device | str) -> Surrogate:
        self.model.to(device)
        self.normalizer.to(device)
        self.mesh = None if self.mesh is None else self.mesh.to(device)
        self.mean_field = None if self.mean_field is None else self.mean_field.to(device)
        self._captures = CaptureCache()
        return self

    def source(self, data: Dataset, indices: NDArray[np.int64], where: str = "auto") -> Source:
        """Samples of a dataset for the surrogate's device, with the graphs that its model wants."""
        return open_source(
            data,
            indices,
            self.device,
            radius=self.radius,
            max_neighbors=self.model.max_neighbors,
            among=self.points,
            where=where,
        )

    def encode_points(self, x: Tensor, grid: tuple[int, ...] | None = None) -> Tensor:
        """Coordinates as the model sees them: deviations from the mean mesh amplified, scaled."""
        if self.mesh is not None and self.normalizer.gain != 1:
            mesh = self.mesh_on(grid or self.problem.grid or ())
            x = mesh + self.normalizer.gain * (x - mesh)
        return self.normalizer.encode_points(x)

    def decode(self, u: Tensor, grid: tuple[int, ...] | None = None) -> Tensor:
        """From the model's output (..., N, Cu) to physical units, in float32."""
        return self.normalizer.physical(self.decode_learned(u, grid))

    def decode_learned(
        self, u: Tensor, grid: tuple[int, ...] | None = None, rows: slice | None = None
    ) -> Tensor:
        """The same, with the logarithms of fields that are learned so; or of some rows of it."""
        u = self.normalizer.decode(u)
        if self.mean_field is None:
            return u
        mean = on_grid(self.mean_field, self.problem, grid or self.problem.grid or ())
        return u + (mean if rows is None else mean[rows])

    @contextmanager
    def predicting_the_mean(self) -> Iterator[None]:
        """Whatever the model says, predict what it deviates from: the training set's mean."""
        std = self.normalizer.u_std.clone()
        self.normalizer.u_std.zero_()
        try:
            yield
        finally:
            self.normalizer.u_std.copy_(std)

    def mesh_on(self, grid: tuple[int, ...]) -> Tensor:
        """The mean mesh, interpolated to another grid where needed: (N, d)."""
        assert self.mesh is not None
        return on_grid(self.mesh, self.problem, grid)

    def predict(
        self,
        x: Any = None,
        a: Any = None,
        t: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        neighbors: Graph | None = None,
        chunk: int | None = None,
        symmetrize: bool = False,
        check: bool = True,
    ) -> Any:
        """Output fields at the points x, as arrays of float32.

        Args:
            x: coordinates, (N, d) or (B, N, d); on structured meshes also (*grid, d) or
                (B, *grid, d), at any resolution. May be left out where all training samples had
                the same: it is that mesh then, interpolated to the grid of the fields.
            a: input fields by name, each shaped like x without its last axis; or one array with
                a last axis for all fields, and case parameters behind them. Those of many cases
                may stand beside the points of one.
            t: output time, on timed problems; a list gives all its times, behind the cases.
            parameters: case parameters by name: a number, or one for each case.
            neighbors: what `graph` gives for the points of one case, where it is known.
            chunk: points computed at a time, for LLT; fewer need less memory and change nothing
                else. By default meshes of more than 65,536 points are predicted in chunks.
            symmetrize: average over the G symmetries that the problem declares, the identity
                included; more accurate, at G times the cost.
            check: warn where the question lies outside of what was trained on.
        Returns:
            from names, a dictionary of output fields by name; from an array, one array with
            a last axis for the fields.
        """
        refuse_steps(self)
        times, several = read_times(self.problem, t)
        question = read_question(self.problem, x, a, parameters, self.own_mesh)
        check_question(self, question, times, chunk=chunk, known=neighbors, ranges=check)
        u = answer(self, question, times, chunk=chunk, symmetrize=symmetrize, known=neighbors)
        u = u.reshape(*question.batch, *[len(times)] * several, *question.case, -1)
        if not question.named:
            return u
        return {name: u[..., channel] for channel, name in enumerate(self.problem.output_names)}

    def rollout(
        self,
        x: Any = None,
        a: Any = None,
        first: Any = None,
        steps: int | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        masks: Mapping[str, Any] | None = None,
        dt: Any = None,
        neighbors: Graph | None = None,
        chunk: int | None = None,
        symmetrize: bool = False,
        check: bool = True,
    ) -> Any:
        """The frames that follow the first ones, each from those before it.

        All besides `first`, `steps`, `masks` and `dt` is as in `predict`.

        Args:
            a: inputs of the case; where they change, a list of dictionaries, one for every step.
            first: the outputs at as many frames as `history` says, or more, of which the last
                count: by name (h, N), or an array (h, N, Cu); of many cases (B, h, N) each.
            steps: how many frames to predict; by default as many as were trained on.
            masks: where outputs exist that do not exist everywhere, by the masks' names.
            dt: time from frame to frame, one for all steps or for each; only for a model that was
                trained on steps that differ, by default those.
        Returns:
            frames like `first`, with an axis of `steps` in place of h.
        """
        asked = read_rollout(self, x, a, first, parameters, masks)
        how: dict[str, Any] = {"chunk": chunk, "symmetrize": symmetrize, "known": neighbors}
        u = roll_out(self, asked, steps, dt, **how, ranges=check)
        return asked.shaped(u, self.cases)

    @property
    def own_mesh(self) -> Tensor | None:
        """What points are where they are left out."""
        return self.mesh if self.shared_mesh else None

    def predict_batch(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
        symmetrize: bool = False,
    ) -> Tensor:
        """The same on tensors (B, N, ...) that are on the surrogate's device already."""
        cases = Cases(x, a, t, neighbors, mask, grid)
        with self.alone():
            group = self.group(grid) if symmetrize else None
            replayed = captured(self, cases.shape, group)
            return forward(self, cases, group) if replayed is None else replayed(cases)

    @torch.no_grad()
    def predict_chunks(
        self,
        x: Floats,
        a: Floats,
        t: float | None = None,
        *,
        grid: tuple[int, ...] | None = None,
        neighbors: Graph | Tensor | None = None,
        chunk: int | None = None,
    ) -> Floats:
        """The same for one case (N, ...) of any size: LLT in chunks, see `models.llt.streaming`."""
        return in_chunks(self, x, a, t, grid, neighbors, chunk)

    def graph(self, points: Floats) -> Graph | None:
        """The radius graph (N, K) of a point set (N, d), where the model wants one."""
        graphs = self.graphs(points[None])
        return None if graphs is None else graphs[0]

    def save(self, folder: str | Path, **metadata: Any) -> None:
        """Write a checkpoint; the metadata (epoch, error ...) goes beside the weights."""
        from llt.surrogate.saving import save

        save(self, Path(folder), metadata)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One prediction at a time: captured graphs work in fixed memory."""
        on_cuda = self.device.type == "cuda"
        current = torch.cuda.device(self.device) if on_cuda else nullcontext()
        # tensors made in a caller's inference mode could not be written to outside of it
        with self._captures.lock, current, torch.inference_mode(False), torch.no_grad():
            if self.model.training:
                self.model.eval()
            yield

    def graphs(self, x: Floats) -> Graph | None:
        """The radius graphs (B, N, K) of point sets (B, N, d), where the model wants them."""
        most, radius = self.model.max_neighbors, self.radius
        if not most or radius is None:
            return None
        own = x if x.strides[0] else x[:1]  # points that all cases share have one graph
        graphs = [radius_graph(points, radius, most, self.points) for points in own]
        return trim(np.repeat(np.stack(graphs), len(x) // len(own), axis=0))

    def group(self, grid: tuple[int, ...] | None) -> Group:
        return group_tables(self.problem, grid or self.problem.grid, self.device)

    @property
    def describer(self) -> Describer:
        """What tells its cases apart."""
        return Describer(self.problem, self.normalizer, self.mesh)

    def distances(
        self,
        x: Any = None,
        a: Any = None,
        first: Any = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        masks: Mapping[str, Any] | None = None,
    ) -> list[Distance]:
        """How far every case lies from the training cases: above 1, further than each of them.

        Asked as `predict` or `rollout`; empty where `trust` does not know the training cases.
        """
        question = first_question(self, x, a, first, parameters, masks)
        return [] if self.trust is None else self.trust.distances(self.describer, question)

    def torch(
        self,
        x: Any = None,
        a: Any = None,
        t: float | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> Any:
        """As `predict`, from tensors to tensors that have gradients, in physical units.

        Points, inputs and parameters may all be differentiated with respect to; the weights are
        held fixed, and so is which points are neighbors. Computed in float32 whatever `precision`
        is, in float64 where the surrogate's tensors are.
        """
        from llt.surrogate.gradients import differentiable

        refuse_steps(self)
        return differentiable(self, x, a, t, parameters)
