"""Fused Triton kernels for a block of LLT: few passes over the points, forward and backward.

A block is two passes around one global reduction: `Project` (norm, projections, sums over all
points), then `Mix` (both paths, gate, output, residual), with the local path between them, and
`FeedForward`. The residual stream is float32; everything else has the type of the products.
"""

from llt.kernels.fused.depthwise import DepthwiseConv
from llt.kernels.fused.feedforward import FeedForward
from llt.kernels.fused.linear import Linear
from llt.kernels.fused.mix import Mix
from llt.kernels.fused.neighbors import NeighborAttention, reverse_lists
from llt.kernels.fused.project import Project

__all__ = [
    "DepthwiseConv",
    "FeedForward",
    "Linear",
    "Mix",
    "NeighborAttention",
    "Project",
    "reverse_lists",
]
