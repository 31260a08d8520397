"""The sizes that are matched to LLT's, in a table: they follow from the models alone."""

from __future__ import annotations

from functools import cache

from llt.bench.figures import TITLES
from llt.bench.markdown import Lines, markdown
from llt.bench.matched import OURS, matched_size, parameters
from llt.bench.record import Records
from llt.models import MODELS, needs
from llt.problem import PROBLEMS, Problem
from llt.recipes import recipe_preset


def matched(records: Records) -> Lines:
    """No record is needed."""
    return _table()


@cache
def _table() -> Lines:
    """A row for every model, in the end LLT's parameters, which are to be met."""
    rows = [
        (TITLES[model], *(_text(model, problem) for problem in PROBLEMS.values()))
        for model in MODELS
        if model != OURS
    ]
    ours = (f"{parameters(OURS, p, _settings(OURS, p)):,}" for p in PROBLEMS.values())
    titles = ("model", *(name.capitalize() for name in PROBLEMS))
    return markdown(titles, [*rows, (f"{TITLES[OURS]}: parameters", *ours)])


def _text(model: str, problem: Problem) -> str:
    """As in `160/8, +2.4 %`: width and heads, and the parameters beside LLT's."""
    if not needs(problem) <= MODELS[model].supports:
        return ""
    settings = _settings(model, problem)
    target = parameters(OURS, problem, _settings(OURS, problem))
    size = matched_size(model, problem, settings, target)
    if size is None:
        return "/"
    percent = 100 * (parameters(model, problem, {**settings, **size}) / target - 1)
    # without the zero a small loss would be -0.0 %
    return f"{'/'.join(map(str, size.values()))}, {round(percent, 1) + 0.0:+.1f} %"


def _settings(model: str, problem: Problem) -> dict[str, object]:
    return dict(recipe_preset("best", problem, model).model)
