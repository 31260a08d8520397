"""Tables of the models: what they reach, and how ours differ from their authors' code."""

from __future__ import annotations

from typing import Any

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records


def models(records: Records) -> Lines:
    rows = records["accuracy/models-darcy-h200-20-epochs"].results["models"]
    found = sorted(rows.items(), key=lambda item: item[1]["test error"])
    return markdown(
        ("model", "parameters", "test error", "training error at the end"),
        (
            (
                f"**`{name}`**" if name == "llt" else f"`{name}`",
                f"{row['parameters']:,}",
                f"{row['test error']:.4f}",
                f"{row['train loss']:.4f}",
            )
            for name, row in found
        ),
    )


def parity(records: Records) -> Lines:
    """What the public code gives and ours with its weights."""
    rows = records["models/parity"].results["models"]
    return markdown(
        ("model", "compared with", "commit", "largest relative difference"),
        (
            (
                f"`{name}`",
                row["compared_with"].removeprefix("https://github.com/"),
                row["commit"][:8],
                f"{row['largest_relative_difference']:.0e}",
            )
            for name, row in sorted(rows.items())
        ),
    )


def deviations(records: Records) -> Lines:
    """Small trainings of models as they are here and as their authors' code is."""
    rows = records["models/deviations-cpu"].results["models"]
    return markdown(
        ("model", "what the authors' code does", "data", "validation errors here", "so"),
        (
            (
                f"`{name}`",
                row["what"],
                row["data"].capitalize(),
                *(", ".join(f"{e:.3f}" for e in row[form]) for form in ("here", "published")),
            )
            for name, row in sorted(rows.items())
        ),
    )


def models_bf16(records: Records) -> Lines:
    rows = records["precision/models-bf16-h200"].results["models"]
    return markdown(
        ("model", "TF32", "bf16", "difference"),
        (
            (f"`{name}`", f"{row['tf32']:.4f}", f"{row['bf16']:.4f}", _percent(row, "tf32", "bf16"))
            for name, row in rows.items()
        ),
    )


def precision(records: Records) -> Lines:
    sixth, seventh = (
        records[f"precision/darcy-{version}h200-10-epochs"].results["variants"]
        for version in ("", "seventh-version-")
    )
    rows = {
        "fp32": sixth["fp32"],
        "TF32": sixth["tf32"],
        "fp16, plain kernels": sixth["fp16"],
        "bf16, fused blocks (sixth version)": sixth["bf16+fused"],
        "fp16, fused blocks (sixth version)": sixth["fp16+fused"],
        "bf16, all fused (seventh)": seventh["bf16+fused"],
        "fp16, all fused (seventh)": seventh["fp16+fused"],
    }
    exact = sixth["fp32"]["error"]
    return markdown(
        ("", "test error", "beside fp32"),
        (
            (
                name,
                f"{row['error']:.5f} ± {row['spread']:.5f}",
                "" if name == "fp32" else _percent({"a": exact, "b": row["error"]}, "a", "b"),
            )
            for name, row in rows.items()
        ),
    )


def _percent(row: dict[str, Any], before: str, after: str) -> str:
    change = f"{row[after] / row[before] - 1:+.1%}".replace("%", " %")
    return "0.0 %" if change in ("+0.0 %", "-0.0 %") else change
