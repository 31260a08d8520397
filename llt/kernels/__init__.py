"""The operations a model spends its time in, one folder each.

In a folder `plain` defines what is right, in ordinary torch; `cpu` and `triton` are faster ways to
the same numbers. Which one runs is chosen in `choice`, for whole models in `llt.models.plan`.
"""

from llt.kernels.adam import adam_update
from llt.kernels.attention import State, attend, attention_state, blend
from llt.kernels.choice import use
from llt.kernels.feedforward import gated
from llt.kernels.linear import linear
from llt.kernels.muon import muon_update
from llt.kernels.neighbors import neighbor_attention
from llt.kernels.norm import rms_norm

__all__ = [
    "State",
    "adam_update",
    "attend",
    "attention_state",
    "blend",
    "gated",
    "linear",
    "muon_update",
    "neighbor_attention",
    "rms_norm",
    "use",
]
