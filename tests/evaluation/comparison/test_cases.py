"""Cases are chosen, named, listed and drawn for both runs, on one scale."""

import xml.etree.ElementTree as ET
from itertools import islice

import numpy as np
from matplotlib.figure import Figure

from llt.evaluation import comparison_cases, map_section
from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_cases import choose, pictures_section, table_section
from llt.evaluation.comparison_report import write_comparison
from llt.evaluation.comparison_words import signed
from llt.evaluation.metrics import question
from llt.evaluation.panels import nice
from llt.evaluation.verdict import percent
from tests.evaluation.comparison.made import changed
from tests.evaluation.test_report import captions, spaced

SVG = "{http://www.w3.org/2000/svg}"


def test_the_same_cases_are_drawn_by_both_on_one_scale(found, page):
    assert len([*page.iter("article")]) == len(choose(found)) >= 2
    wanted = ["pressure: reference", "given: permeability"]
    for name in found.names:
        wanted += [f"pressure: prediction of {name}", f"pressure: error of {name}"]
    for article in page.iter("article"):
        assert captions(article) == wanted
        drawn = article.iter(f"{SVG}svg")
        texts = [[text.text for text in one.iter(f"{SVG}text")] for one in drawn]
        assert texts[3] == texts[5]  # the ticks of both errors
    maps = [c for c in captions(page) if "mean |error|" in c]
    assert maps == [f"pressure: mean |error| of {name}" for name in found.names]


def test_every_run_is_drawn_with_its_own_predictions(found, monkeypatch):
    found, drawn = Comparison(found.second, found.first), []  # larger errors come second
    monkeypatch.setattr(comparison_cases, "panel_figure", lambda panel: panel)
    monkeypatch.setattr(comparison_cases, "svg", lambda *one: drawn.append(one) or "")
    pictures_section(found)
    indices = [found.first.evaluation.indices[place] for place in choose(found)]
    samples = [found.first.data.sample(index) for index in indices]
    size, errors = np.ptp([sample.outputs for sample in samples]), []
    shown = iter(drawn)
    for sample in samples:
        wanted = {"pressure: reference": sample.outputs, "given: permeability": sample.inputs}
        for run, name in zip(found.runs, found.names, strict=True):
            u = run.surrogate.predict(*question(run.data, sample)).reshape(-1, 1)
            errors.append(100 * (u - sample.outputs) / size)
            wanted[f"pressure: prediction of {name}"] = u
            wanted[f"pressure: error of {name}"] = errors[-1]
        panels = {name: panel for panel, name in islice(shown, len(wanted))}
        assert panels.keys() == wanted.keys()
        for caption, values in wanted.items():
            panel = panels[caption]
            np.testing.assert_allclose(panel.values, values[:, 0], rtol=1e-3, atol=1e-5)
    limit = nice(float(np.quantile(np.abs(errors), 0.995)))
    ends = {panel.scale.norm.vmax for panel, name in drawn if ": error of " in name}
    assert ends == {limit} and not [*shown]


def test_every_run_has_its_own_error_map_on_one_scale(found, tmp_path, monkeypatch, undrawn):
    drawn = []
    monkeypatch.setattr(map_section, "panel_figure", lambda panel: drawn.append(panel) or Figure())
    write_comparison(found, tmp_path / "page.html")
    assert len({panel.scale.norm.vmax for panel in drawn}) == 1
    for panel, run in zip(drawn, found.runs, strict=True):
        np.testing.assert_array_equal(panel.values, run.evaluation.error_maps.values("pressure"))


def test_cases_are_listed_with_what_is_known_of_them(found):
    (table, *_) = ET.fromstring(f"<section>{table_section(found).body}</section>").iter("table")
    head, *rows = [[spaced("".join(cell.itertext())) for cell in row] for row in table.iter("tr")]
    assert head == ["sample", "short", "long <b>", "difference", "drawn"]
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    order = [*np.argsort(-np.abs(one - other), kind="stable")]
    chosen = choose(found)
    places = [place for rank, place in enumerate(order) if rank < 5 or place in chosen]
    for row, place in zip(rows, places, strict=True):
        index = str(found.first.evaluation.indices[place])
        assert row[:3] == [index, percent(one[place]), percent(other[place])]
        assert row[3:] == [spaced(signed(one[place] - other[place])), chosen.get(place, "")]


def test_cases_are_named_by_what_they_are(found):
    errors = np.array(found.first.evaluation.per_sample)
    chosen = choose(changed(found, per_sample=(2 * errors).tolist()))
    worst, least = int(errors.argmax()), int(errors.argmin())
    names = "worst of long <b>, where short is ahead most"
    assert chosen == {
        worst: f"Worst of short, {names}",
        least: "Where long <b> is behind least",
    }
