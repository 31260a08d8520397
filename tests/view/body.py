"""A made-up car of the published size: 32,186 points, 3,682 of them on its surface."""

import numpy as np

from llt.view.container import Parcel

AROUND, ALONG, ALL = 60, 61, 32_186
MARKUP = '<img src="x" onerror="document.title=1"> & <b>car</b>'


class BodyScene:
    """See `scene.Scene`: three cases with truth, prediction, error and bar on the surface."""

    live = None

    def __init__(self):
        self.points, self.triangles = body()
        self.surface = np.zeros(len(self.points), np.uint8)
        self.surface[: AROUND * (ALONG - 2) + 2] = 1

    def about(self):
        pressure = {"name": "pressure", "unit": "Pa", "role": "output", "mask": "surface"}
        parts = ["truth", "prediction", "error", "bar"]
        speed = {"name": "speed", "unit": "m/s", "role": "output", "mask": ""}
        return {
            "title": MARKUP,
            "what": "file",
            "name": MARKUP,
            "subtitle": MARKUP,
            "problem": {"name": "car", "space_dim": 3, "grid": None},
            "times": None,
            "fields": [
                {**pressure, "parts": parts, "range": [-2.0, 2.0]},
                {**speed, "parts": ["truth"], "range": None},
            ],
            "vectors": [],
            "deformed": None,
            "split": "test",
            "splits": ["test"],
            "num_cases": 3,
            "first": "cases",
            "trust": {"share": "90 %", "bars": {"pressure": 0.02}},
            "live": None,
        }

    def cases(self, split):
        labels = ["case 0", MARKUP, "case 2"]
        rows = [
            {
                "id": number,
                "label": label,
                "error": 0.03 - 0.01 * number,
                "errors": {"pressure": 0.03 - 0.01 * number},
                "distance": 0.5,
                "problem": "",
                "parameters": {MARKUP: 1.0},
                "points": ALL,
            }
            for number, label in enumerate(labels)
        ]
        return {"cases": rows, "sorted": "worst first", "pending": 0}

    def mesh(self, split, number):
        box = [self.points.min(0).tolist(), self.points.max(0).tolist()]
        meta = {"id": number, "label": "", "dim": 3, "bounds": box, "surface": "surface", "up": "y"}
        arrays = {"points": self.points, "triangles": self.triangles, "mask:surface": self.surface}
        return Parcel(meta, arrays)

    def fields(self, split, number, moment):
        x, y, z = self.points.T
        truth = np.where(self.surface, np.sin(2 * z + number) + y, np.nan).astype(np.float32)
        error = (0.03 * np.cos(5 * x) * np.cos(3 * z)).astype(np.float32)
        arrays = {
            "pressure/truth": truth,
            "pressure/prediction": truth + error,
            "pressure/error": np.where(self.surface, error, np.nan).astype(np.float32),
            "pressure/bar": np.array([0.02], np.float32),
            "speed/truth": np.hypot(y, z).astype(np.float32),
        }
        return Parcel({"time": None, "seconds": {}, "errors": {"pressure": 0.03}}, arrays)

    def close(self):
        pass


def body():
    """A rounded box's points and triangles, then points in the air around it."""
    u, v = np.meshgrid(
        np.linspace(0, np.pi, ALONG)[1:-1], np.arange(AROUND) * 2 * np.pi / AROUND, indexing="ij"
    )
    ring = [0.9 * np.sin(u) * np.cos(v), 0.7 + 0.6 * np.sin(u) * np.sin(v), 2.3 * np.cos(u)]
    shell = np.stack(ring, -1).reshape(-1, 3)
    ends = [[0, 0.7, 2.3], [0, 0.7, -2.3]]
    surface = np.concatenate([shell, ends])
    here = np.arange(len(shell)).reshape(-1, AROUND)
    beside = np.roll(here, -1, 1)
    a, b, c, d = here[:-1], beside[:-1], beside[1:], here[1:]
    first, last = np.full(AROUND, len(shell)), np.full(AROUND, len(shell) + 1)
    faces = [
        *[np.stack(corners, -1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))],
        np.stack([first, beside[0], here[0]], -1),
        np.stack([last, here[-1], beside[-1]], -1),
    ]
    rng = np.random.default_rng(0)
    box = rng.uniform([-2, 0, -4], [2, 3, 6], (ALL, 3))
    air = box[np.linalg.norm((box - [0, 0.7, 0]) / [0.9, 0.6, 2.3], axis=1) > 1.05]
    points = np.concatenate([surface, air])[:ALL].astype(np.float32)
    return points, np.concatenate(faces).astype(np.uint32)
