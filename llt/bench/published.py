"""The tables of README and docs, each a function of the records. TABLES has them by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llt.bench.accuracy_tables import study, study_problems, study_short
from llt.bench.markdown import Lines, markdown
from llt.bench.race_report import TITLES as RACE_TITLES
from llt.bench.race_report import race_rows, verdict
from llt.bench.record import Record, Records
from llt.bench.service_table import service
from llt.bench.small_report import small_table
from llt.bench.tables import PAPER_SPEEDUPS
from llt.bench.training_tables import (
    ablation,
    paper_trainings,
    resolutions,
    trained,
    trainings,
    trials,
)

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


def _two_digits(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


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
            "[Darcy](docs/problems/darcy.md), 421 x 421",
            f"{darcy['CG (s)']:.2g} s ({batch})",
            f"{darcy['splu MMD_AT_PLUS_A (s)']:.2g} s, sparse direct solve",
            "",
        ),
        (
            "[Elasticity](docs/problems/elasticity.md)",
            f"{elasticity['ours on the morphed mesh (s)']:.2g} s",
            f"{elasticity['scikit-fem on the morphed mesh (s)']:.2g} s, scikit-fem",
            f"{workers['elasticity']['speedup']:.1f} times faster",
        ),
        (
            "[Pipe](docs/problems/pipe.md)",
            f"{pipe['ours (s, median of 3)']:.1f} s",
            f"{pipe['plain SuperLU (s, median of 3)']:.1f} s, SuperLU with its defaults",
            f"{workers['pipe']['speedup']:.1f} times faster",
        ),
        (
            "[Airfoil](docs/problems/airfoil.md)",
            f"{airfoil['Newton (s, 3 samples)'][1]:.2g} s",
            f"{airfoil['LU-SGS, 3000 iterations (s)'][1]:.1f} s, LU-SGS, 1000 times less converged",
            f"{workers['airfoil']['speedup']:.1f} times faster",
        ),
        (
            "[Plasticity](docs/problems/plasticity.md)",
            f"{plasticity['seconds'][1]:.1f} s",
            f"{slower:.0f} times as long, the same steps as array operations",
            "",
        ),
    ]
    titles = ("problem", "one sample, one core", "plain alternative")
    return markdown((*titles, "16 processes instead of one"), rows)


def race(records: Records) -> Lines:
    """The races, one below the other."""
    lines: Lines = []
    for name, record in _study(records, "race").items():
        found = record.results
        if lines:
            lines.append("")
        about = f"{record.title} (`{name}`, target {found['target']:g})"
        lines += [f"{about}; {verdict(found)}:", "", *markdown(RACE_TITLES, race_rows(found))]
    return lines


def small(records: Records) -> Lines:
    """All cells in one table."""
    cells: dict[str, Any] = {}
    for record in _study(records, "small").values():
        cells |= record.results["cells"]
    return markdown(*small_table(cells)) if cells else []


FUZZED = {  # by the names of the campaign
    "own-file": "own HDF5 files",
    "dataset": "datasets",
    "run": "run folders",
    "stopped-run": "states of interrupted runs",
    "parts": "parts of a generation (solved again where damaged)",
    "question-npz": "NumPy inputs of `predict`",
    "question-h5": "HDF5 inputs of `predict`",
    "settings": "settings in TOML",
    "arrays": "arrays in files of users",
    "matlab-5": "MATLAB 5",
    "matlab-7": "MATLAB 7.3",
    "matlab-slabs": "MATLAB 7.3, read in slabs",
    "numpy": "NumPy",
    "record": "benchmark records",
    "graphs": "cached graphs (made again where damaged)",
    "array-parts": "parts of job arrays",
    "prepared-parts": "parts of `prepare` (read again where damaged)",
    "plan": "plans of `prepare`",
    "table-csv": "tables of parameters, CSV",
    "table-toml": "tables of parameters, TOML",
    "trust": "error bars (`trust.json`; none where damaged)",
    "pack": "packs",
    "run-shown": "run folders in `inspect` and `pack`",
    "study": "studies in TOML",
    "verdict": "cached verdicts on kernels (found again where damaged)",
    "lock": "locks (taken over where damaged)",
    "car": "published cars",
}


def fuzz(records: Records) -> Lines:
    """What came of damaged files."""
    return _fuzzed(records["robustness/fuzz-cpu"])


def fuzz_later(records: Records) -> Lines:
    """The same of the kinds that came later, and of files of simulation programs."""
    return _fuzzed(records["robustness/fuzz-later-cpu"])


def _fuzzed(record: Record) -> Lines:
    kinds = record.results["kinds"]
    return markdown(
        ("kind", "trials", "as before", "refused", "of these found by the child", "changed", "bad"),
        (
            (
                FUZZED.get(name) or f"`{name.removeprefix('format-')}`",
                f"{row['trials']:,}",
                f"{row['same']:,}",
                f"{row['refused'] + row['stopped']:,}",
                f"{row['stopped']:,}",
                f"{row['changed']:,}",
                f"{row['bad']:,}",
            )
            for name, row in kinds.items()
        ),
    )


def _study(records: Records, study: str) -> dict[str, Record]:
    """The records of a study; there may be none yet."""
    return {name: record for name, record in records.items() if name.startswith(f"{study}/")}


def _whole_step(record: Record) -> dict[str, Any]:
    parts = record.results["roofline"][0]["parts"]
    return next(part["ms"] for part in parts if part["part"] == "whole step")


def _digits(ms: float) -> str:
    return f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def _percent(row: dict[str, Any], before: str, after: str) -> str:
    change = f"{row[after] / row[before] - 1:+.1%}".replace("%", " %")
    return "0.0 %" if change in ("+0.0 %", "-0.0 %") else change


def trust(records: Records) -> Lines:
    """Shares within bars that claim 90 %, over the splits."""
    rows = []
    for run, found in records["trust/coverage"].results.items():
        every = [*found["points"].items(), ("cases", found["cases"])]
        shares = (f"{100 * row['mean']:.1f} ± {100 * row['std']:.1f} %" for _, row in every)
        counts = f"{found['validation_cases']} and {found['test_cases']}"
        rows.append((run.removeprefix("pretrained:"), counts, *shares))
    return markdown(("problem", "validation and test cases", "of points", "of cases"), rows)


TABLES: dict[str, Callable[[Records], Lines]] = {
    "trainings": trainings,
    "step": step,
    "predictions": predictions,
    "solvers": solvers,
    "versions": versions,
    "cost-matched": cost("matched", "N"),
    "cost-problems": cost("problems", "problem"),
    "precision": precision,
    "models": models,
    "parity": parity,
    "models-bf16": models_bf16,
    "deviations": deviations,
    "fuzz": fuzz,
    "fuzz-later": fuzz_later,
    "race": race,
    "small": small,
    "study": study,
    "study-short": study_short,
    "study-problems": study_problems,
    "trials-darcy": trials("darcy"),
    "trials-elasticity": trials("elasticity"),
    "trials-airfoil": trials("airfoil"),
    "trials-pipe": trials("pipe"),
    "trials-darcy43": trials("darcy43"),
    "ablation-darcy": ablation("darcy"),
    "ablation-elasticity": ablation("elasticity"),
    "resolutions": resolutions,
    "trainings-paper": paper_trainings,
    "trust": trust,
    "serve": service,
    "trained-airfoil": trained("accuracy/airfoil-h200-best-200-epochs"),
    "trained-airfoil-coordinates": trained(
        "accuracy/airfoil-h200-50-epochs", "accuracy/airfoil-h200-50-epochs-bounding-box"
    ),
    "trained-pipe": trained("accuracy/pipe-h200-best-100-epochs", "accuracy/pipe-h200-50-epochs"),
}
