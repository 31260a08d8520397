"""Small cases to be put into folders."""

import numpy as np


def case(seed=0, *, num=20, dim=2, **changes):
    """Arrays of one case: points, a scalar T, a vector U, a coefficient k; None takes one away."""
    rng = np.random.default_rng(seed)
    x = rng.random((num, dim))
    arrays = {
        "points": x,
        "T": np.sin(x[:, 0]) + seed,
        "U": np.stack([x[:, 1], seed * x[:, 0]][:dim] + [x[:, 0]] * (dim - 2), axis=1),
        "k": x[:, 0] ** 2,
        "speed": np.array(1.0 + seed),
    }
    return {name: value for name, value in (arrays | changes).items() if value is not None}


def write(folder, name, **arrays):
    path = folder / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)
    return path


def write_cases(folder, num=7, **changes):
    """Cases c0, c1, ... of different sizes."""
    for i in range(num):
        write(folder, f"c{i}", **case(i, num=18 + i, **changes))
    return folder
