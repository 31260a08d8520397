"""The thing a user loads and calls: a model with all it needs to predict in physical units.

A checkpoint is a folder with `config.json` (model, arguments, problem, normalizer, radius) and
`model.safetensors` (weights). Nothing is unpickled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open
from torch import Tensor

from llt.data.batches import DeviceData
from llt.data.dataset import Dataset
from llt.data.neighbors import Graph, radius_graph, training_radius, trim
from llt.data.normalizer import Normalizer, mean_mesh
from llt.errors import CheckpointError, ConfigError, DataError
from llt.models import Operator, build_model
from llt.models.llt import LLT
from llt.models.llt.streaming import CHUNK, stream
from llt.problem import Problem
from llt.runtime.files import write_bytes, write_json

FORMAT, VERSION = "llt-checkpoint", 1
MESH = "surrogate.mesh"  # its name among the weights
STREAM_ABOVE = 2**16  # points per case: larger meshes are predicted in chunks
Floats = NDArray[np.float32]


@dataclass
class Surrogate:
    """Predicts the output fields of its problem; takes and returns physical units."""

    model: Operator
    normalizer: Normalizer
    radius: float | None = None  # of the neighbor graph on point sets
    mesh: Tensor | None = None  # (N, d) mean of the training meshes, on structured problems
    shared_mesh: bool = False  # all training samples had this mesh

    @classmethod
    def fit(cls, model: Operator, data: Dataset) -> Surrogate:
        """The model with what prediction needs of the training split besides its weights."""
        radius = training_radius(data) if model.max_neighbors else None
        mean = mean_mesh(data)
        mesh = None if mean is None else torch.from_numpy(mean)
        return cls(model, Normalizer.fit(data), radius, mesh, data.shared_points)

    @property
    def problem(self) -> Problem:
        return self.model.problem

    @property
    def device(self) -> torch.device:
        return self.normalizer.x_low.device

    def to(self, device: torch.device | str) -> Surrogate:
        self.model.to(device)
        self.normalizer.to(device)
        self.mesh = None if self.mesh is None else self.mesh.to(device)
        return self

    def on_device(self, data: Dataset, indices: NDArray[np.int64]) -> DeviceData:
        """Samples of a dataset on the surrogate's device, with the graphs that its model wants."""
        return DeviceData(
            data,
            indices,
            self.device,
            radius=self.radius,
            max_neighbors=self.model.max_neighbors,
        )

    def encode_points(self, x: Tensor, grid: tuple[int, ...] | None = None) -> Tensor:
        """Coordinates as the model sees them: deviations from the mean mesh amplified, scaled."""
        if self.mesh is not None and self.normalizer.gain != 1:
            mesh = self.mesh_on(grid or self.problem.grid or ())
            x = mesh + self.normalizer.gain * (x - mesh)
        return self.normalizer.encode_points(x)

    def mesh_on(self, grid: tuple[int, ...]) -> Tensor:
        """The mean mesh, interpolated to another grid where needed: (N, d)."""
        assert self.mesh is not None and self.problem.grid is not None
        if grid == self.problem.grid:
            return self.mesh
        image = self.mesh.T.reshape(1, -1, *self.problem.grid)
        mode = "bilinear" if len(grid) == 2 else "trilinear"
        fine = F.interpolate(image, size=grid, mode=mode, align_corners=True)
        return fine[0].flatten(1).T

    def predict(
        self,
        x: ArrayLike,
        a: ArrayLike | None = None,
        t: float | None = None,
        *,
        chunk: int | None = None,
    ) -> Floats:
        """Output fields at the points x.

        Args:
            x: coordinates, (N, d) or (B, N, d); on structured meshes also (*grid, d) or
               (B, *grid, d), at any resolution.
            a: input fields of the same shape with one channel per field; None where the
               geometry alone is the input.
            t: output time, on timed problems.
            chunk: points computed at a time, for LLT; fewer need less memory and change nothing
               else. By default meshes of more than 65,536 points are predicted in chunks.
        Returns:
            the output fields, shaped like x with one channel per field.
        """
        points = np.require(x, np.float32, ["C", "W"])  # torch wants memory it may write
        fields = (
            np.empty((*points.shape[:-1], 0), np.float32)
            if a is None
            else np.require(a, np.float32, ["C", "W"])
        )
        grid = self._check(points, fields, t)
        if chunk is not None and chunk < 1:
            raise ConfigError(f"chunk={chunk} must be at least 1")
        lead = points.shape[:-1]
        rows = prod(grid) if grid is not None else lead[-1]
        cases = prod(lead) // rows
        flat_x, flat_a = (z.reshape(cases, rows, z.shape[-1]) for z in (points, fields))
        if isinstance(self.model, LLT) and (chunk or rows > STREAM_ABOVE):
            each = [
                self.predict_chunks(x, a, t, grid=grid, neighbors=self.graph(x), chunk=chunk)
                for x, a in zip(flat_x, flat_a, strict=True)
            ]
            return np.stack(each).reshape(*lead, -1)
        u = self.predict_batch(
            torch.from_numpy(flat_x).to(self.device),
            torch.from_numpy(flat_a).to(self.device),
            t=None if t is None else torch.full((cases,), float(t), device=self.device),
            grid=grid,
            neighbors=self.neighbors(flat_x),
        )
        return u.cpu().numpy().reshape(*lead, -1)

    @torch.no_grad()
    def predict_batch(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        """The same on tensors (B, N, ...) that are on the surrogate's device already."""
        self.model.eval()
        encode = self.normalizer
        u = self.model(
            self.encode_points(x, grid),
            encode.encode_inputs(a),
            t=None if t is None else encode.encode_time(t),
            grid=grid,
            neighbors=neighbors,
            mask=mask,
        )
        return encode.decode(u)

    @torch.no_grad()
    def predict_chunks(
        self,
        x: Floats,
        a: Floats,
        t: float | None = None,
        *,
        grid: tuple[int, ...] | None = None,
        neighbors: Graph | None = None,
        chunk: int | None = None,
    ) -> Floats:
        """The same for one case (N, ...) of any size: LLT in chunks, see `models.llt.streaming`."""
        assert isinstance(self.model, LLT)
        self.model.eval()
        encode, device = self.normalizer, self.device
        u = stream(
            self.model,
            self.encode_points(torch.from_numpy(x).to(device), grid),
            encode.encode_inputs(torch.from_numpy(a).to(device)),
            t=None if t is None else encode.encode_time(torch.tensor([float(t)], device=device)),
            grid=grid,
            neighbors=neighbors,
            chunk=chunk or CHUNK,
        )
        return encode.decode(u).cpu().numpy()

    def neighbors(self, x: Floats) -> Tensor | None:
        """The radius graphs (B, N, K) of point sets (B, N, d), where the model wants them."""
        if not self.model.max_neighbors or self.radius is None:
            return None
        graphs = [radius_graph(points, self.radius, self.model.max_neighbors) for points in x]
        return torch.from_numpy(trim(np.stack(graphs))).to(self.device)

    def graph(self, points: Floats) -> Graph | None:
        """The same of one point set (N, d), in host memory: (N, K)."""
        if not self.model.max_neighbors or self.radius is None:
            return None
        return trim(radius_graph(points, self.radius, self.model.max_neighbors))

    def save(self, folder: Path, **metadata: Any) -> None:
        """Write a checkpoint; the metadata (epoch, error ...) goes beside the weights."""
        config = {
            "format": FORMAT,
            "version": VERSION,
            "model": self.model.name,
            "arguments": self.model.arguments,
            "problem": self.problem.to_dict(),
            "normalizer": self.normalizer.to_dict(),
            "radius": self.radius,
            "shared_mesh": self.shared_mesh,
        }
        weights = {k: v.detach().cpu().clone() for k, v in self.model.state_dict().items()}
        if self.mesh is not None:
            weights[MESH] = self.mesh.detach().cpu().clone()
        write_json(folder / "config.json", config)
        content = safetensors.torch.save(weights, {k: json.dumps(v) for k, v in metadata.items()})
        write_bytes(folder / "model.safetensors", content)

    def _check(self, x: Floats, a: Floats, t: float | None) -> tuple[int, ...] | None:
        """Reject what does not fit the problem; give the grid the points lie on, if any."""
        name, d = self.problem.name, self.problem.space_dim
        if x.ndim < 2 or x.shape[-1] != d:
            raise DataError(f"{name}: points have shape {x.shape}, expected (..., {d})")
        if a.shape != (*x.shape[:-1], self.problem.in_channels):
            fields = ", ".join(self.problem.input_names) or "none"
            raise DataError(
                f"{name}: inputs have shape {a.shape}, expected "
                f"{(*x.shape[:-1], self.problem.in_channels)} (fields: {fields})"
            )
        if not (np.isfinite(x).all() and np.isfinite(a).all()):
            raise DataError(f"{name}: points or inputs hold NaN or infinity")
        if self.problem.timed and t is None:
            raise DataError(f"{name}: the problem is timed, pass the output time t")
        if self.problem.grid is None:
            if x.ndim > 3:
                raise DataError(
                    f"{name}: points have shape {x.shape}, expected (N, d) or (B, N, d)"
                )
            return None
        # a stack of flat cases on the training grid, (B, N, d), comes before a grid in the plane
        flat = x.ndim <= 3 and x.shape[-2] == self.problem.num_points
        if x.ndim > d and not flat:
            return tuple(x.shape[-1 - d : -1])
        if not flat:
            raise DataError(
                f"{name}: {x.shape[-2]} points do not fill the grid {self.problem.grid}; "
                "give points as (*grid, d) for another resolution"
            )
        return self.problem.grid


def load(path: str | Path, device: torch.device | str = "cpu") -> Surrogate:
    """Load a surrogate from a run folder (its validation-selected weights) or a checkpoint."""
    folder = checkpoint_folder(Path(path))
    config = _read_config(folder)
    try:
        problem = Problem.from_dict(config["problem"])
        normalizer = Normalizer.from_dict(config["normalizer"])
        model = build_model(config["model"], problem, **config["arguments"])
    except (KeyError, TypeError) as error:
        raise CheckpointError(
            f"{folder}/config.json: damaged, {error} is missing or wrong"
        ) from error
    weights, _ = read_weights(folder)
    mesh = weights.pop(MESH, None)
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise CheckpointError(f"{folder}: weights do not fit config.json: {reason}") from error
    shared = bool(config.get("shared_mesh", False))
    return Surrogate(model, normalizer, config["radius"], mesh, shared).to(device)


def checkpoint_folder(path: Path) -> Path:
    """The checkpoint meant by a run folder or by a checkpoint folder itself."""
    for folder in (path, path / "best"):
        if (folder / "config.json").is_file():
            return folder
    if not path.exists():
        raise CheckpointError(f"{path}: no such run or checkpoint")
    raise CheckpointError(f"{path}: no checkpoint in it yet (config.json or best/config.json)")


def read_weights(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights and metadata of a checkpoint."""
    path = folder / "model.safetensors"
    if not path.is_file():
        raise CheckpointError(f"{path}: no such file")
    try:
        with safe_open(path, framework="pt") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = {k: json.loads(v) for k, v in (file.metadata() or {}).items()}
    except SafetensorError as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    return weights, metadata


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path}: not valid JSON: {error}") from error
    if config.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not an llt checkpoint")
    if config.get("version") != VERSION:
        raise CheckpointError(f"{path}: version {config.get('version')}, this llt reads {VERSION}")
    return config
