"""Local Linear Transformer.

Global linear attention for exchange across the whole mesh, beside a local path: a depthwise-
separable convolution on grids, softmax attention on a radius graph on point sets.

Shapes: B batch, N points, D width, d space dimensions, K neighbors, S width of the raw input s.
Letters and names are the paper's; `docs/fidelity.md` maps its equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from llt.errors import ConfigError
from llt.kernels.choice import on_cpu, product_dtype
from llt.kernels.limits import gpu_refusal, is_measured
from llt.kernels.verdict import Verdict
from llt.models.base import Operator
from llt.models.llt.block import Block, Neighborhood, convolution
from llt.models.llt.description import CONVOLUTION, NEIGHBORS, Description
from llt.models.llt.order import WORTH, Order
from llt.models.plan import Plan, plan
from llt.nn.encoding import TimeEmbedding, fourier_features
from llt.nn.feedforward import mlp
from llt.nn.linear import Linear
from llt.nn.norm import RMSNorm
from llt.nn.transformer import Positions
from llt.problem import Problem

PRECISION = {torch.float16: "fp16", torch.bfloat16: "bf16"}


class LLT(Operator):
    """Embedder, L encoder blocks, skip-connected decoder."""

    paper = "Ovadia and Turkel: Local Linear Transformer for PDE Operator Learning"
    summary = "linear attention across the mesh beside local convolution or neighbor attention"

    # the fastest, and its error is fp32's (docs/performance.md)
    precision = "fp16"
    recompute = False  # in training: blocks are computed again for their gradients, see TrainConfig

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        alpha: float = 0.7,  # weight of the global path; the local path has 1 - alpha
        kernel: int = 3,  # points per side of the local convolution, on grids
        ffn_dim: int = 0,  # hidden width of the FFN; 0: two thirds of dim
        reference_points: int = 8,  # R, per axis
        bands: int = 4,  # B, of the Fourier features
        conv_branch: bool = True,  # on grids: a short convolution stack replaces x and a in s
        max_neighbors: int = 32,  # K, on point sets
        radius: float = 2.0,  # of the graph, in median distances of nearest neighbors
        spacing: bool = False,  # on grids: how far apart their points are is one more input field
    ) -> None:
        super().__init__()
        _check(
            dim=dim,
            heads=heads,
            num_layers=num_layers,
            kernel=kernel,
            ffn_dim=ffn_dim,
            alpha=alpha,
            reference_points=reference_points,
            radius=radius,
        )
        structured = problem.grid is not None
        self.problem = problem
        self.about = Description(
            dim=dim,
            heads=heads,
            ffn_dim=ffn_dim or dim * 2 // 3,
            alpha=alpha,
            local=CONVOLUTION if structured else NEIGHBORS,
            kernel=kernel,
            space_dim=problem.space_dim,
            timed=problem.timed,
        )
        self.max_neighbors, self.radius = 0 if structured else max_neighbors, radius
        self.embedder = Embedder(
            problem,
            dim=dim,
            reference_points=reference_points,
            bands=bands,
            conv_branch=conv_branch and structured,
            spacing=spacing and structured,
        )
        self.spacing = spacing and structured
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.blocks = nn.ModuleList(Block(self.about) for _ in range(num_layers))
        self.skip = Linear(self.embedder.raw_dim, dim, bias=False)  # W_skip
        self.norm = RMSNorm(dim)
        self.head = mlp(dim, 2 * dim, problem.out_channels)

    def forward(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        if self.problem.grid is not None:
            grid = self.grid_of(x, grid)
        elif neighbors is None:
            raise ValueError(f"{self.problem.name}: LLT on point sets needs `neighbors`")
        if grid is None and neighbors is not None and on_cpu(x) and x.shape[1] >= WORTH:
            order = Order.of(x)
            x, a, neighbors = order.inside(x), order.inside(a), order.renumbered(neighbors)
            mask = None if mask is None else order.inside(mask)
            return order.outside(self.answer(x, a, t, Neighborhood(None, neighbors), mask))
        return self.answer(x, a, t, Neighborhood(grid, neighbors), mask)

    def answer(
        self, x: Tensor, a: Tensor, t: Tensor | None, around: Neighborhood, mask: Tensor | None
    ) -> Tensor:
        """The same, with the points in the order that they are in."""
        h, skip = self.embed(x, self.given(a, around.grid), around)
        h = self.run_blocks(self.layers, h, around, self.condition(t), mask)
        u = self.decode(h, skip)
        return u if mask is None else u * mask.unsqueeze(-1)

    @property
    def layers(self) -> Sequence[Block]:
        return cast("Sequence[Block]", self.blocks)

    def given(self, a: Tensor, grid: tuple[int, ...] | None) -> Tensor:
        """The input fields and, where it is asked for, log h / h₀ of the spacing h of the grid.

        h₀ is that of the problem's grid; where axes differ, it is the mean of their logarithms.
        """
        if not self.spacing or grid is None or self.problem.grid is None:
            return a
        pairs = zip(self.problem.grid, grid, strict=True)
        logarithms = [log(max(n - 1, 1) / max(m - 1, 1)) for n, m in pairs]
        return F.pad(a, (0, 1), value=sum(logarithms) / len(grid))

    def condition(self, t: Tensor | None) -> Tensor | None:
        """The embedded time, on timed problems."""
        if self.time is None:
            return None
        if t is None:
            raise ValueError(f"{self.problem.name} is timed: pass the output time t")
        return cast(Tensor, self.time(t))

    def embed(self, x: Tensor, a: Tensor, around: Neighborhood) -> tuple[Tensor, Tensor]:
        """What enters the blocks, and what is added to what leaves them."""
        if self.plan_for(x).fused:
            from llt.models.llt import fused

            if fused.can_embed(self, x, a):
                return fused.embed(self, x, a, around)
        return self.embed_raw(self.embedder.raw(x, a, around))

    def embed_raw(self, s: Tensor) -> tuple[Tensor, Tensor]:
        """The same of the raw input s."""
        return self.embedder.mlp(s), self.skip(s)

    def run_blocks(
        self,
        blocks: Sequence[Block],
        h: Tensor,
        around: Neighborhood,
        condition: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        if self.plan_for(h).fused:
            from llt.models.llt import fused

            return fused.run_blocks(
                self.about, blocks, h, around, condition, mask, recompute=self.recompute
            )
        for block in blocks:
            if self.recompute and torch.is_grad_enabled():
                h = again(block, h, around, condition, mask)
            else:
                h = block(h, around, condition, mask)
        return h

    def decode(self, h: Tensor, skip: Tensor) -> Tensor:
        if self.plan_for(h).fused:
            from llt.models.llt import fused

            if fused.can_decode(self):
                return fused.decode(self, h, skip)
        return cast(Tensor, self.head(self.norm(h + skip)))

    def plan_for(self, x: Tensor) -> Plan:
        """Which kernels run where x is, in autocast's precision."""
        return plan(self, x.device, PRECISION.get(product_dtype(x), "fp32"))

    def fused_refusal(self, device: torch.device) -> str | None:
        about = self.about
        if about.feature_map != "elu+1" or about.norm != "rms":
            return f"feature map {about.feature_map} and norm {about.norm} are not elu+1 and rms"
        for name, size in (("width", about.dim), ("number of heads", about.heads)):
            if size & (size - 1):
                return f"{name} {size} is not a power of two"
        # a point's channels must fit into registers, and so must the sums of all taps
        for name, size, most in (
            ("width", about.dim, 128),
            ("channels per head", about.rank, 32),
            ("FFN width", about.ffn_dim, about.dim),
            ("taps of the convolution", about.taps, 27),
        ):
            if size > most:
                return f"{name} {size} is above {most}"
        if about.dim < 16:
            return f"width {about.dim} is below 16"
        if device.type != "cuda":
            return None
        return gpu_refusal(device.index or 0, about.dim, about.ffn_dim)

    def first_use(self, device: torch.device, precision: str) -> Verdict | None:
        if device.type != "cuda" or is_measured(device.index or 0):
            return None
        from llt.models.llt.first_use import first_use

        return cast("Verdict | None", first_use(self.about, device, precision))


