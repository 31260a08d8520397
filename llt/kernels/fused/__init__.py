"""Fused Triton kernels for a block of LLT: few passes over the points, forward and backward.

A block is two passes around one global reduction: `project` (norm, projections, sums over all
points), then `mix` (both paths, gate, output, residual), with the local path between them, and
`feed_forward`. Each has its gradient beside it; `Block` puts them together.
"""

from llt.kernels.fused.block import Block, Local, Matrices
from llt.kernels.fused.neighbors import reverse_lists

__all__ = ["Block", "Local", "Matrices", "reverse_lists"]
