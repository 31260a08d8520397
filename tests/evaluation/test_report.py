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
from llt.evaluation.case_sections import index_section
from llt.evaluation.finished import FinishedRun
from llt.evaluation.map_section import map_section
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
def page(case):
    """Made once: pictures take their time."""
    run, _, evaluation = case
    return parsed(write_report(run, evaluation))


@pytest.fixture(scope="module")
def darcy(tmp_path_factory):
    run = make_run(tmp_path_factory.mktemp("darcy"), darcy_like(num=16))
    return run, evaluate(run, split="train")


@pytest.fixture(scope="module")
def darcy_page(darcy):
    return parsed(write_report(*darcy))


def parsed(path):
    """As strictly as XML is read: every tag closed, every name of a character known."""
    head, rest = path.read_text().split("\n", 1)
    assert head == "<!doctype html>"
    return ET.fromstring(rest)


def cells(page, title, table=0):
    """The rows of a table of a section."""
    for section in page if isinstance(page, list) else page.iter("section"):
        if section.findtext("h2") == title:
            rows = [*section.iter("table")][table].iter("tr")
            return [[spaced("".join(cell.itertext())) for cell in row] for row in rows]
    raise AssertionError(f"no section {title}")


def spaced(text):
    return text.replace("\xa0", " ")


def captions(page):
    return [caption.text for caption in page.iter("figcaption")]


def test_the_page_shows_every_field_with_the_numbers_that_were_computed(case, page):
    _, data, evaluation = case
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
    assert percent(evaluation.relative_l2) in spaced(text)
    assert ("Mean error at every time" in captions(page)) == data.problem.timed


def test_of_timed_problems_the_worst_case_has_a_film_and_strips(case, page):
    data = case[1]
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


def index_of(run, evaluation):
    """The table of cases."""
    found = index_section(FinishedRun.read(run, evaluation, "cpu", None))
    part = ET.fromstring(f"<section><h2>{found.title}</h2>{found.body}</section>")
    return cells([part], "Cases")


def test_the_worst_cases_come_first_with_all_that_is_known_of_them(case):
    run, data, evaluation = case
    distances = [0.5 + place for place in range(len(evaluation.indices))]
    trust = replace(evaluation.trust, distances=distances)
    turned = replace(
        evaluation,
        per_sample=evaluation.per_sample[::-1],
        indices=evaluation.indices[::-1],
        field_errors={name: errors[::-1] for name, errors in evaluation.field_errors.items()},
        trust=replace(trust, distances=distances[::-1]),
    )
    head, *rows = index_of(run, replace(evaluation, trust=trust))
    assert index_of(run, turned) == [head, *rows]
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    order = np.argsort(evaluation.per_sample)[::-1]
    assert columns["sample"] == tuple(str(evaluation.indices[place]) for place in order)
    assert columns["error"] == tuple(percent(evaluation.per_sample[place]) for place in order)
    drawn = ("worst", "best") if len(order) > 1 else ("only",)
    assert columns["drawn"] == drawn and columns["rank"] == ("1", "2")[: len(drawn)]
    assert columns["distance"] == tuple(f"{distances[place]:.2f}" for place in order)
    if len(evaluation.fields) > 1:
        for name, errors in evaluation.field_errors.items():
            assert columns[name] == tuple(percent(errors[place]) for place in order)
    for name, numbers in zip(data.problem.parameters, data.parameters.T, strict=True):
        there = [evaluation.indices[place] for place in order]
        title = f"{name.name} ({name.unit})" if name.unit else name.name
        assert columns[title] == tuple(f"{numbers[index]:.4g}" for index in there)