def again(block: Block, *given: object) -> Tensor:
    """The block, whose gradient computes it again instead of keeping what it needs."""
    found = checkpoint(block, *given, use_reentrant=False, preserve_rng_state=False)
    return cast(Tensor, found)


class Embedder(nn.Module):
    """Raw pointwise input s = (γ(x), x, d(x), a) and its embedding e = MLP(s)."""

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int,
        reference_points: int,
        bands: int,
        conv_branch: bool,
        spacing: bool,
    ) -> None:
        super().__init__()
        self.bands = bands
        d, fields = problem.space_dim, problem.space_dim + problem.in_channels + spacing
        self.distances = Positions(problem, reference_points)
        self.conv = ConvBranch(fields, dim, d) if conv_branch else None
        self.raw_dim = 2 * d * bands + self.distances.dim + (dim if conv_branch else fields)
        self.mlp = mlp(self.raw_dim, 2 * dim, dim)

    @property
    def reach(self) -> int:
        """Rows of a grid to each side that s reads."""
        return 2 if self.conv is not None else 0  # two convolutions of three rows

    def raw(
        self, x: Tensor, a: Tensor, around: Neighborhood, places: Tensor | None = None
    ) -> Tensor:
        """s of the rows, from x and a of all points that it reads.

        `places` are where distances are taken from: by default the grid, or x on point sets.
        """
        fields = torch.cat((x, a), dim=-1)
        if self.conv is not None and around.grid is not None:
            fields = self.conv(fields, around.grid)
        x, fields = around.own(x), around.own(fields)
        distances = self.distances(x, around.grid) if places is None else self.distances(places)
        positions = fourier_features(x, self.bands), distances
        # in 16 bits all of s is, as the products that read it would have it anyway
        return torch.cat((*(z.to(fields.dtype) for z in positions), fields), dim=-1)


