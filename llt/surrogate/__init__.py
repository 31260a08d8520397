"""The thing a user loads and calls, and how it is loaded."""

from llt.surrogate.answering import STREAM_ABOVE
from llt.surrogate.core import MEAN_FIELD, MESH, Floats, Surrogate
from llt.surrogate.loading import load

__all__ = ["MEAN_FIELD", "MESH", "STREAM_ABOVE", "Floats", "Surrogate", "load"]
