"""LLT through the fused kernels: the same function as its definition, but for rounding.

`model` takes weights and tensors from the modules to the kernels and back; `blocks` runs all
blocks as one differentiable function; `local` is the local path of a block.
"""

from llt.models.llt.fused.model import can_decode, can_embed, decode, embed, run_blocks

__all__ = ["can_decode", "can_embed", "decode", "embed", "run_blocks"]
