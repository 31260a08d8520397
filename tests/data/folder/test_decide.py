"""From what is there and what is said to a plan; open questions are asked, not answered."""

import json

import numpy as np
import pytest

from llt.data.folder.cases import find_cases
from llt.data.folder.choice import Choice, choice_of, read_choice, to_toml
from llt.data.folder.decide import decide, propose
from llt.data.folder.plan import Plan
from llt.data.folder.survey import survey
from llt.data.formats import Mesh
from llt.errors import ConfigError, DataError
from tests.data.folder.made import case, write, write_cases


def look_at(folder):
    return survey(find_cases(folder))


@pytest.fixture
def folder(tmp_path):
    return write_cases(tmp_path / "plates", 4)


def plan(folder, **said):
    return decide(look_at(folder), choice_of(said))


def test_what_is_said_is_done_and_the_rest_is_proposed(folder):
    found = plan(folder, inputs=["k"], outputs=["T", "U"], units={"T": "K"})
    problem = found.problem
    assert (problem.name, problem.space_dim, problem.grid) == ("plates", 2, None)
    assert problem.input_names == ("k",)
    assert problem.output_names == ("T", "U_x", "U_y")
    assert problem.vectors == {"U": (1, 2)}
    assert problem.parameter_names == ("speed",)
    assert problem.outputs[0].unit == "K"
    assert Plan.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_several_possible_outputs_are_asked_for(folder):
    with pytest.raises(ConfigError, match=r"T, U, k at points: which .* --outputs T,U,k or some"):
        plan(folder)
    with pytest.raises(ConfigError, match="fields T, U at points: which"):
        plan(folder, inputs=["k"])


def test_one_possible_output_is_taken(tmp_path):
    write_cases(tmp_path, 3, U=None, k=None)
    assert plan(tmp_path).problem.output_names == ("T",)
    write_cases(tmp_path, 3, U=None, k=None, T=None)
    with pytest.raises(DataError, match="no field that could be an output"):
        plan(tmp_path)


