"""The accuracy study in tables: the paper's Table 1, a short form of it, and one for each problem.

An error is the mean over seeds ± their spread, then the rank in its contest, with a question mark
where it is a guess (`ranking`). Bold is what is better than all others for sure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from llt.bench.figures import TITLES
from llt.bench.markdown import Lines, markdown
from llt.bench.matched import MATCHED, OURS
from llt.bench.paper_errors import PAPER_ERRORS
from llt.bench.record import Records
from llt.bench.study_entries import Entry, entries, place
from llt.bench.study_results import Results, study_results

NONE_YET = ["No cell of the accuracy study has been trained yet."]
FIGURE = "figures/study-{}.png"  # of a problem, beside the pages of docs/
DETAILS = (
    *("tier", "model", "trained", "seeds", "parameters", "test error (rank)"),
    *("validation error", "worst sample", "memory"),
)
Table = tuple[list[str], list[tuple[str, ...]]]  # titles and rows
Row = tuple[str, str, str]  # model, recipe, label
Column = tuple[str, int]  # problem, epochs


def study(records: Records) -> Lines:
    """All tiers, one below the other, each as the paper's Table 1."""
    results = study_results(records)
    lines: Lines = []
    for tier in tiers(results):
        lines += [*([""] if lines else []), f"{_progress(results, tier)}:", ""]
        lines += markdown(*tier_table(results, tier, published=True))
    return lines or NONE_YET


def study_short(records: Records) -> Lines:
    """LLT and the best rival on each problem, by validation error; the tier with most seeds."""
    results = study_results(records)
    found = [entry for entry in entries(results) if entry.seeds and not entry.failures]
    if not found:
        return NONE_YET
    tier = max(found, key=lambda entry: (len(entry.seeds), -entry.tier)).tier
    rivals = [entry for entry in found if entry.tier == tier and entry.model != OURS]
    best = {entry.column: entry for entry in sorted(rivals, key=lambda e: -e.validation)}
    models = {OURS, *(entry.model for entry in best.values())}
    return markdown(*tier_table(results, tier, models=models))


def study_problems(records: Records) -> Lines:
    """For each problem its figure and all that is known of every entry."""
    found = [entry for entry in entries(study_results(records)) if entry.seeds]
    lines: Lines = []
    for problem in sorted({entry.data for entry in found}, key=place):
        rows = sorted(
            (entry for entry in found if entry.data == problem),
            key=lambda entry: (entry.contest, entry.error),
        )
        name = problem.capitalize()
        lines += [*([""] if lines else []), f"### {name}", ""]
        if any(entry.is_drawn for entry in rows):
            lines += [f"![{name}: test errors over what they cost]({FIGURE.format(problem)})", ""]
        lines += markdown(DETAILS, map(_details, rows))
    return lines or NONE_YET


def tiers(results: Results) -> list[int]:
    """Those of which something is known."""
    return sorted({entry.tier for entry in entries(results) if entry.seeds or entry.failures})


def tier_table(
    results: Results,
    tier: int,
    *,
    models: Collection[str] = (),
    published: bool = False,
) -> Table:
    """A row for every model and way of training, a column for every problem.

    Args:
        models: those that are shown; default: all.
        published: the paper's numbers below each model's own.
    """
    found = [entry for entry in entries(results) if entry.tier == tier]
    columns = [*dict.fromkeys(entry.column for entry in found)]
    texts = {(entry.row, entry.column): _text(entry) for entry in found}
    shown = sorted({e.row for e in found if e.model in (models or TITLES)}, key=_order)
    rows = []
    for row in shown:
        model, *way = row
        missing = _missing(results, row)
        cells = (texts.get((row, column), missing.get(column[0], "")) for column in columns)
        rows.append((TITLES[model], ", ".join(filter(None, way)), *cells))
        if published and row == max((r for r in shown if r[0] == model), key=_order):
            rows += _published(model, columns)
    rows += _waiting(results, tier, columns)
    return ["model", "trained", *(f"{p.capitalize()}, {n} epochs" for p, n in columns)], rows


def _missing(results: Results, row: Row) -> dict[str, str]:
    """Why a row has nothing on some problems."""
    model, _, label = row
    unmatched = results["unmatched"] if label == MATCHED else ()
    why = {data: "no size near LLT's" for data, other in unmatched if other == model}
    return why | {data: "not for such meshes" for data, other in results["unfit"] if other == model}


def _order(row: Row) -> tuple[bool, int, Row]:
    """As in the paper: LLT comes last, and before it what the paper does not have."""
    known = [*PAPER_ERRORS]
    return row[0] == OURS, known.index(row[0]) if row[0] in known else len(known), row


def _text(entry: Entry) -> str:
    if entry.failures:
        return f"diverged, {entry.failures[0]['error'].partition(';')[0]}"
    if not entry.seeds:
        return "open"
    error = f"{entry.error:.5f}"
    if entry.spread is not None:
        error += f" ± {entry.spread:.5f}"
    if entry.rank and entry.rank.wins:
        error = f"**{error}**"
    still = f", {entry.num_open} of {entry.num_open + len(entry.seeds)} seeds open"
    return f"{error} ({entry.rank}{still if entry.num_open else ''})"


def _published(model: str, columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """The paper's row of a model; none where the paper has none."""
    if model not in PAPER_ERRORS:
        return []
    errors = [PAPER_ERRORS[model].get(problem) for problem, _ in columns]
    texts = ("/" if error is None else f"*{error:.5f}*" for error in errors)
    return [(f"*{TITLES[model]}*", "*published*", *texts)]


def _waiting(results: Results, tier: int, columns: Sequence[Column]) -> list[tuple[str, ...]]:
    """A row for rivals that nobody knows yet."""
    numbers = {
        entry["data"]: f"{entry['number']} open"
        for entry in results["rivals"]
        if entry["tier"] == tier and entry["models"] is None
    }
    cells = [numbers.get(problem, "") for problem, _ in columns]
    return [("rivals", f"chosen after tier {tier - 1}", *cells)] if numbers else []


def _progress(results: Results, tier: int) -> str:
    done, left = (
        sum(cell["tier"] == tier for cell in results[name].values()) for name in ("cells", "open")
    )
    return f"Tier {tier}, {done} of {done + left} cells"


def _details(entry: Entry) -> tuple[str, ...]:
    _, epochs = entry.column
    model, recipe, label = entry.row
    memory = max((seed["memory_bytes"] or 0 for seed in entry.seeds), default=0)
    return (
        str(entry.tier),
        TITLES[model],
        ", ".join(filter(None, (recipe, f"{epochs} epochs", label))),
        str(len(entry.seeds)),
        f"{entry.seeds[0]['parameters']:,}",
        _text(entry),
        f"{entry.validation:.5f}",
        f"{max(seed['worst'] for seed in entry.seeds):.4f}",
        f"{memory / 2**20:.0f} MiB" if memory else "",
    )
