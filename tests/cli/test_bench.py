"""`llt bench cost` as a user types it."""

import json

import pytest
import torch

from llt.bench import case
from llt.bench.record import read_record
from llt.cli import main
from llt.errors import KernelError
from tests.bench.sizes import SETTINGS

QUICK = ["--device", "cpu", "--warmup", "0", "--repetitions", "2"]


@pytest.fixture(autouse=True)
def small_models(monkeypatch):
    monkeypatch.setattr(case, "MATCHED_SETTINGS", SETTINGS)
    monkeypatch.setattr("llt.bench.floor.times_ms", lambda *_: [1.0] * 10)


@pytest.fixture
def small_problem(monkeypatch):
    """Darcy and its presets, smaller."""
    from dataclasses import replace

    from llt.problem import DARCY

    small = {"darcy": replace(DARCY, grid=(6, 6))}
    monkeypatch.setattr(case, "find_problem", small.__getitem__)
    preset = replace(case.find_preset("darcy"), model=SETTINGS)
    monkeypatch.setattr(case, "find_preset", lambda name, model: preset)


def bench(*args):
    return main(["bench", "cost", *QUICK, *map(str, args)])


def write_into(path, content):
    path.write_text(json.dumps(content))
    return path


def test_json_is_one_object_with_all_that_was_measured(
    tmp_path, capsys, small_problem, monkeypatch
):
    monkeypatch.setattr("sys.argv", ["llt", "bench", "cost", "--matched"])
    out = tmp_path / "cost"
    studies = ("--matched", "--problems", "--scaling", "--roofline")
    sizes = ("--sizes", "24,16", "--only", "darcy", "--max-points", 48)
    assert bench(*studies, *sizes, "--json", "--out", out) == 0
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads((out / "record.json").read_text())
    assert read_record(write_into(tmp_path / "cost/copy.json", record)).study == "cost"
    assert record["command"] == "llt bench cost --matched"
    parts = record["results"]
    assert parts.pop("kernel_errors") == parts.pop("compiled_errors") == {}  # nothing runs here
    assert record["environment"].keys() >= {"commit", "device", "packages", "date"}
    assert record["settings"] == {
        "device": "cpu",
        "precision": "fp32",
        "modes": ["eager"],
        "batch_size": 4,
        "warmup": 0,
        "repetitions": 2,
        "optimizer": False,
        "authors": None,
        "jobs": 1,
        "iteration": "forward, loss, backward",
    }
    assert parts.keys() == {"matched", "problems", "scaling", "roofline"}
    assert [r["num_points"] for r in parts["matched"]["rows"]] == [16, 16, 24, 24]
    assert [r["case"] for r in parts["problems"]["rows"]] == ["darcy", "darcy"]
    assert [r["num_points"] for r in parts["scaling"]["rows"]] == [24, 24, 48, 48]
    for name in ("matched", "problems", "scaling"):
        for row in parts[name]["rows"]:
            assert row["ms"] > 0
        for entry in parts[name]["comparisons"]:
            assert entry["speedup"] == entry["transolver_ms"] / entry["llt_ms"]
    assert [r["num_points"] for r in parts["roofline"]] == [16, 24]
    drawn = {path.name for path in out.glob("*.png") if path.stat().st_size > 5000}
    assert drawn == {"matched.png", "problems-eager.png", "scaling.png"}


def test_tables_go_to_standard_output_and_progress_elsewhere(tmp_path, capsys):
    assert bench("--matched", "--roofline", "--sizes", "16", "--out", tmp_path) == 0
    shown = capsys.readouterr()
    assert "Transolver ms" in shown.out
    assert "clip and update" in shown.out
    first, second, last = shown.err.splitlines()
    assert first.startswith("16, llt eager: ")
    assert second.startswith("16, transolver eager: ")
    assert last == f"{tmp_path}: record.json with all numbers, and the figures"


