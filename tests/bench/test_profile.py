"""`llt bench kernels` lists what a step spends its time on."""

from dataclasses import replace

from llt.bench import case
from llt.bench.record import read_record
from llt.cli import main
from llt.problem import DARCY
from tests.bench.sizes import SETTINGS


def test_a_step_on_the_cpu(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(case, "find_problem", lambda name: replace(DARCY, grid=(6, 6)))
    preset = replace(case.find_preset("darcy"), model=SETTINGS)
    monkeypatch.setattr(case, "find_preset", lambda name, model: preset)
    out = tmp_path / "kernels/record.json"
    words = ["--device", "cpu", "--repetitions", "2", "--out", str(out)]
    assert main(["bench", "kernels", *words]) == 0
    record = read_record(out)
    found = record.results
    assert found["way"] == "eager"
    times = [row["microseconds"] for row in found["kernels"].values()]
    assert times == sorted(times, reverse=True)
    assert found["microseconds"] == sum(times) > 0
    # every layer's gradient, in every step
    assert any("backward" in name.lower() for name in found["kernels"])
    assert record.settings["iteration"] == "forward, loss, backward, clip, update"
    assert "eager: " in capsys.readouterr().out
