"""From solutions to a dataset file: every kind of solution, one sample at a time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from llt import generation
from llt.errors import ConfigError, SolverError
from llt.generation import generate_file, to_sample
from llt.problem import Field, Problem
from llt.solvers.base import Solution, sample_rng

HEAT = Problem(
    name="heat",
    space_dim=2,
    inputs=("source", "conductivity"),
    outputs=(Field("temperature", "K", mask="inside"),),
    parameters=("power",),
    derived=("loss",),
    grid=(5, 5),
    timed=True,
)


@dataclass(frozen=True)
class Settings:
    nx: int = 4
    ny: int = 3


def solve_sample(rng, settings, *, index=None):
    grid = settings.ny, settings.nx
    y, x = np.meshgrid(*(np.arange(n) / n for n in grid), indexing="ij")
    return Solution(
        points=np.stack([x, y], axis=-1),
        inputs={"source": rng.random((6, *grid)), "conductivity": rng.random(grid)},
        outputs={"temperature": rng.random((6, *grid))},
        times=np.linspace(0, 3, 6),
        masks={"inside": x > 0},
        parameters={"power": 10.0 + index},
        derived={"loss": 0.5 * index},
        weights={"loss/temperature": x + index},
        info={"iterations": 3.0 + index},
    )


@pytest.fixture
def solver(monkeypatch):
    heat = SimpleNamespace(Settings=Settings, VERSION=2, solve_sample=solve_sample)
    monkeypatch.setattr("llt.solvers.generate.find_solver", lambda name: heat)
    monkeypatch.setattr(generation, "find_problem", lambda name: HEAT)


def test_solutions_with_everything_become_a_dataset(solver, tmp_path):
    counted = []

    class Counting:
        def __init__(self, title, total):
            counted.append((title, total))

        def __enter__(self):
            return lambda: counted.append(1)

        def __exit__(self, *error):
            pass

    data = generate_file(
        "heat", tmp_path / "heat.h5", counts=(3, 1, 1), seed=4, workers=1, progress=Counting
    )
    assert counted == [("generating heat", 5), 1, 1, 1, 1, 1]
    assert data.problem == replace(HEAT, grid=(3, 4))
    assert (len(data), data.shared_points, data.timed_inputs) == (5, True, True)
    assert data.parameters[:, 0].tolist() == [10, 11, 12, 13, 14]
    assert data.derived[:, 0].tolist() == [0, 0.5, 1, 1.5, 2]
    assert data.sample(2).weights["loss/temperature"].tolist() == [2, 2.25, 2.5, 2.75] * 3
    assert data.records["iterations"].tolist() == [3, 4, 5, 6, 7]
    assert data.provenance["settings"] == {"nx": 4, "ny": 3}
    assert data.provenance["seconds_per_sample"] > 0
    expected = solve_sample(sample_rng(4, 3), Settings(), index=3)
    sample = data.sample(3)
    inside = expected.points[..., 0] > 0
    np.testing.assert_array_equal(sample.masks["inside"], inside.ravel())
    np.testing.assert_allclose(
        sample.outputs[5, :, 0], expected.outputs["temperature"][5].ravel(), rtol=1e-6
    )
    for moment in (0, 5):  # what does not change is the same at all times
        a = sample.inputs[moment]
        np.testing.assert_allclose(a[:, 0], expected.inputs["source"][moment].ravel(), rtol=1e-6)
        np.testing.assert_allclose(a[:, 1], expected.inputs["conductivity"].ravel(), rtol=1e-6)
    assert [p.name for p in tmp_path.iterdir()] == ["heat.h5"]


def test_a_single_time_keeps_its_axis():
    solution = replace(
        solve_sample(np.random.default_rng(0), Settings(), index=0),
        outputs={"temperature": np.ones((1, 3, 4))},
        inputs={name: np.ones((3, 4)) for name in HEAT.input_names},
        times=np.zeros(1),
    )
    sample = to_sample(solution, HEAT)
    assert sample.outputs.shape == (1, 12, 1)
    assert sample.inputs.shape == (12, 2)


def test_a_problem_without_a_gpu_solver_is_refused(solver, tmp_path):
    with pytest.raises(ConfigError, match="heat has no GPU solver, only car, darcy, plasticity"):
        generate_file("heat", tmp_path / "x.h5", counts=(1, 1, 1), device="cuda")


def test_an_executor_gives_the_same_file(solver, tmp_path):
    one, two = tmp_path / "one.h5", tmp_path / "two.h5"
    expected = generate_file("heat", one, counts=(3, 1, 1), workers=1)
    with ThreadPoolExecutor(2) as pool:
        data = generate_file("heat", two, counts=(3, 1, 1), executor=pool)
    assert data.hash == expected.hash
    assert data.provenance["seconds_per_sample"] > 0
    assert not (tmp_path / "two.h5.parts").exists()


@pytest.mark.parametrize(
    ("problem", "options", "message"),
    [
        ("heat", {"workers": 2}, "workers 2: an executor or Dask has its own; leave them out"),
        ("darcy", {"device": "cuda"}, "device cuda: an executor or Dask solves on CPUs"),
        ("heat", {"executor": 4}, r"executor is int, not one of .*client.get_executor\(\)"),
    ],
)
def test_what_does_not_go_with_an_executor_is_refused(solver, tmp_path, problem, options, message):
    with ThreadPoolExecutor(1) as pool, pytest.raises(ConfigError, match=message):
        given = {"counts": (1, 1, 1), "executor": pool} | options
        generate_file(problem, tmp_path / "x.h5", **given)
    assert not [*tmp_path.iterdir()]


def test_a_folder_is_not_replaced_by_a_file(solver, tmp_path):
    with pytest.raises(ConfigError, match="is a folder; give the file to write"):
        generate_file("heat", tmp_path, counts=(1, 1, 1), force=True)


def test_batches_on_a_device_give_the_samples_of_the_cpu(monkeypatch):
    from llt.solvers import darcy, darcy_torch
    from llt.solvers.generate import Job, make_settings

    settings = make_settings("darcy", {"resolution": 17, "stored_resolution": 9})
    job = Job.of("darcy", 0, settings)
    monkeypatch.setattr(darcy_torch, "BATCH_SIZE", 2)
    sizes, solve = [], darcy_torch.solve_samples

    def counted(rngs, settings, **options):
        sizes.append(len(rngs))
        found = solve(rngs, settings, **options)
        # the first draw of the second batch fails, and the one after it
        return [SolverError("no luck"), *found[1:]] if len(sizes) in (2, 3) else found

    monkeypatch.setattr(darcy_torch, "solve_samples", counted)
    advanced = []
    solved = generation._on_gpu(job, 4, "cpu", lambda: advanced.append(1))
    found = list(solved.solutions)
    assert sizes == [2, 2, 1, 1]
    assert len(advanced) == 4
    assert [solution.info["redraws"] for solution in found] == [0, 0, 2, 0]
    for index, attempt in enumerate([0, 0, 2, 0]):
        expected = darcy.solve_sample(sample_rng(0, index, attempt), settings).outputs["pressure"]
        np.testing.assert_allclose(found[index].outputs["pressure"], expected, rtol=1e-9)
