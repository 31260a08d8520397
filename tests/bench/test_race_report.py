"""A race in words, numbers and lines."""

import pytest

from llt.bench.race_report import TITLES, duration, race_figure, race_rows, verdict

BEST = {
    "title": "LLT (best)",
    "model": "llt",
    "settings": {"train": {"epochs": 50}},
    "startup_seconds": 21.04,
    "seconds_to_target": 30.0,
    "best_val_error": 0.0041,
    "best_seconds": 40.0,
    "test_error": 0.00423,
    "curve": {"seconds": [10.0, 30.0, 40.0], "val_error": [0.01, 0.0044, 0.0041]},
}
RIVAL = BEST | {
    "title": "Transolver",
    "model": "transolver",
    "seconds_to_target": None,
    "best_seconds": 900.0,
    "curve": {"seconds": [100.0, 900.0], "val_error": [0.02, 0.006]},
}
RESULTS = {
    "target": 0.0044,
    "contenders": {"best": BEST, "transolver": RIVAL},
    "times_sooner": 30.0,
}


def test_a_row_says_when_the_target_was_reached():
    best, rival = race_rows(RESULTS)
    assert best == ("LLT (best)", "50", "21.0 s", "30.0 s", "0.00410 after 40.0 s", "0.00423")
    assert rival[3:5] == ("never", "0.00410 after 15 min 0 s")
    assert len(best) == len(TITLES)


def test_the_verdict_is_one_line():
    said = "LLT (best) reaches 0.0044 30.0 times sooner than Transolver its best error"
    assert verdict(RESULTS) == said
    assert verdict({**RESULTS, "times_sooner": None}) == "target: validation error 0.0044"


def test_the_figure_has_curves_a_target_and_where_it_was_reached():
    (axes,) = race_figure(RESULTS).axes
    best, reached, rival, target = axes.lines
    assert list(best.get_xdata()) == BEST["curve"]["seconds"]
    assert list(best.get_ydata()) == BEST["curve"]["val_error"]
    assert (reached.get_xdata()[0], reached.get_ydata()[0]) == (30.0, 0.0044)
    assert list(rival.get_ydata()) == [0.02, 0.006]
    assert list(target.get_ydata()) == [0.0044, 0.0044]
    assert best.get_label() == "LLT (best), start-up 21.0 s"
    assert best.get_color() != rival.get_color()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "never"), (1.26, "1.3 s"), (99.4, "99.4 s"), (119.8, "2 min 0 s")],
)
def test_durations_are_rounded_once(seconds, text):
    assert duration(seconds) == text
