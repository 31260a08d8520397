"""Many samples: the same whatever the workers, resumed after a crash, redrawn and counted."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from llt.errors import ConfigError, DataError, SolverError
from llt.solvers.base import Solution
from llt.solvers.generate import Job, generate, make_settings, solve_parts
from llt.solvers.parts import Parts
from tests.waiting import until

SMALL = {"resolution": 17, "stored_resolution": 9}


def job(seed=0, **changes):
    return Job.of("darcy", seed, make_settings("darcy", SMALL | changes))


def pressures(solutions):
    return [s.outputs["pressure"] for s in solutions]


def test_samples_do_not_depend_on_workers_or_number(tmp_path):
    one = pressures(generate(job(), 4, tmp_path / "one"))
    two = pressures(generate(job(), 6, tmp_path / "two", workers=2))
    assert len(two) == 6
    for a, b in zip(one, two, strict=False):
        np.testing.assert_array_equal(a, b)
    assert not np.allclose(one[0], one[1])


def test_an_executor_solves_the_same_samples_and_only_those_that_are_missing(tmp_path):
    one = pressures(generate(job(), 5, tmp_path / "one"))
    own, counted = Parts(tmp_path / "two", asdict(job())), []
    own.claim([])
    own.write(3, Parts(tmp_path / "one", asdict(job())).read(3))
    with ThreadPoolExecutor(3) as pool:
        seconds = solve_parts(
            job(), range(5), own, executor=pool, on_sample=lambda: counted.append(1)
        )
        stamps = {p: p.stat().st_mtime_ns for p in own.folder.glob("*.npz")}
        assert solve_parts(job(), range(5), own, executor=pool) is None
    np.testing.assert_array_equal(pressures(map(own.read, range(5))), one)
    assert len(counted) == 5 and 0 < seconds < 10
    assert {p: p.stat().st_mtime_ns for p in own.folder.glob("*.npz")} == stamps


def test_a_worker_with_another_solver_is_refused(tmp_path):
    old = replace(job(), version=job().version + 1)
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ConfigError, match=r"has version \d+ of the darcy solver, not \d+; install"),
    ):
        solve_parts(old, range(2), Parts(tmp_path, asdict(old)), executor=pool)


def test_an_executor_that_breaks_keeps_what_is_finished(tmp_path):
    own = Parts(tmp_path, asdict(job()))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:

        def kill():
            for child in multiprocessing.active_children():
                child.kill()

        many = range(10_000)  # of which hundreds may be solved before this process is told of one
        with pytest.raises(SolverError, match=r"a worker process died; \d+ finished samples"):
            solve_parts(job(), many, own, executor=pool, on_sample=kill)
    assert 1 <= len([*tmp_path.glob("*.npz")]) < len(many)


def test_other_seed_gives_other_samples(tmp_path):
    a = pressures(generate(job(0), 1, tmp_path / "a"))
    b = pressures(generate(job(1), 1, tmp_path / "b"))
    assert not np.allclose(a, b)


def test_finished_samples_are_not_solved_again(tmp_path):
    generate(job(), 3, tmp_path)
    for path in tmp_path.glob("*.npz"):
        os.utime(path, (0, 0))  # unlike any that is written now
    (tmp_path / "000001.npz").unlink()
    generate(job(), 3, tmp_path)
    after = {p.name for p in tmp_path.glob("*.npz") if p.stat().st_mtime_ns}
    assert after == {"000001.npz"}


def test_parts_of_another_job_are_not_mixed_in(tmp_path):
    generate(job(0), 1, tmp_path)
    with pytest.raises(DataError, match="holds samples of another seed, setting or solver version"):
        generate(job(1), 1, tmp_path)


class Stubborn:
    """A solver that fails on a sample's first draws."""

    VERSION = 1

    class Settings:
        pass

    def __init__(self, failures):
        self.failures = failures
        self.draws = []

    def solve_sample(self, rng, settings, *, index=None):
        self.failures -= 1
        self.draws.append((index, rng.random()))
        if self.failures >= 0:
            raise SolverError("no luck")
        return Solution(
            points=np.zeros((1, 2)), inputs={}, outputs={"u": np.ones(1)}, info={"residual": 0.5}
        )


