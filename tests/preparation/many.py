"""Folders of many large cases through `llt prepare`: memory does not grow with their number.

    python -m tests.preparation.many [--points 200000] [-o record.json]

VTU files of displaced boxes of hexahedra, each case of a size of its own; the memory is that of the
command and of the processes that read for it, together.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import torch

from llt.bench.record import new_record, write_record
from tests.own_mesh.million import box, memory


def measure(folder: Path, cases: int) -> dict[str, float]:
    out = folder / f"{cases}.h5"
    words = [
        "prepare",
        str(folder / str(cases)),
        "-o",
        str(out),
        "--outputs",
        "p,U",
        "--workers",
        "2",
    ]
    begin, peak = time.perf_counter(), 0
    with subprocess.Popen(
        [sys.executable, "-m", "llt", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            time.sleep(0.05)
    assert process.returncode == 0
    seconds = time.perf_counter() - begin
    return {
        "seconds": round(seconds, 1),
        "peak_gib": round(peak / 2**30, 2),
        "file_gib": round(out.stat().st_size / 2**30, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=200_000, help="of a case, about")
    parser.add_argument("--cases", default="10,50", help="numbers of them")
    parser.add_argument("-o", "--out", type=Path)
    words = parser.parse_args()
    side = round(words.points ** (1 / 3))
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in map(int, words.cases.split(",")):
            (folder / str(number)).mkdir()
            for i in range(number):
                box(side + i % 3 - 1, i).save(folder / str(number) / f"c{i}.vtu")
            results[f"{number} cases"] = measure(folder, number)
    sys.stdout.write(f"{json.dumps(results)}\n")
    if words.out:
        title = f"Cases of {side**3:,} points through prepare: time and memory"
        settings = {"points": side**3, "workers": 2}
        record = new_record("preparation", title, torch.device("cpu"), results, settings)
        write_record(words.out, replace(record, command="python -m tests.preparation.many"))


if __name__ == "__main__":
    main()
