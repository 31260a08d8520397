"""Predictions of the cases that were looked at last, so that going back costs nothing."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from llt.data.dataset import Dataset
from llt.data.sample import Floats
from llt.evaluation.moments import moments_of
from llt.surrogate import Surrogate

HELD = 2**27  # bytes of predictions that are kept


class Answers:
    """Of a surrogate, if there is one."""

    def __init__(self, surrogate: Surrogate | None) -> None:
        self._surrogate = surrogate
        self._kept: OrderedDict[tuple[int, int | None], Floats] = OrderedDict()
        self._lock = Lock()

    def find(self, data: Dataset, index: int, number: int, moment: int | None) -> Floats:
        """Of case `number`, which is `index` in the data, at a time: (N, Cu)."""
        assert self._surrogate is not None
        key = number, moment
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        moments = [moment or 0]
        if data.view is not None and data.times is not None:  # a rollout gives all at once
            moments = [*range(len(data.times))]
        found = moments_of(self._surrogate, data, index, moments)
        with self._lock:
            for k, one in zip(moments, found, strict=True):
                self._kept[number, None if moment is None else k] = one.u
            while len(self._kept) > 1 and sum(u.nbytes for u in self._kept.values()) > HELD:
                self._kept.popitem(last=False)
        return found[moments.index(moment or 0)].u
