"""Tables of what damaged files did."""

from __future__ import annotations

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Record, Records

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
