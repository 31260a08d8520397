"""The accuracy study's tables on made-up records."""

from llt.bench.accuracy_tables import NONE_YET, study, study_problems, study_short, tier_table
from llt.bench.paper_errors import PAPER_ERRORS
from llt.bench.study_results import study_results
from tests.bench.studies import cell, diverged, records
from tests.bench.studies import study as recorded
from tests.bench.test_published import cells

WAITING = {"tier": 2, "data": "pipe", "number": 3, "models": None}
FIRST = [
    cell("llt", 0.1),
    cell("fno", 0.05),
    diverged("ono", epoch=7),
    cell("lno"),
    cell("lno", 0.3, data="elasticity"),
    cell("llt", 0.2, data="elasticity"),
]
SECOND = [
    *(cell("llt", e, tier=2, seed=s) for s, e in enumerate((0.10, 0.11))),
    *(cell("fno", e, tier=2, seed=s) for s, e in enumerate((0.20, 0.21))),
    *(cell("lno", e, tier=2, seed=s) for s, e in enumerate((0.205, 0.22))),
    *(cell("llt", e, tier=2, seed=s, data="pipe") for s, e in enumerate((0.3, None))),
]
RECORDS = records(
    recorded(*FIRST, unfit=[["elasticity", "fno"]]), recorded(*SECOND, rivals=[WAITING])
)


def table(tier, **more):
    titles, rows = tier_table(study_results(RECORDS), tier, **more)
    return titles, {row[0]: row[1:] for row in rows}


def test_a_row_for_every_model_and_a_column_for_every_problem():
    titles, rows = table(1)
    assert titles == ["model", "trained", "Elasticity, 20 epochs", "Darcy, 20 epochs"]
    assert [*rows] == ["FNO", "LNO", "ONO", "LLT"]  # the paper's order
    assert rows["FNO"] == ("best", "not for such meshes", "0.05000 (1?)")
    assert rows["LNO"] == ("best", "0.30000 (2?)", "open")
    assert rows["ONO"] == ("best", "", "diverged, epoch 7: the loss is nan")
    assert rows["LLT"] == ("best", "0.20000 (1?)", "0.10000 (2?)")


def test_published_numbers_stand_below_ours_and_are_marked():
    _, rows = table(1, published=True)
    assert [*rows][:4] == ["FNO", "*FNO*", "LNO", "*LNO*"]
    assert rows["*FNO*"] == ("*published*", "/", "*0.01080*")
    assert rows["*LLT*"] == ("*published*", "*0.00512*", "*0.00440*")


def test_bold_is_for_who_is_better_beyond_the_spread():
    _, rows = table(2)
    assert rows["LLT"] == ("best", "0.30000 (1?, 1 of 2 seeds open)", "**0.10500 ± 0.00707** (1)")
    assert rows["FNO"] == ("best", "", "0.20500 ± 0.00707 (2-3)")
    assert rows["LNO"] == ("best", "", "0.21250 ± 0.01061 (2-3)")
    assert rows["rivals"] == ("chosen after tier 1", "3 open", "")


def test_rivals_that_are_open_leave_no_rank_sure():
    waiting = {"tier": 2, "data": "darcy", "number": 3, "models": None}
    results = study_results(records(recorded(*SECOND, rivals=[waiting])))
    _, rows = tier_table(results, 2)
    assert rows[2][:2] == ("LLT", "best") and rows[2][3] == "0.10500 ± 0.00707 (1?)"


def test_recipes_are_contests_of_their_own():
    paper = [
        cell(m, e + s / 100, tier=2, seed=s, recipe="paper")
        for m, e in (("llt", 0.5), ("fno", 0.4))
        for s in (0, 1)
    ]
    _, rows = tier_table(study_results(records(recorded(*SECOND[:6], *paper))), 2)
    assert [(row[0], row[1], row[2].rpartition(" ")[2]) for row in rows] == [
        ("FNO", "best", "(2-3)"),
        ("FNO", "paper", "(1)"),
        ("LNO", "best", "(2-3)"),
        ("LLT", "best", "(1)"),
        ("LLT", "paper", "(2)"),
    ]


def test_the_page_has_all_tiers_and_what_is_left_of_them():
    lines = study(RECORDS)
    assert lines[0] == "Tier 1, 5 of 6 cells:"
    assert "Tier 2, 7 of 8 cells:" in lines


def test_the_short_form_has_the_best_rivals_where_there_are_seeds():
    rows = cells(study_short(RECORDS))
    assert [row[0] for row in rows[2:]] == ["FNO", "LLT", "rivals"]
    first = records(recorded(*FIRST))
    assert [row[0] for row in cells(study_short(first))[2:]] == ["FNO", "LNO", "LLT"]


def test_a_model_that_diverged_with_a_seed_is_no_best_rival():
    more = recorded(cell("gnot", 0.001, tier=2), diverged("gnot", tier=2, seed=1))
    with_it = RECORDS | {"accuracy/study-later": more}
    assert [row[0] for row in cells(study_short(with_it))[2:]] == ["FNO", "LLT", "rivals"]


def test_all_that_is_known_of_a_problem_is_in_its_table():
    lines = study_problems(RECORDS)
    assert lines[0] == "### Elasticity" and "(figures/study-elasticity.png)" in lines[2]
    darcy = cells(lines[lines.index("### Darcy") + 4 :])
    assert darcy[2][:6] == ["1", "FNO", "best, 20 epochs", "1", "1,234,567", "0.05000 (1?)"]
    assert darcy[2][6:] == ["0.05500", "0.1500", "1024 MiB"]
    assert darcy[4][:2] == ["2", "LLT"] and darcy[4][7] == "0.3300"  # of the worse seed
    assert [row[1] for row in darcy[2:]] == ["FNO", "LLT", "LLT", "FNO", "LNO"]


def test_a_problem_that_is_not_drawn_has_no_picture():
    lines = study_problems(records(recorded(cell("llt", 0.1, recipe="paper"))))
    assert lines[0] == "### Darcy" and "figures" not in "".join(lines)


def test_before_the_first_cell_there_is_a_line_and_no_table():
    for made in (study, study_short, study_problems):
        assert made({}) == made(records(recorded(cell("llt")))) == NONE_YET


def test_published_numbers_are_those_of_the_papers_table():
    assert len(PAPER_ERRORS) == 16
    lowest = {
        problem: min((row[problem], m) for m, row in PAPER_ERRORS.items() if row[problem])
        for problem in ("elasticity", "plasticity", "airfoil", "pipe", "darcy")
    }
    assert {m for _, m in lowest.values()} == {"llt", "transolver_plus_plus"}
    assert lowest["pipe"] == (0.0027, "transolver_plus_plus")
