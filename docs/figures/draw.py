"""Draw five test cases as the paper's figures do: reference, prediction, error, at the last time.

python docs/figures/draw.py CHECKPOINT DATA docs/figures/plasticity.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import llt
from llt.evaluation.strip import cases_figure

CASES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path, help="a run folder, a checkpoint, pretrained:NAME")
    parser.add_argument("data", type=Path, help="a dataset file: the first of its test split")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    data = llt.open(args.data)
    figure = cases_figure(llt.load(args.checkpoint), data, data.split("test")[:CASES].tolist())
    args.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(args.out, dpi=110)


if __name__ == "__main__":
    main()
