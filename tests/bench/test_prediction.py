"""`llt bench prediction`: chunks against the whole, on point sets and grids."""

from llt.bench import prediction
from llt.bench.record import read_record
from llt.cli import main


def test_chunks_agree_with_the_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(prediction, "STREAM_ABOVE", 200)
    small = prediction.find_preset

    def preset(name):
        from dataclasses import replace

        return replace(small(name), model={"dim": 8, "num_layers": 1, "heads": 2})

    monkeypatch.setattr(prediction, "find_preset", preset)
    out = tmp_path / "prediction/record.json"
    sizes = ["--points", "150,300", "--grids", "144", "--chunk", "50", "--cases", ""]
    assert main(["bench", "prediction", *sizes, "--device", "cpu", "--out", str(out)]) == 0
    record = read_record(out)
    points, many, grid = record.results.values()
    assert [row["num_points"] for row in (points, many, grid)] == [150, 300, 144]
    assert points["neighbors_s"] > 0
    assert grid["neighbors_s"] is None
    for row in (points, grid):
        assert 0 < row["difference"] < 1e-5  # not the same computation, but the same numbers
        assert row["at_once_s"] > 0
    assert "at_once_s" not in many  # where predict itself would take chunks
    assert record.settings == {"chunk": 50}
    assert capsys.readouterr().out.count("car: num_points") == 2
