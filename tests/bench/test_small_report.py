"""Small sets as a table and a figure."""

from llt.bench.small_report import small_figure, small_table


def cell(data, samples, model, error, recipe="paper"):
    return {
        "data": data,
        "samples": samples,
        "model": model,
        "recipe": recipe,
        "preset": "",
        "test_error": error,
        "mean_field_error": 0.5,
        "parameters": 1_234_000,
        "steps": 1500,
    }


CELLS = {
    str(number): entry
    for number, entry in enumerate(
        [
            cell("pipe", 100, "transolver", 0.3),
            cell("darcy", 100, "llt", 0.1, "best"),
            cell("darcy", 20, "llt", 0.2, "best"),
            cell("darcy", 20, "fno", 0.25),
        ]
    )
}


def test_a_row_for_every_set_and_a_column_for_every_model():
    titles, rows = small_table(CELLS)
    assert titles[:3] == ["data", "samples", "mean field"]
    assert titles[3:] == ["LLT (best)", "FNO (paper)", "Transolver (paper)"]
    small = {"": CELLS["1"] | {"preset": "demo"}}
    assert small_table(small)[0][3] == "LLT (best, demo)"
    assert [row[:3] for row in rows] == [
        ("darcy", "20", "0.5000"),
        ("darcy", "100", "0.5000"),
        ("pipe", "100", "0.5000"),
    ]
    assert rows[0][3:] == ("0.2000 (1.23 M, 1,500 steps)", "0.2500 (1.23 M, 1,500 steps)", "")
    assert rows[2][3:5] == ("", "")


def test_the_figure_has_a_panel_for_every_number_of_samples():
    few, many = small_figure(CELLS).axes
    assert few.get_title() == "20 training samples"
    assert many.get_title() == "100 training samples"
    shown = {line.get_label(): list(line.get_ydata()) for line in few.lines}
    assert shown["LLT (best)"] == [0.2]
    assert shown["FNO (paper)"] == [0.25]
    assert shown["Transolver (paper)"] == []
    (levels,) = few.collections
    assert [segment[:, 1].tolist() for segment in levels.get_segments()] == [[0.5, 0.5]]
    assert few.get_yscale() == "log"
    places = {line.get_label(): line.get_xdata() for line in many.lines}
    assert round(places["LLT (best)"][0]) == 0
    assert round(places["Transolver (paper)"][0]) == 1
