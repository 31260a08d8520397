"""`llt bench solvers`: what is measured is what the solver gives."""

import pytest

from llt.bench import solvers
from llt.bench.record import read_record
from llt.cli import main
from llt.solvers import elasticity, sample_rng


def test_record_of_a_solver(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(solvers, "SECONDS_EACH", 0.01)
    out = tmp_path / "solvers/record.json"
    words = ["--samples", "3", "--compared", "2", "--workers", "2", "--out", str(out)]
    assert main(["bench", "solvers", "elasticity", *words]) == 0
    record = read_record(out)
    assert record.settings == {"samples": 3, "compared": 2}
    found = record.results["elasticity"]
    samples = [
        elasticity.solve_sample(sample_rng(0, i), elasticity.Settings()).outputs["stress"]
        for i in range(3)
    ]
    assert found["fields"]["stress"]["largest"] == solvers.spread([s.max() for s in samples])
    assert found["failed"] == 0
    assert len(found["seconds"]) == 3
    assert set(found["solver"]) >= {"iterations", "residual"}
    beside = found["comparison"]
    assert beside["plain"] == "scikit-fem"
    assert beside["speedup"] == beside["plain_s"] / beside["ours_s"]
    assert found["workers"]["speedup"] == found["workers"]["one_s"] / found["workers"]["many_s"]
    shown = capsys.readouterr().out
    assert "elasticity: " in shown
    assert "scikit-fem" in shown
    assert "2 workers" in shown


def test_workers_have_one_thread_and_the_environment_is_as_before(monkeypatch):
    import os

    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with solvers._pool(1) as pool:
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_batches_are_timed_and_refused_draws_counted():
    found = solvers.measure_batch("darcy", 1, "cpu")
    assert (found["samples"], found["refused"]) == (1, 0)
    assert found["seconds"] > 0


def test_failed_samples_are_counted(monkeypatch):
    from llt.errors import SolverError
    from llt.solvers import pipe

    solve, calls = pipe.solve_sample, []

    def sometimes(rng, settings, *, index=None):
        calls.append(1)
        if len(calls) == 2:
            raise SolverError("diverged")
        return solve(rng, settings)

    monkeypatch.setattr(pipe, "solve_sample", sometimes)
    found = solvers.measure_here("pipe", pipe.Settings(elements=4), 3, 1)
    assert found["failed"] == 1


@pytest.mark.parametrize("name", ["dacry", "heat"])
def test_a_problem_without_a_solver_is_refused_first(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(solvers, "measure_solver", lambda *_, **__: pytest.fail("measured"))
    out = tmp_path / "solvers/record.json"
    assert main(["bench", "solvers", "elasticity", name, "--out", str(out)]) == 2
    assert f"unknown problem with a solver '{name}'" in capsys.readouterr().err
    assert not out.exists()
