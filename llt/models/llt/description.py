"""What a block of LLT is, as data: every execution reads it, and refuses what it cannot do."""

from __future__ import annotations

from dataclasses import dataclass

CONVOLUTION, NEIGHBORS = "convolution", "neighbors"


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    dim: int
    heads: int
    ffn_dim: int
    alpha: float  # weight of the global path; the local path has 1 - alpha
    local: str  # a depthwise-separable convolution on grids, attention to neighbors on point sets
    kernel: int  # points per axis that the convolution reads
    space_dim: int
    timed: bool  # the time scales and shifts what the attention reads
    feature_map: str = "elu+1"
    norm: str = "rms"

    @property
    def rank(self) -> int:
        """Features per head of the global path."""
        return self.dim // self.heads

    @property
    def taps(self) -> int:
        """Points that the convolution reads; 0 where there is none."""
        return self.kernel**self.space_dim if self.local == CONVOLUTION else 0

    @property
    def reach(self) -> int:
        """Rows of a grid to each side that a block reads."""
        return self.kernel // 2 if self.local == CONVOLUTION else 0
