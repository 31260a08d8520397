"""Turn a run folder into a committed record: what was trained on what, and how good it is.

python benchmarks/record_run.py RUN benchmarks/NAME.json --command "llt train ..."
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--command", required=True, help="how the run was made")
    args = parser.parse_args()

    def read(name: str) -> dict:
        return json.loads((args.run / name).read_text())

    lines = (args.run / "metrics.jsonl").read_text().splitlines()
    every = max(1, len(lines) // 20)
    kept = [json.loads(line) for line in [*lines[:-1:every], lines[-1]]]
    record = {
        "command": args.command,
        "evaluation": read("evaluation.json"),
        "environment": read("env.json"),
        "data": read("data.json"),
        "config": tomllib.loads((args.run / "config.toml").read_text()),
        "training_seconds": kept[-1]["seconds"],
        "metrics": kept,
    }
    record["data"].pop("path")
    args.out.write_text(json.dumps(record, indent=1) + "\n")
    evaluation = record["evaluation"]
    print(f"{args.out}: {evaluation['split']} relative L2 {evaluation['relative_l2']:.5f}")


if __name__ == "__main__":
    main()
