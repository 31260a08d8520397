"""Tables of time and memory: of steps, predictions and solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Record, Records
from llt.bench.tables import PAPER_SPEEDUPS

VERSIONS = (  # and what bounds each
    ("plain PyTorch, eager", "launching about 2000 kernels"),
    (
        "the whole step in one CUDA graph (`train.mode=graph`)",
        "many small kernels and layout copies",
    ),
    (
        "compiled, then captured (`train.mode=compile`)",
        "attention with 16-wide heads as batched products, 3 x 3 depthwise convolution",
    ),
    ("first fused kernels, captured", "latency; **gradients were wrong, not used**"),
    ("second", "latency: 0.7 ms per block"),
    ("third, the rest compiled", "reductions, weight gradients, float32 stream"),
    (
        "fourth, the rest compiled",
        "memory traffic of some 280 kernels; 0.65 ms lie outside the blocks",
    ),
    ("fifth, the rest compiled", "large kernels: too few warps at a time"),
    (
        "sixth, the rest compiled",
        "registers and shared memory, which limit the warps that could hide latency",
    ),
    ("seventh, captured or compiled", "the same; the blocks take 2.0 of it"),
)


def predictions(records: Records) -> Lines:
    rows = []
    for name, found in records["prediction/cases-h200"].results.items():
        problem, _, _ = name.partition(",")
        search = found["neighbors_ms"] if problem == "elasticity" else 0.0
        rows.append(
            (
                problem,
                f"{found['one_ms']:.2f} ms",
                f"{found['many_ms_each']:.2f} ms ({found['cases']:.0f} cases)",
                f"{search:.1f} ms" if search else "",
                f"{found['many_mib']:.0f} MiB",
            )
        )
    titles = (
        "problem",
        "one case",
        "each of many in one call",
        "of which neighbor search",
        "memory",
    )
    return markdown(titles, rows)


def large(records: Records) -> Lines:
    """Predictions in chunks."""
    found = records["prediction/large-h200"].results
    kinds = {"car": "points in space, 32 neighbors", "darcy": "a square grid"}
    rows = [
        (
            kinds[name.partition(",")[0]],
            f"{row['num_points']:,.0f}",
            f"{row['chunks_s']:.2g} s",
            f"{row['chunks_mib'] / 1024:.1f} GiB",
        )
        for name, row in found.items()
        if "num_points" in row
    ]
    return markdown(("mesh", "points", "prediction", "GPU memory"), rows)


def step(records: Records) -> Lines:
    plain = records["cost/step-plain-h200"].results["milliseconds_per_step"]
    fused = _whole_step(records["cost/roofline-h200"])
    rows = {
        "eager": "eager",
        "one CUDA graph (`train.mode=graph`, default on CUDA)": "graph",
        "compiled, then one CUDA graph (`train.mode=compile`)": "compile",
    }
    return markdown(
        (
            "one complete Darcy training step (batch 4) on an H200",
            "TF32",
            "bf16",
            "fp16, fused kernels (default)",
        ),
        (
            (
                name,
                f"{plain[f'{mode}, tf32']:.1f} ms",
                f"{plain[f'{mode}, bf16']:.1f} ms" if mode != "eager" else "",
                f"{fused[f'{mode} fused']:.1f} ms",
            )
            for name, mode in rows.items()
        ),
    )


def versions(records: Records) -> Lines:
    """What is not in a record was read off a single run."""
    plain = records["cost/step-plain-h200"].results["milliseconds_per_step"]
    first = records["archive/kernels-first-version-h200"].results["fused fp16 step, captured (ms)"]
    fourth, fifth = (
        records[f"archive/step-{name}-version-h200"].results["llt compile fp16 fused"]["ms"]
        for name in ("fourth", "fifth")
    )
    sixth = _whole_step(records["archive/roofline-sixth-version-h200"])["compile fused"]
    seventh = _whole_step(records["cost/roofline-h200"])["compile fused"]
    eager, graph, graph_bf16, compiled, compiled_bf16 = plain.values()
    times = (
        f"{eager:.1f} (TF32)",
        f"{graph:.1f} (TF32), {graph_bf16:.1f} (bf16)",
        f"{compiled:.1f} (TF32), {compiled_bf16:.1f} (bf16)",
        f"{first:.1f} (fp16)",
        "not measured as a step",
        "4.9 (fp16)",
        f"{fourth:.1f} (fp16), 3.6 (bf16)",
        f"{fifth:.1f} (fp16), dropped",
        f"{sixth:.1f} (fp16, without augmentation)",
        f"**{seventh:.1f}** (fp16, without augmentation)",
    )
    rows = zip(VERSIONS, times, strict=True)
    return markdown(
        ("version", "ms per step", "what bounds it"),
        ((name, ms, bound) for (name, bound), ms in rows),
    )


def cost(part: str, title: str) -> Callable[[Records], Lines]:
    def table(records: Records) -> Lines:
        entries = records[f"cost/{part}-h200"].results[part]["comparisons"]
        eager = {entry["case"]: entry["speedup"] for entry in entries if entry["way"] == "eager"}
        titles = ("LLT ms", "Transolver ms", "speedup", "the paper's", "memory", "eager speedup")
        return markdown(
            (title, *titles),
            (
                (
                    entry["case"].capitalize(),
                    _digits(entry["llt_ms"]),
                    _digits(entry["transolver_ms"]),
                    f"{entry['speedup']:.2f}",
                    _two_digits(PAPER_SPEEDUPS.get(entry["case"])),
                    f"{entry['llt_mib'] / entry['transolver_mib']:.2f}",
                    _two_digits(eager[entry["case"]]),
                )
                for entry in entries
                if entry["way"] == "best"
            ),
        )

    return table


def solvers(records: Records) -> Lines:
    darcy, elasticity, pipe, airfoil = (
        records[f"solvers/{name}"].results
        for name in ("darcy-h200", "elasticity-cpu", "pipe-cpu", "airfoil-cpu")
    )
    workers = records["solvers/workers-16-cores"].results
    plasticity = records["solvers/plasticity-cpu"].results["plasticity"]
    slower = plasticity["comparison"]["speedup"]
    batch = f"1200 samples on an H200: {darcy['1200 samples on cuda (s)']:.1f} s"
    rows = [
        (
            "[Darcy](problems/darcy.md), 421 x 421",
            f"{darcy['CG (s)']:.2g} s ({batch})",
            f"{darcy['splu MMD_AT_PLUS_A (s)']:.2g} s, sparse direct solve",
            "",
        ),
        (
            "[Elasticity](problems/elasticity.md)",
            f"{elasticity['ours on the morphed mesh (s)']:.2g} s",
            f"{elasticity['scikit-fem on the morphed mesh (s)']:.2g} s, scikit-fem",
            f"{workers['elasticity']['speedup']:.1f} times faster",
        ),
        (
            "[Pipe](problems/pipe.md)",
            f"{pipe['ours (s, median of 3)']:.1f} s",
            f"{pipe['plain SuperLU (s, median of 3)']:.1f} s, SuperLU with its defaults",
            f"{workers['pipe']['speedup']:.1f} times faster",
        ),
        (
            "[Airfoil](problems/airfoil.md)",
            f"{airfoil['Newton (s, 3 samples)'][1]:.2g} s",
            f"{airfoil['LU-SGS, 3000 iterations (s)'][1]:.1f} s, LU-SGS, 1000 times less converged",
            f"{workers['airfoil']['speedup']:.1f} times faster",
        ),
        (
            "[Plasticity](problems/plasticity.md)",
            f"{plasticity['seconds'][1]:.1f} s",
            f"{slower:.0f} times as long, the same steps as array operations",
            "",
        ),
    ]
    titles = ("problem", "one sample, one core", "plain alternative")
    return markdown((*titles, "16 processes instead of one"), rows)


def _whole_step(record: Record) -> dict[str, Any]:
    parts = record.results["roofline"][0]["parts"]
    return next(part["ms"] for part in parts if part["part"] == "whole step")


def _digits(ms: float) -> str:
    return f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def _two_digits(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"
