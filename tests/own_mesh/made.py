"""Surrogates of prepared folders, untrained: what matters here is where their answers go."""

import numpy as np
import torch

from llt.data.folder.choice import Choice
from llt.models import build_model
from llt.preparation.prepare import prepare_folder
from llt.surrogate import Surrogate
from tests.data.folder.made import write


def surrogate_of(folder, **choice):
    out = folder.with_name(f"{choice.get('name', folder.name)}.h5")
    data = prepare_folder(folder, out, Choice(**choice), workers=1)
    torch.manual_seed(0)
    model = build_model("llt", data.problem, dim=8, num_layers=1, heads=2)
    return Surrogate.fit(model, data)


def write_table(path, names, rows):
    lines = [",".join(["case", *names]), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines))
    return path


def write_times(folder, num=4, times=(0.0, 0.5, 1.0)):
    """Cases with scalars h and g that change with time."""
    for i in range(num):
        x = np.random.default_rng(i).random((15 + i, 2))
        h = np.stack([x[:, 0] + t * (1 + i) for t in times])
        write(folder, f"c{i}", points=x, h=h, g=np.cos(h), times=np.array(times))
    return folder
