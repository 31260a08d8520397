"""The report: what it shows is what was computed, on a page that browsers can read."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.errors import CheckpointError
from llt.evaluation import evaluate
from llt.evaluation.metrics import Evaluation
from llt.evaluation.moments import quantities
from llt.evaluation.report import write_report
from llt.evaluation.usage import python_lines
from llt.evaluation.verdict import WORSE, percent, with_vectors
from llt.training import TrainConfig, train
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import KINDS as ALL
from tests.data.kinds import timed

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}
KINDS = {
    "darcy": darcy_like,
    "ragged": ragged,
    "timed": timed,
    "geometry": geometry_only,
    "flow-ragged-timed-inputs": ALL["flow-ragged-timed-inputs"],
}


def make_run(folder, data):
    dataset_file.write(folder / "set.h5", data)
    config = TrainConfig(epochs=1, batch_size=2)
    return train(folder / "set.h5", folder / "run", model_settings=MODEL, config=config)


@pytest.fixture(scope="module", params=KINDS)
def case(request, tmp_path_factory):
    data = KINDS[request.param]()
    run = make_run(tmp_path_factory.mktemp(request.param), data)
    return run, data, evaluate(run)


@pytest.fixture(scope="module")
def darcy(tmp_path_factory):
    run = make_run(tmp_path_factory.mktemp("darcy"), darcy_like(num=16))
    return run, evaluate(run, split="train")


def parsed(path):
    """As strictly as XML is read: every tag closed, every name of a character known."""
    head, rest = path.read_text().split("\n", 1)
    assert head == "<!doctype html>"
    return ET.fromstring(rest)


def cells(page, title):
    """The rows of the first table of a section."""
    for section in page.iter("section"):
        if section.findtext("h2") == title:
            rows = next(section.iter("table")).iter("tr")
            return [["".join(cell.itertext()) for cell in row] for row in rows]
    raise AssertionError(f"no section {title}")


def captions(page):
    return [caption.text for caption in page.iter("figcaption")]


def test_the_page_shows_every_field_with_the_numbers_that_were_computed(case):
    run, data, evaluation = case
    page = parsed(write_report(run, evaluation))
    rows = cells(page, "Errors by field")[1:]
    found = with_vectors(evaluation.fields, evaluation.vectors)
    assert [row[0] for row in rows] == [*found]
    assert ("u (vector)" in found) == (data.problem.name == "plasticity")
    for row, field in zip(rows, found.values(), strict=True):
        numbers = ("relative_l2", "median", "worst", "mean_field_error")
        assert row[1:5] == [percent(field[name]) for name in numbers]
        assert (row[5] == WORSE) == (field["relative_l2"] >= field["mean_field_error"])
    for name in data.problem.output_names:
        for title in ("reference", "prediction", "error"):
            shown = [c for c in captions(page) if c.startswith(name) and c.endswith(f": {title}")]
            assert len(shown) >= len(evaluation.per_sample[:3])
    text = "".join(page.itertext())
    assert percent(evaluation.relative_l2) in text.replace("\xa0", " ")
    assert ("Mean error at every time" in captions(page)) == data.problem.timed


def test_of_timed_problems_the_worst_case_has_a_film_and_strips(case):
    run, data, evaluation = case
    page = parsed(write_report(run, evaluation))
    worst, *others = page.iter("article")
    films = [image.get("alt") for image in worst.iter("img")]
    strips = [div for div in worst.iter("div") if div.get("class") == "strip"]
    assert not any(True for other in others for _ in other.iter("img"))
    if not data.problem.timed:
        assert not films and not strips
        return
    first, last = data.times[0], data.times[-1]
    shown = quantities(data.problem)
    assert [film.split(" from ")[1] for film in films] == [f"t = {first:.4g} to {last:.4g}"]
    assert films[0].startswith(shown[0].name)
    assert [next(strip.iter("figcaption")).text.split()[0] for strip in strips] == [
        quantity.name for quantity in shown
    ]


def test_the_worst_cases_come_first(case):
    run, _, evaluation = case
    turned = replace(
        evaluation,
        per_sample=evaluation.per_sample[::-1],
        indices=evaluation.indices[::-1],
        field_errors={name: errors[::-1] for name, errors in evaluation.field_errors.items()},
    )
    shown = [
        cells(parsed(write_report(run, found)), "Worst cases") for found in (evaluation, turned)
    ]
    assert shown[0] == shown[1]
    rows = shown[0][1:]
    order = np.argsort(evaluation.per_sample)[::-1][:5]
    assert [row[0] for row in rows] == [str(evaluation.indices[place]) for place in order]
    assert [row[1] for row in rows] == [percent(evaluation.per_sample[place]) for place in order]
    if len(evaluation.fields) > 1:
        for channel, errors in enumerate(evaluation.field_errors.values()):
            shown = [row[2 + channel] for row in rows]
            assert shown == [percent(errors[place]) for place in order]


def test_cases_are_named_by_their_numbers_in_the_dataset(darcy):
    run, evaluation = darcy
    errors = evaluation.per_sample
    turned = replace(evaluation, indices=evaluation.indices[::-1])  # no number is its place
    page = parsed(write_report(run, turned))
    titles = [title.text for title in page.iter("h3")]
    for title, place in zip(titles, (np.argmax(errors), None, np.argmin(errors)), strict=True):
        if place is not None:
            number = turned.indices[place]
            assert f"case: sample {number}, off by {percent(errors[place])}" in title
    assert [title.split()[0] for title in titles] == ["Worst", "Median", "Best"]


def headline(page):
    return next(page.iter("header"))


def test_worse_than_the_mean_field_is_said_and_marked(darcy):
    run, evaluation = darcy
    good = replace(evaluation, relative_l2=0.01, mean_field_error=0.2)
    fields = {"pressure": evaluation.fields["pressure"] | {"relative_l2": 0.3}}
    fields["pressure"]["mean_field_error"] = 0.2
    bad = replace(evaluation, relative_l2=0.3, mean_field_error=0.2, fields=fields)
    for found, wrong in ((good, False), (bad, True)):
        page = parsed(write_report(run, found))
        verdict = next(p for p in headline(page).iter("p") if "verdict" in p.get("class", ""))
        assert (WORSE in verdict.text) == wrong
        assert ("bad" in verdict.get("class").split()) == wrong
        card = next(div for div in headline(page).iter("div") if "card" in div.get("class").split())
        assert ("bad" in card.get("class").split()) == wrong
        assert card.findtext("b") == percent(found.relative_l2)
    page = parsed(write_report(run, bad))
    assert [row.get("class") for row in page.iter("tr") if row.get("class")] == ["bad"]


def test_what_was_solved_is_said_with_its_equation(darcy):
    run, evaluation = darcy
    page = parsed(write_report(run, evaluation))
    assert headline(page).findtext("h1") == "Darcy flow"
    texts = [p.text for p in headline(page).iter("p")]
    assert any("∇u" in text for text in texts) and any("Water seeps" in text for text in texts)
    assert "it has never seen" not in "".join(texts)  # the training split was


def test_the_training_grid_is_marked_among_the_resolutions(darcy):
    run, evaluation = darcy
    floors = {"resampled": 0.25, "interpolation": None}
    rows = [{"resolution": n, "relative_l2": 0.125, "samples": 3, **floors} for n in (7, 9)]
    page = parsed(write_report(run, replace(evaluation, resolutions=rows)))
    assert cells(page, "Other resolutions")[1:] == [
        ["7 x 7", "12.5 %", "25.0 %", "-", "3", ""],
        ["9 x 9", "12.5 %", "25.0 %", "-", "3", "trained on"],
    ]


def test_the_page_says_how_to_use_it_and_escapes_what_it_is_told(darcy):
    run, evaluation = darcy
    told = replace(evaluation, selection="by <hand>", solve_seconds=2.5, solve_device="abacus")
    page = parsed(write_report(run, told))
    code = "\n".join("".join(part.itertext()) for part in page.iter("code"))
    for line in (f'llt.load("{run}")', f"llt predict {run} new.npz", f"--config {run}/config.toml"):
        assert line in code
    assert any("by <hand>" in "".join(row.itertext()) for row in page.iter("tr"))
    assert "<b>2.5 s</b><span>for one reference solve on abacus" in ET.tostring(page, "unicode")
    summaries = [part.text for part in page.iter("summary")]
    assert summaries[-1] == "config.toml"


def test_the_lines_to_copy_run_as_they_stand(case):
    run, data, _ = case
    problem, sample = data.problem, data.sample(0)
    sample, t = (sample, None) if data.times is None else (sample.at(-1), float(data.times[-1]))
    shape = problem.grid or (len(sample.points),)
    x, given = (z.reshape(*shape, z.shape[-1]) for z in (sample.points, sample.given))
    names = {"x": x, "t": t}
    for channel, name in enumerate(problem.input_names):
        names[name] = given[..., channel]
    names |= dict(zip(problem.parameter_names, sample.parameters.tolist(), strict=True))
    exec(python_lines(run, problem), names)
    u = llt.load(run).predict(x, given, t)
    assert [*names["fields"]] == [*problem.output_names]
    for channel, values in enumerate(names["fields"].values()):
        np.testing.assert_allclose(values, u[..., channel], rtol=1e-4, atol=1e-6)


def test_evaluations_of_older_versions_make_a_report(darcy, tmp_path):
    """What was written before fields, times and kinds of mean fields were told apart."""
    run, evaluation = darcy
    older = evaluation.to_dict()
    later = ("fields", "field_errors", "vectors", "times", "mean_field", "symmetrized")
    for name in (*later, "resolutions"):
        del older[name]
    found = Evaluation.from_dict(json.loads(json.dumps(older)))
    page = parsed(write_report(run, found))
    assert percent(evaluation.relative_l2) in ET.tostring(page, "unicode")
    before = {"pressure": {"relative_l2": 0.1, "median": 0.1, "worst": 0.2}}
    page = parsed(write_report(run, Evaluation.from_dict(older | {"fields": before})))
    assert cells(page, "Errors by field")[1] == ["pressure", "10.0 %", "10.0 %", "20.0 %", "-", ""]


def test_pages_stay_small(case):
    run, _, evaluation = case
    assert write_report(run, evaluation).stat().st_size < 1_500_000


def test_only_a_run_has_a_report(darcy):
    run, evaluation = darcy
    with pytest.raises(CheckpointError, match=r"best: not a run folder, config.toml is missing"):
        write_report(run / "best", evaluation)


def test_a_dataset_that_has_moved_is_named(darcy):
    run, evaluation = darcy
    here, there = run.parent / "set.h5", run.parent / "moved.h5"
    here.rename(there)
    try:
        assert write_report(run, evaluation, data_path=there).is_file()
    finally:
        there.rename(here)


def test_pictures_are_of_the_data_that_the_numbers_are_of(darcy, tmp_path):
    run, evaluation = darcy
    dataset_file.write(tmp_path / "other.h5", darcy_like(num=16, seed=1))
    with pytest.raises(CheckpointError, match=r"was evaluated on data .*, .*other.h5 holds"):
        write_report(run, evaluation, data_path=tmp_path / "other.h5")
    (run / "evaluation.json").unlink(missing_ok=True)
    assert main(["report", str(run), "--data", str(tmp_path / "other.h5")]) == 2
    assert not (run / "evaluation.json").exists()
    assert main(["report", str(run), "--data", str(run.parent / "set.h5")]) == 0