def test_failed_draws_are_redrawn_and_counted(tmp_path, monkeypatch):
    solver = Stubborn(failures=2)
    monkeypatch.setattr("llt.solvers.generate.find_solver", lambda name: solver)
    (solution,) = generate(Job("stubborn", 0, {}, 1), 1, tmp_path)
    assert solution.info == {"residual": 0.5, "redraws": 2}
    assert [index for index, _ in solver.draws] == [0, 0, 0]
    assert len({number for _, number in solver.draws}) == 3


def test_a_sample_that_never_works_is_an_error(tmp_path, monkeypatch):
    solver = Stubborn(failures=10**6)
    monkeypatch.setattr("llt.solvers.generate.find_solver", lambda name: solver)
    with pytest.raises(SolverError, match="sample 0: 20 draws failed, last: no luck"):
        generate(Job("stubborn", 0, {}, 1), 1, tmp_path)


def test_dead_worker_keeps_what_is_finished(tmp_path):
    """Workers killed from outside: one clear error, and the job goes on where it stopped."""
    finished = 0

    def kill_at_third():
        nonlocal finished
        finished += 1
        if finished == 3:
            for child in multiprocessing.active_children():
                child.kill()

    with pytest.raises(SolverError, match=r"a worker process died; \d+ finished samples are kept"):
        generate(job(), 400, tmp_path, workers=2, on_sample=kill_at_third)
    kept = {p.name: p.stat().st_mtime_ns for p in tmp_path.glob("*.npz")}
    assert 3 <= len(kept) < 400
    generate(job(), 10, tmp_path)
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in kept} == kept


def test_an_interrupted_job_does_not_finish_what_it_has_not_begun(tmp_path):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(job(), 400, tmp_path, workers=2, on_sample=interrupt)
    assert len(list(tmp_path.glob("*.npz"))) < 200


def test_a_sample_is_never_half_written(tmp_path, monkeypatch):
    def full_disk(archive, *content):
        archive.fp.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zipfile.ZipFile.writestr", full_disk)
    with pytest.raises(OSError, match="No space left"):
        generate(job(), 1, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["job.json"]


def test_what_killed_workers_left_is_removed_and_all_samples_are_counted(tmp_path):
    generate(job(), 2, tmp_path)
    (tmp_path / ".000002.npz.123.part").write_bytes(b"half")
    counted = []
    generate(job(), 3, tmp_path, on_sample=lambda: counted.append(1))
    assert len(counted) == 3
    assert not list(tmp_path.glob(".*"))


def test_samples_of_another_solver_version_are_not_mixed_in(tmp_path):
    from llt.solvers import darcy

    assert job().version == darcy.VERSION
    generate(job(), 1, tmp_path)
    with pytest.raises(DataError, match="another seed, setting or solver version"):
        generate(replace(job(), version=darcy.VERSION + 1), 1, tmp_path)


def test_an_integer_is_a_fine_float_setting():
    settings = make_settings("darcy", {"tau": 5})
    assert type(settings.tau) is float


def test_unknown_problem_and_settings():
    with pytest.raises(
        ConfigError, match="unknown problem with a solver 'darci'; did you mean darcy"
    ):
        make_settings("darci", {})
    with pytest.raises(ConfigError, match="unknown setting of the darcy solver 'resolutoin'"):
        make_settings("darcy", {"resolutoin": 5})
    with pytest.raises(ConfigError, match="resolution='big' must be of type int"):
        make_settings("darcy", {"resolution": "big"})


WORK = """
import sys, time
from pathlib import Path
from llt.solvers import generate
from llt.solvers.generate import Job

if __name__ == "__main__":
    job = Job.of("darcy", 0, generate.make_settings("darcy", {"resolution": 85}))
    generate.generate(job, 10**5, Path(sys.argv[1]), workers=2)
"""


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_worker_outlives_the_job(tmp_path, stop):
    script = tmp_path / "work.py"
    script.write_text(WORK)
    job = subprocess.Popen(
        [sys.executable, script, tmp_path / "parts"], stderr=subprocess.DEVNULL, cwd=tmp_path
    )

    def some_are_solved():
        assert job.poll() is None
        return len([*(tmp_path / "parts").glob("*.npz")]) >= 4

    until(some_are_solved)
    workers = children(job.pid)
    assert len(workers) >= 2
    job.send_signal(stop)
    job.wait(120)
    until(lambda: not any(is_alive(pid) for pid in workers))


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
