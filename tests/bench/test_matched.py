"""Widths that give a model as many parameters as LLT has."""

import pytest

from llt.bench.matched import matched_size, parameters
from llt.bench.matched_table import matched
from llt.problem import PROBLEMS
from llt.recipes import recipe_preset
from tests.bench.test_published import cells

DARCY = PROBLEMS["darcy"]
LEADING = ("Transolver", "LinearNO", "LNO", "FLARE", "FNO", "F-FNO", "GNOT", "GeoFNO")


def test_no_other_width_comes_nearer():
    settings = {"num_layers": 2, "mlp_ratio": 2}
    counts = {
        width: parameters("transolver", DARCY, {**settings, "dim": width})
        for width in range(8, 128, 8)
    }
    for width, count in counts.items():
        for target in (count, int(1.02 * count), int(0.98 * count)):
            assert matched_size("transolver", DARCY, settings, target) == {"dim": width, "heads": 8}


def test_a_model_without_heads_has_any_width():
    target = parameters("fno", DARCY, {"dim": 13})
    assert matched_size("fno", DARCY, {"dim": 32}, target) == {"dim": 13}


def test_heads_are_halved_where_their_multiples_are_too_far_apart():
    settings = {"heads": 16}
    target = parameters("transolver", DARCY, {"dim": 36, "heads": 4})
    assert matched_size("transolver", DARCY, settings, target) == {"dim": 36, "heads": 4}


def test_what_comes_within_ten_percent_is_taken_and_nothing_beyond():
    beside = [parameters("fno", DARCY, {"dim": width, "modes": 3}) for width in (4, 5)]
    near, between = int(1.08 * beside[0]), sum(beside) // 2
    assert matched_size("fno", DARCY, {"modes": 3}, near) == {"dim": 4}
    assert matched_size("fno", DARCY, {"modes": 3}, between) is None
    assert matched_size("fno", DARCY, {}, 100) is None


def test_heads_that_a_model_refuses_are_passed_over():
    """FactFormer's twelve heads can be six, which most of its widths do not fit."""
    problem = PROBLEMS["plasticity"]
    target = parameters("llt", problem, recipe_preset("best", problem).model)
    assert matched_size("factformer", problem, {}, target) is None


def test_the_leading_models_have_llts_size_on_all_problems():
    titles, _, *rows = cells(matched({}))
    table = {row[0]: dict(zip(titles, row, strict=True)) for row in rows}
    off = {
        (model, name): float(table[model][name.capitalize()].split()[1])
        for model in LEADING
        for name in PROBLEMS
        if table[model][name.capitalize()]
    }
    assert len(off) == 8 * 6 - 2  # FNO has no point sets
    assert max(abs(percent) for percent in off.values()) < 6
    assert {key for key, percent in off.items() if abs(percent) > 5} == {
        ("F-FNO", "airfoil"),
        ("GeoFNO", "car"),
    }
    assert table["LLT: parameters"]["Darcy"] == "1,376,897"
    assert table["U-NO"]["Pipe"] == "/" and table["U-NO"]["Car"] == ""


@pytest.mark.parametrize("problem", ["darcy", "elasticity"])
def test_the_table_has_what_a_search_finds(problem):
    titles, _, *rows = cells(matched({}))
    row = next(row for row in rows if row[0] == "Transolver")
    settings = recipe_preset("best", PROBLEMS[problem], "transolver").model
    target = parameters("llt", PROBLEMS[problem], recipe_preset("best", PROBLEMS[problem]).model)
    size = matched_size("transolver", PROBLEMS[problem], settings, target)
    text = row[titles.index(problem.capitalize())]
    assert text.startswith(f"{size['dim']}/{size['heads']}, ")
