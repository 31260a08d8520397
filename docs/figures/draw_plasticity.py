"""Draw five test cases of Plasticity at the last frame, as in the paper's figure.

    python docs/figures/draw_plasticity.py RUN docs/figures/plasticity.png

How far the block has moved, drawn on the deformed block: reference above prediction above error.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import llt
from llt.evaluation.metrics import open_data
from llt.evaluation.strip import cases_figure

CASES = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="Another dataset file.")
    args = parser.parse_args()
    surrogate = llt.load(args.run)
    data = open_data(args.run, surrogate, args.data)
    indices = [int(index) for index in data.split("test")[:CASES]]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    cases_figure(surrogate, data, indices).savefig(args.out, dpi=100)


if __name__ == "__main__":
    main()