def test_a_failed_row_is_a_line_and_the_rest_is_kept(tmp_path, capsys, monkeypatch):
    from llt.bench import cost
    from tests.bench.test_cost import failing

    monkeypatch.setattr(cost, "build_model", failing("transolver", RuntimeError("no compiler")))
    assert bench("--matched", "--sizes", "16,24", "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert "16 transolver eager: RuntimeError: no compiler" in out
    rows = json.loads((tmp_path / "record.json").read_text())["results"]["matched"]["rows"]
    assert [row["reason"] is None for row in rows] == [True, False, True, False]


def test_wrong_kernels_are_refused_before_anything_is_measured(tmp_path, capsys, monkeypatch):
    def wrong(protocol):
        raise KernelError("kernel check llt: relative error 0.3 on cuda exceeds 0.02")

    monkeypatch.setattr("llt.bench.checks.uses_fused", lambda protocol: True)
    monkeypatch.setattr("llt.bench.checks.verify_kernels", wrong)
    out = tmp_path / "cost"
    assert bench("--matched", "--sizes", "16", "--out", out) == 1
    shown = capsys.readouterr()
    assert shown.err == "llt: kernel check llt: relative error 0.3 on cuda exceeds 0.02\n"
    assert shown.out == ""
    assert not out.exists()


def test_right_kernels_leave_their_errors_in_the_record(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("llt.bench.checks.uses_fused", lambda protocol: True)
    monkeypatch.setattr("llt.bench.checks.verify_kernels", lambda protocol: {"llt": 1e-4})
    assert bench("--matched", "--sizes", "16", "--json", "--out", tmp_path) == 0
    assert json.loads(capsys.readouterr().out)["results"]["kernel_errors"] == {"llt": 1e-4}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "choose a study: --matched, --problems, --models, --scaling, --roofline"),
        (["--matched", "--sizes", "many"], "--sizes many: expected numbers as in 1024,2048"),
        (["--matched", "--sizes", "17"], "17 points fill no grid; choose a number like 4096"),
        (
            ["--matched", "--modes", "fast"],
            "unknown mode 'fast'; choose from compile, eager, graph",
        ),
        (["--matched", "--modes", "graph"], "modes graph: cpu can only run eager"),
        (["--matched", "--precision", "fp8"], "unknown precision 'fp8'"),
        (["--problems", "--only", "dacry"], "unknown problem 'dacry'; did you mean darcy?"),
        (["--matched", "--repetitions", "0"], "Invalid value for '--repetitions'"),
        (["--scaling", "--max-points", "64"], "--max-points 64 is below the first of --scaling, 6"),
        (["--scaling"], "--scaling on the CPU needs --max-points"),
    ],
)
def test_bad_input_is_one_line(args, message, capsys, tmp_path):
    assert bench(*args, "--out", tmp_path / "cost") == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "cost").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_cuda_where_there_is_none_is_one_line(capsys):
    assert main(["bench", "cost", "--matched", "--device", "cuda"]) == 2
    assert "device cuda: no CUDA device is available here" in capsys.readouterr().err


def test_an_earlier_record_is_replaced_only_when_asked(tmp_path, capsys, monkeypatch):
    from llt.bench.study import Study

    monkeypatch.setattr(Study, "matched", lambda self, cases: pytest.fail("measured"))
    earlier = tmp_path / "record.json"
    earlier.write_text("precious")
    assert bench("--matched", "--out", tmp_path) == 2
    message = "record.json: an earlier record; choose another --out, or --force to replace it"
    assert message in capsys.readouterr().err
    assert earlier.read_text() == "precious"
    monkeypatch.undo()
    monkeypatch.setattr(case, "MATCHED_SETTINGS", SETTINGS)
    assert bench("--matched", "--sizes", "16", "--out", tmp_path, "--force") == 0
    assert json.loads(earlier.read_text())["study"] == "cost"


@pytest.mark.parametrize(
    "words",
    [
        ["kernels"],
        ["prediction"],
        ["solvers", "pipe"],
        ["record", "run", "--title", "", "--command", ""],
    ],
    ids=lambda words: words[0],
)
def test_other_records_are_kept_too(words, tmp_path, capsys):
    (tmp_path / "record.json").write_text("precious")
    assert main(["bench", *words, "--out", str(tmp_path / "record.json")]) == 2
    assert "an earlier record; choose another --out" in capsys.readouterr().err
