"""A million points in a VTU file in and out: seconds of every part, and memory.

    python -m tests.own_mesh.million [--side 100] [-o record.json]

Boxes of hexahedra with displaced points, a barely trained model of the default size; the memory is
that of the command and of the process that reads and writes for it, together.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyvista
import torch

from llt.bench.record import new_record, write_record


def box(side, seed):
    rng = np.random.default_rng(seed)
    step = 1 / (side - 1)
    grid = pyvista.ImageData(dimensions=(side,) * 3, spacing=(step,) * 3)
    mesh = grid.cast_to_unstructured_grid()
    x = np.asarray(mesh.points, float)
    x = (x + 0.2 * step * rng.uniform(-1, 1, x.shape)) * [1 + rng.random(), 1, 1]
    mesh.points = x
    mesh.point_data["p"] = np.sin(3 * x[:, 0]) * x[:, 1]
    mesh.point_data["U"] = np.stack([x[:, 1], x[:, 2], np.cos(x[:, 0])], -1)
    return mesh


def llt(folder, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "llt", *words], cwd=folder, stdout=subprocess.PIPE
    )


def run(folder, *words):
    with llt(folder, *words) as process:
        process.communicate()
    assert process.returncode == 0, words


def memory(pid):
    """Of a process and of those that it started, in bytes."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return 4096 * pages + sum(memory(int(child)) for child in children)


def measure(side, folder):
    (folder / "cases").mkdir()
    for i in range(6):
        box(11 + i % 2, i).save(folder / "cases" / f"c{i}.vtu")
    box(side, 99).save(folder / "new.vtu")
    run(folder, "prepare", "cases", "-o", "boxes.h5", "--outputs", "p,U")
    run(folder, *["train", "boxes.h5", "--out", "run", "--set", "train.steps=3", "--device", "cpu"])
    begin, peak = time.perf_counter(), 0
    with llt(
        folder, *["predict", "run", "new.vtu", "-o", "out.vtu", "--device", "cpu", "--json"]
    ) as process:
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            time.sleep(0.1)
        about = json.loads(process.stdout.read())["cases"][0]
    whole = time.perf_counter() - begin
    own, out = (pyvista.read(folder / name) for name in ("new.vtu", "out.vtu"))
    assert np.array_equal(own.points, out.points) and np.array_equal(own.cells, out.cells)
    parts = {part: round(seconds, 2) for part, seconds in about["seconds"].items()}
    return {"points": about["count"], "seconds": {**parts, "whole": round(whole, 2)}} | {
        "peak_gib": round(peak / 2**30, 2)
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=100, help="points along each edge")
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--note", default="", help="for the record")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(words.side, Path(folder))
    sys.stdout.write(f"{json.dumps(results)}\n")
    if words.out:
        title = "A million points in a VTU file in and out on the CPU"
        settings = {"side": words.side, "steps": 3}
        record = new_record("prediction", title, torch.device("cpu"), results, settings)
        command = "python -m tests.own_mesh.million"
        write_record(words.out, replace(record, command=command, note=words.note))


if __name__ == "__main__":
    main()