def test_all_cases_are_listed_and_lead_to_those_that_are_drawn(darcy_page):
    page = darcy_page
    places = {element.get("id") for element in page.iter() if element.get("id")}
    targets = [link.get("href") for link in page.iter("a")]
    assert len(targets) > 8 and all(href[0] == "#" and href[1:] in places for href in targets)
    (listed,) = (part for part in page.iter("details") if "All 12 cases" in part[0].text)
    assert len([*listed.iter("tr")]) == 13
    seen = cells(page, "Cases")[1:]
    assert [row[-2] for row in seen] == ["1", "2", "3", "4", "5", "7", "12"]


def test_cases_are_named_by_their_numbers_in_the_dataset(darcy, undrawn):
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


def test_worse_than_the_mean_field_is_said_and_marked(darcy, undrawn):
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
        assert spaced(card.findtext("b")) == percent(found.relative_l2)
    page = parsed(write_report(run, bad))
    assert [row.get("class") for row in page.iter("tr") if row.get("class") == "bad"] == ["bad"]


def test_what_was_solved_is_said_with_its_equation(darcy_page):
    page = darcy_page
    assert headline(page).findtext("h1") == "Darcy flow"
    texts = [p.text for p in headline(page).iter("p")]
    assert any("∇u" in text for text in texts) and any("Water seeps" in text for text in texts)
    assert "it has never seen" not in "".join(texts)  # the training split was


def test_the_training_grid_is_marked_among_the_resolutions(darcy, undrawn):
    run, evaluation = darcy
    floors = {"resampled": 0.25, "interpolation": None}
    rows = [{"resolution": n, "relative_l2": 0.125, "samples": 3, **floors} for n in (7, 9)]
    page = parsed(write_report(run, replace(evaluation, resolutions=rows)))
    assert cells(page, "Other resolutions")[1:] == [
        ["7 x 7", "12.5 %", "25.0 %", "-", "3", ""],
        ["9 x 9", "12.5 %", "25.0 %", "-", "3", "trained on"],
    ]


def test_the_page_says_how_to_use_it_and_escapes_what_it_is_told(darcy, undrawn):
    run, evaluation = darcy
    told = replace(evaluation, selection="by <hand>", solve_seconds=2.5, solve_device="abacus")
    page = parsed(write_report(run, told))
    code = "\n".join("".join(part.itertext()) for part in page.iter("code"))
    for line in (f'llt.load("{run}")', f"llt predict {run} new.npz", f"--config {run}/config.toml"):
        assert line in code
    assert any("by <hand>" in "".join(row.itertext()) for row in page.iter("tr"))
    assert "<b>2.5 s</b><span>for one reference solve on abacus" in ET.tostring(page, "unicode")
    summaries = [part.text for part in page.iter("summary")]
    assert summaries[-1] == "config.toml: all settings"


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


def test_evaluations_of_older_versions_make_a_report(darcy, undrawn):
    """What was written before fields, times and kinds of mean fields were told apart."""
    run, evaluation = darcy
    older = evaluation.to_dict()
    later = ("fields", "field_errors", "vectors", "times", "mean_field", "symmetrized")
    for name in (*later, "resolutions"):
        del older[name]
    found = Evaluation.from_dict(json.loads(json.dumps(older)))
    page = parsed(write_report(run, found))
    assert percent(evaluation.relative_l2) in spaced(ET.tostring(page, "unicode"))
    before = {"pressure": {"relative_l2": 0.1, "median": 0.1, "worst": 0.2}}
    page = parsed(write_report(run, Evaluation.from_dict(older | {"fields": before})))
    assert cells(page, "Errors by field")[1] == ["pressure", "10.0 %", "10.0 %", "20.0 %", "-", ""]


def test_evaluations_without_error_maps_name_the_command_that_adds_them(darcy):
    run, evaluation = darcy
    older = evaluation.to_dict()
    del older["error_maps"]
    found = FinishedRun.read(run, Evaluation.from_dict(older), "cpu", None)
    assert (
        f"kept before there were such maps; for them: llt evaluate {run}" in map_section(found).body
    )