class ConvBranch(nn.Module):
    """Two dense convolutions over coordinates and fields: a local bias from the first layer."""

    def __init__(self, in_dim: int, dim: int, space_dim: int) -> None:
        super().__init__()
        conv = convolution(space_dim)
        self.layers = nn.Sequential(
            conv(in_dim, dim, 3, padding=1), nn.GELU(), conv(dim, dim, 3, padding=1)
        )

    def forward(self, fields: Tensor, grid: tuple[int, ...]) -> Tensor:
        image = fields.transpose(1, 2).unflatten(-1, grid)  # (B, C, *grid)
        return self.layers(image).flatten(2).transpose(1, 2)


def _check(
    *,
    dim: int,
    heads: int,
    num_layers: int,
    kernel: int,
    ffn_dim: int,
    alpha: float,
    reference_points: int,
    radius: float,
) -> None:
    if dim < 2 or heads < 1 or dim % heads:
        raise ConfigError(f"dim={dim} must be a positive multiple of heads={heads}")
    if num_layers < 1:
        raise ConfigError(f"num_layers={num_layers} must be at least 1")
    if kernel < 1 or kernel % 2 == 0:
        raise ConfigError(f"kernel={kernel} must be odd, so that it has a center")
    if ffn_dim < 0:
        raise ConfigError(f"ffn_dim={ffn_dim} must not be negative")
    if reference_points < 1:
        raise ConfigError(f"reference_points={reference_points} must be at least 1")
    if not radius > 0:
        raise ConfigError(f"radius={radius:g} must be positive")
    if not 0 <= alpha <= 1:
        raise ConfigError(f"alpha={alpha} must lie between 0 and 1")
