"""Whether error bars hold: validation and test cases dealt out anew, many times.

The surrogate has been trained on neither, so that any split of them is as good as the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.errors import DataError
from llt.evaluation.rollouts import case_errors
from llt.evaluation.trust import PointScores, coverage
from llt.surrogate import Surrogate
from llt.trust.conformal import LEVEL, case_bar, fewest_cases, point_bar


def measure_coverage(
    surrogate: Surrogate, data: Dataset, *, splits: int = 20, seed: int = 0
) -> dict[str, Any]:
    """Shares of points and cases within bars from as many others as the validation split has."""
    pool, count = np.concatenate([data.split("val"), data.split("test")]), len(data.split("val"))
    if count < fewest_cases():
        raise DataError(f"{count} validation cases give no bars; at least {fewest_cases()} do")
    scores = PointScores(data, pool)
    errors = case_errors(surrogate, data, pool, seen=scores.see)
    by_field, total = scores.by_field(), errors.total.cpu().numpy()
    rng, points, cases = np.random.default_rng(seed), [], []
    for _ in range(splits):
        order = rng.permutation(len(pool))
        val, test = order[:count], order[count:]
        points.append(_point_coverage(by_field, val, test))
        bar = case_bar(total[val])
        assert bar is not None
        cases.append(float((total[test] <= bar).mean()))
    return {
        "level": LEVEL,
        "validation_cases": count,
        "test_cases": len(pool) - count,
        "points": {name: _summary([row[name] for row in points]) for name in points[0]},
        "cases": _summary(cases),
    }


def _point_coverage(
    scores: dict[str, list[NDArray[Any]]], val: NDArray[np.int64], test: NDArray[np.int64]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, every in scores.items():
        bar = point_bar([every[case] for case in val])
        assert bar is not None
        found |= coverage({name: bar}, {name: [every[case] for case in test]})
    return found


def _summary(shares: list[float]) -> dict[str, Any]:
    return {"mean": float(np.mean(shares)), "std": float(np.std(shares)), "shares": shares}