def test_errors_at_points_are_shown_where_points_correspond(case, page):
    _, data, evaluation = case
    drawn = [c for c in captions(page) if c.endswith(": mean |error|")]
    told = "".join(next(part for part in page.iter("section") if is_maps(part)).itertext())
    if evaluation.error_maps is None:
        assert not drawn and "do not correspond" in told
        return
    assert drawn == [f"{name}: mean |error|" for name in data.problem.output_names]
    times = " and all times" * data.problem.timed
    assert f"over {len(evaluation.indices)} test case" in told and f"{times}." in told
    for name, values in evaluation.error_maps.fields.items():
        at = ", ".join(f"{z:.3g}" for z in data.sample(0).points[np.argmax(values)])
        assert f"{name}: largest at ({at})" in told


def is_maps(section):
    return section.findtext("h2") == "Where errors are"


def test_every_field_has_a_histogram(case, page):
    names = case[1].problem.output_names
    shown = [c for c in captions(page) if c.startswith("Errors of")]
    title = "Errors of the test samples"
    several = [f"{title}: {name}" for name in ("all fields", *names)]
    assert shown == (several if len(names) > 1 else [title])


def test_where_everything_comes_from_is_told(darcy, darcy_page):
    run, evaluation = darcy
    rows = dict(cells(darcy_page, "What was trained on what"))
    env = json.loads((run / "env.json").read_text())
    assert evaluation.data_hash in rows["data"] and evaluation.split_hash in rows["samples"]
    assert rows["training seed"] == "0" and env["device"] in rows["trained on"]
    assert (
        rows["trained with"].endswith(env["date"])
        and str(env["commit"] or "") in rows["trained with"]
    )
    assert f"torch {env['packages']['torch']}" in rows["versions"]
    assert rows["weights"].startswith("smallest validation error, epoch 1 (")
    assert rows["evaluated"] == "train split, 12 samples"


def test_names_are_text_whatever_they_hold(tmp_path):
    nasty, unit = r"<b>$\frac$ & \"p\"", r"$\x$"
    grid = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij"), axis=-1)
    values = np.random.default_rng(0).random((6, 4, 4))
    data = llt.Dataset.from_arrays(
        "<script>alert(1)</script>",
        points=grid,
        inputs={"<i>": values},
        outputs={nasty: values + 1, "v": values},
        units={nasty: unit},
        splits={"train": [0, 1, 2], "val": [3], "test": [4, 5]},
    )
    run = make_run(tmp_path / "<u>$run$", data)
    page = parsed(write_report(run, evaluate(run)))
    assert not {"script", "i", "u"} & {element.tag for element in page.iter()}
    assert f"{nasty}: mean |error|" in captions(page)


def test_pages_stay_small(case, page):
    assert len(ET.tostring(page)) < 1_500_000


def test_only_a_run_has_a_report(darcy):
    run, evaluation = darcy
    with pytest.raises(CheckpointError, match=r"best: not a run folder, config.toml is missing"):
        write_report(run / "best", evaluation)


def test_a_dataset_that_has_moved_is_named(darcy, undrawn):
    run, evaluation = darcy
    here, there = run.parent / "set.h5", run.parent / "moved.h5"
    here.rename(there)
    try:
        assert write_report(run, evaluation, data_path=there).is_file()
    finally:
        there.rename(here)


def test_pictures_are_of_the_data_that_the_numbers_are_of(darcy, tmp_path, undrawn):
    run, evaluation = darcy
    dataset_file.write(tmp_path / "other.h5", darcy_like(num=16, seed=1))
    with pytest.raises(CheckpointError, match=r"was evaluated on data .*, .*other.h5 holds"):
        write_report(run, evaluation, data_path=tmp_path / "other.h5")
    (run / "evaluation.json").unlink(missing_ok=True)
    assert main(["report", str(run), "--data", str(tmp_path / "other.h5")]) == 2
    assert not (run / "evaluation.json").exists()
    assert main(["report", str(run), "--data", str(run.parent / "set.h5")]) == 0
