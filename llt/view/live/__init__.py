"""Problems that a user changes by hand, and that are answered at once."""

from llt.view.live.answering import LiveProblem
from llt.view.live.finding import find_live

__all__ = ["LiveProblem", "find_live"]
