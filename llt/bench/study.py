"""The cost study as a folder: after each row its numbers, after each part its figures are there.

record.json  command, environment, settings; errors of kernels and of compiled gradients, every row
             and comparison
*.png        the figures
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from llt.bench.case import Case
from llt.bench.checks import verify_all
from llt.bench.comparison import compare
from llt.bench.cost import (
    Protocol,
    Row,
    Tell,
    measure_cases,
    measure_models,
    measure_scaling,
    runs,
)
from llt.bench.figures import bars_figure, curves_figure, png
from llt.bench.record import new_record, write_record
from llt.bench.roofline import roofline
from llt.runtime.files import write_bytes


class Study:
    """Refuses to begin where fused or compiled gradients are wrong: speed is worth nothing then."""

    def __init__(self, protocol: Protocol, out: Path, tell: Tell) -> None:
        self.protocol, self.out, self.tell = protocol, out, tell
        kernels, compiled = verify_all(protocol)
        self.results: dict[str, Any] = {"kernel_errors": kernels, "compiled_errors": compiled}
        self.record = new_record(
            "cost",
            "Time and memory of a training iteration, LLT beside Transolver",
            protocol.device,
            self.results,
            protocol.to_dict(),
        )

    def matched(self, cases: Sequence[Case]) -> list[Row]:
        rows = measure_cases(cases, self.protocol, self._keeping("matched"))
        self._keep_rows("matched", rows, rows)
        self._draw("matched", curves_figure(rows))
        return rows

    def problems(self, cases: Sequence[Case]) -> list[Row]:
        rows = measure_cases(cases, self.protocol, self._keeping("problems"))
        self._keep_rows("problems", rows, rows)
        found = compare(rows)
        for way in dict.fromkeys(entry.way for entry in found):
            figure = bars_figure([entry for entry in found if entry.way == way])
            self._draw(f"problems-{way.replace(' ', '-')}", figure)
        return rows

    def models(self, cases: Sequence[Case]) -> list[Row]:
        return measure_models(cases, self.protocol, self._keeping("models"))

    def scaling(self, num_points: int, max_points: int | None) -> list[Row]:
        tell = self._keeping("scaling")
        rows = measure_scaling(num_points, self.protocol, tell, max_points=max_points)
        self._keep_rows("scaling", rows, rows)
        self._draw("scaling", curves_figure(rows))
        return rows

    def roofline(self, cases: Sequence[Case]) -> list[dict[str, Any]]:
        results = [roofline(case, self.protocol) for case in cases]
        self._keep("roofline", results)
        return results

    def _keeping(self, name: str) -> Tell:
        """Tells rows as they come, and keeps them: a study may be stopped."""
        rows: list[Row] = []

        def tell(row: Row) -> None:
            rows.append(row)
            self._keep_rows(name, rows, [] if name == "models" else self._complete(rows))
            self.tell(row)

        return tell

    def _complete(self, rows: Sequence[Row]) -> list[Row]:
        """Of the cases that were measured in every way: one that is missing may be the best."""
        ways, number = len(runs(self.protocol)), Counter(row.case for row in rows)
        return [row for row in rows if number[row.case] == ways]

    def _keep_rows(self, name: str, rows: Sequence[Row], compared: Sequence[Row]) -> None:
        comparisons = [entry.to_dict() for entry in compare(compared)]
        self._keep(name, {"rows": [asdict(row) for row in rows], "comparisons": comparisons})

    def _keep(self, name: str, result: Any) -> None:
        self.results[name] = result
        write_record(self.out / "record.json", self.record)

    def _draw(self, name: str, figure: Figure) -> None:
        write_bytes(self.out / f"{name}.png", png(figure))
