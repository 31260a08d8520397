"""Documents that are made from the records: tables in README and docs, and the index of records.

In Markdown a table stands between `<!-- table: NAME -->` and `<!-- end -->`; what is there is
replaced by what the function of that name in `published.TABLES` makes of the records.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from llt.bench.markdown import markdown
from llt.bench.published import TABLES
from llt.bench.record import ARCHIVE, Records
from llt.errors import DataError, unknown
from llt.runtime.files import write_text

MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
STUDIES = {
    "accuracy": "Trainings and their errors on the test split",
    "cost": "Time and memory of a training step",
    "data": "Learning curves: what more data would bring",
    "design": "Designs found by gradients of a surrogate, checked with the solver",
    "kernels": "Errors and times of the fused kernels",
    "models": "Baselines beside their authors' code",
    "parallel": "Training steps of several processes, beside one",
    "precision": "Errors after training in different precisions",
    "preparation": "Folders of simulation results, read: time and memory",
    "prediction": "Time and memory of predictions on large meshes",
    "recipe": "Parts of the recipe, tried one by one",
    "race": "Error over seconds of training, LLT beside Transolver",
    "robustness": "Kills, faults and damaged files, and what came of them",
    "serve": "The service under load, and what misbehaving clients were answered",
    "small": "Small training sets in minutes on the CPU",
    "solvers": "Reference solvers beside plain alternatives",
    "trust": "Whether error bars hold on new cases",
    ARCHIVE: "Versions and drafts left behind; `docs/kernels.md` refers to them",
}
INDEX = """# Measurements

The numbers in README and docs come from the records here: JSON files that hold the command, the
environment (commit, date, device, versions), the data, the settings and the results. The id of a
record is its folder and name, as in `cost/matched-h200`. `llt bench` makes new ones; a command that
no longer exists is found at the commit of its record, where a `+` means uncommitted changes.

This page is made by `llt bench index`, the tables in README and docs by `llt bench tables`.
"""


def documents(root: Path) -> list[Path]:
    return [root / "README.md", *root.glob("SECURITY.md"), *sorted(root.glob("docs/**/*.md"))]


def write_tables(root: Path, records: Records) -> list[Path]:
    """Bring the documents up to date; gives those that changed."""
    changed = []
    for path in documents(root):
        text = path.read_text()
        if (new := fill(text, records)) != text:
            write_text(path, new)
            changed.append(path)
    return changed


def fill(text: str, records: Records) -> str:
    def replaced(found: re.Match[str]) -> str:
        start, name, end = found.groups()
        if name not in TABLES:
            raise DataError(unknown("table", name, TABLES))
        try:
            lines = TABLES[name](records)
        except KeyError as error:
            raise DataError(f"table {name}: the records have no {error}") from None
        return start + "".join(f"{line}\n" for line in lines) + end

    return MARKED.sub(replaced, text)


def write_index(root: Path, records: Records) -> Path:
    path = root / "benchmarks/README.md"
    write_text(path, index(records))
    return path


def index(records: Records) -> str:
    """The page that lists all records, by study."""
    text = INDEX
    for study, group in groupby(records.items(), key=lambda item: item[0].split("/")[0]):
        if study not in STUDIES:
            raise DataError(unknown("study", study, STUDIES))
        folder = study if study == ARCHIVE else f"studies/{study}"
        rows = (
            (
                f"[{record.title}]({folder}/{name.split('/')[1]}.json)",
                record.environment["device"],
                record.environment["date"][:10],
                f"`{record.environment['commit']}`",
            )
            for name, record in group
        )
        lines = markdown(("record", "device", "date", "commit"), rows)
        text += f"\n## {study.capitalize()}\n\n{STUDIES[study]}.\n\n" + "\n".join(lines) + "\n"
    return text
