"""Fused Triton kernels for LLT: few passes over the points, forward and backward.

A block is two passes around one global reduction: `project` (norm, projections, sums over all
points), then `mix` (both paths, gate, output, residual), with the local path between them, and
`feed_forward`. Each has its gradient beside it; `Blocks` puts them together. Before the blocks are
`Lift`, `encode` and `Embed`, after them `Head`.
"""

from llt.kernels.fused import embed, head, lift
from llt.kernels.fused.blocks import Blocks, Settings, Weights
from llt.kernels.fused.encoding import encode
from llt.kernels.fused.local import Convolution, Local, Neighbors
from llt.kernels.fused.neighbors import reverse_lists

__all__ = [
    "Blocks",
    "Convolution",
    "Local",
    "Neighbors",
    "Settings",
    "Weights",
    "embed",
    "encode",
    "head",
    "lift",
    "reverse_lists",
]