def test_point_and_cell_data_of_one_name_are_asked_for(tmp_path, monkeypatch):
    x = case(0)["points"]
    fields = {"p": np.ones(20)}
    mesh = Mesh(points=x, point_fields=fields, cell_fields={"p": np.ones(9)}, centers=x[:9])
    monkeypatch.setattr("llt.data.formats.read", lambda path, time=None: mesh)
    write_cases(tmp_path, 3)
    with pytest.raises(ConfigError, match="fields p at points; p at cells: which"):
        plan(tmp_path)
    with pytest.raises(ConfigError, match="p at points and at cells; pass --points or --cells"):
        plan(tmp_path, outputs=["p"])
    assert plan(tmp_path, location="cells").location == "cells"
    mesh = Mesh(points=x, point_fields=fields, cell_fields={"q": np.ones(9)}, centers=x[:9])
    with pytest.raises(ConfigError, match="p at points, q at cells; outputs must be all at one"):
        plan(tmp_path, outputs=["p", "q"])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"outputs": ["Tt"]}, "unknown field 'Tt'; did you mean T"),
        ({"outputs": ["T"], "inputs": ["kk"]}, "unknown field 'kk'; did you mean k"),
        ({"outputs": ["T"], "inputs": ["T"]}, "T is an input and an output"),
        ({"outputs": []}, "at least one output"),
        ({"outputs": ["T"], "masks": ["wall"]}, "unknown patch 'wall'"),
        ({"outputs": ["T@wall"]}, "unknown patch 'wall'"),
        ({"outputs": ["T"], "axes": "xyz"}, "the points are in the plane xy"),
        ({"outputs": ["T"], "axes": "zx"}, "axes = 'zx'; choose from xyz, xy"),
        ({"outputs": ["T"], "grid": True}, "no common grid of 2 axes"),
        ({"outputs": ["T"], "time": "all"}, "no times"),
        ({"outputs": ["T"], "location": "cells"}, "T is at points, not at cells; pass --points"),
        (
            {"outputs": ["T"], "parameters": ["sped"]},
            "unknown parameter 'sped'; did you mean speed",
        ),
        ({"outputs": ["T"], "units": {"Tt": "K"}}, "unknown field 'Tt'"),
        ({"outputs": ["T"], "table": "none.csv"}, "none.csv: no such file"),
        ({"outputs": "T"}, "expected a list of names"),
        ({"output": ["T"]}, "unknown entry 'output'; did you mean outputs"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(folder, said, message):
    with pytest.raises((ConfigError, DataError), match=message):
        plan(folder, **said)


def test_a_table_is_taken_if_it_is_the_only_one_that_fits(folder):
    rows = "".join(f"c{i},{i}\n" for i in range(4))
    (folder / "a.csv").write_text("case,power [W]\n" + rows)
    (folder / "other.csv").write_text("case,power\nz,1\n")
    found = plan(folder, outputs=["T"])
    assert [(f.name, f.unit) for f in found.columns] == [("power", "W")]
    assert found.problem.parameter_names == ("power", "speed")
    assert plan(folder, outputs=["T"], table="none").columns == ()
    assert plan(folder, outputs=["T"], parameters=["power"]).problem.parameter_names == ("power",)
    (folder / "b.csv").write_text("case,mass\n" + rows)
    with pytest.raises(
        ConfigError, match=r"several tables .* --params .*a.csv or --params .*b.csv"
    ):
        plan(folder, outputs=["T"])
    assert plan(folder, outputs=["T"], table="b.csv").columns[0].name == "mass"


def test_numbers_that_do_not_differ_are_no_parameters(tmp_path):
    write_cases(tmp_path, 3, speed=np.array(2.0), TimeValue=np.array(1.0))
    assert plan(tmp_path, outputs=["T"]).problem.parameter_names == ()


def test_a_plane_of_other_axes_and_its_vectors(tmp_path):
    for i in range(3):
        arrays = case(i)
        x, u = (np.insert(arrays[name], 1, 0.0, axis=1) for name in ("points", "U"))
        write(tmp_path, f"c{i}", **arrays | {"points": x, "U": u})
    found = plan(tmp_path, outputs=["U"])
    assert (found.axes, found.problem.output_names) == ("xz", ("U_x", "U_y"))
    assert found.outputs[0].components == (0, 2)
    assert "stored as x, y" in found.lines()["mesh"]
    for i in range(3):  # with a component out of the plane
        u = np.insert(case(i)["U"], 1, 1.0, axis=1)
        write(
            tmp_path, f"c{i}", **case(i, U=u, points=np.insert(case(i)["points"], 1, 0.0, axis=1))
        )
    found = plan(tmp_path, outputs=["U"])
    assert found.outputs[0].components == (0, 2, 1)
    assert found.problem.output_names == ("U_x", "U_y", "U_z")


def test_grid_and_times_of_all_cases(tmp_path):
    x = np.stack(np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3)), axis=-1)
    for i in range(3):
        write(tmp_path, f"c{i}", points=x, T=np.full((2, 3, 4), i), times=[0.0, 1.0])
    with pytest.raises(ConfigError, match="2 times, 0 to 1; pass --time all, or --time last"):
        plan(tmp_path)
    found = plan(tmp_path, time="all")
    assert (found.grid, found.times, found.problem.timed) == ((3, 4), (0.0, 1.0), True)
    assert plan(tmp_path, time="last", grid=False).problem.grid is None
    last = plan(tmp_path, time="last")
    assert not last.problem.timed
    assert last.lines()["time"] == "the last state of each case"
    assert plan(tmp_path, inputs=["T"], outputs=["T"], time="all").problem.input_names == ("T",)


def test_the_last_state_is_taken_where_times_differ(tmp_path):
    for i in range(3):
        write(tmp_path, f"c{i}", points=case(i)["points"], T=np.ones((2, 20)), times=[0.0, 1.0 + i])
    found = plan(tmp_path)
    assert (found.times, found.lines()["time"]) == ((), "the last state of each case")


def test_names_that_a_file_cannot_have_are_changed(tmp_path):
    write_cases(tmp_path, 3, offsets=np.ones(1))
    for i in range(3):
        write(
            tmp_path, f"c{i}", **case(i, U=None, k=None, T=None, speed=None, offsets=case(i)["T"])
        )
    found = plan(tmp_path)
    assert (found.outputs[0].name, found.problem.output_names) == ("offsets", ("offsets_",))


def test_the_draft_of_a_plan_can_be_read_and_says_all_that_is_there(folder):
    proposal, comments = propose(look_at(folder))
    path = folder.parent / "plan.toml"
    path.write_text(to_toml(proposal, comments))
    assert read_choice(path) == proposal
    assert proposal.outputs == ("T", "U", "k")
    assert decide(look_at(folder), proposal).problem.parameter_names == ("speed",)
    changed = read_choice(path).changed(Choice(outputs=("T",), units={"T": "K"}))
    assert (changed.outputs, changed.name, changed.units) == (("T",), "plates", {"T": "K"})
    path.write_text("outputs = 3")
    with pytest.raises(ConfigError, match=r"plan.toml: outputs = 3; expected a list"):
        read_choice(path)
