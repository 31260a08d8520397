"""What is to be said about trust, in sentences that the command and the report share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llt.evaluation.trust import Trusted
from llt.evaluation.verdict import percent
from llt.problem import Problem
from llt.trust import Trust
from llt.trust.distance import Distance


def claims(trust: Trust | Trusted, problem: Problem | None = None) -> Iterator[str]:
    """What is said of a new case, from the cases that it was found on."""
    note = trust.missing if isinstance(trust, Trust) else trust.note
    if note or trust.error is None:
        yield note or "no error bars"
        return
    share = f"{100 * trust.level:g} %"
    units = {} if problem is None else {field.name: field.unit for field in problem.outputs}
    bars = ", ".join(
        f"{name} {bar:.3g} {units.get(name, '')}".strip() for name, bar in trust.bars.items()
    )
    yield (
        f"error bars from {trust.cases} validation cases: {share} of the points of a new case are "
        f"off by less than {bars}"
    )
    yield f"{share} of new cases are off by less than {percent(trust.error)} (relative L2)"


def outcome(trusted: Trusted, split: str, indices: Sequence[int]) -> Iterator[str]:
    """What came of it on a split of these samples, which lie far out, where errors are largest."""
    if trusted.coverage and trusted.case_coverage is not None:
        points = ", ".join(f"{name} {percent(part)}" for name, part in trusted.coverage.items())
        cases = percent(trusted.case_coverage)
        yield f"on the {split} split: of the points, {points}; of the cases, {cases}"
    yield from far_out(list(map(Distance, trusted.distances, trusted.groups)), indices)
    if trusted.hardest:
        yield f"{trusted.hardest}: more training cases there would help most"


def far_out(distances: Sequence[Distance], numbers: Sequence[int] = ()) -> Iterator[str]:
    """The farthest of some cases from the training cases, by its number, and how many lie beyond.

    Args:
        numbers: of the cases; by default they are counted from 0.
    """
    if not distances:
        return
    place = max(range(len(distances)), key=lambda case: distances[case].value)
    most = distances[place]
    number = numbers[place] if numbers else place
    where = f" (case {number}, {most.group})" if len(distances) > 1 else f" ({most.group})"
    beyond = sum(distance.value > 1 for distance in distances)
    scale = "1 is that of the farthest training case"
    yield f"distance from the training cases: {most.value:.2f}{where}; {scale}"
    if beyond:
        who = "the case lies" if len(distances) == 1 else f"{beyond} of {len(distances)} cases lie"
        yield f"unfamiliar: {who} further out than every training case; errors may be far larger"
