"""Lines to copy are right as they stand."""

from dataclasses import replace
from pathlib import Path

from llt.evaluation.usage import command_lines, python_lines, reproduce_lines
from llt.problem import DARCY, ELASTICITY, PLASTICITY
from tests.conftest import darcy_like
from tests.data.kinds import FLOW


def test_python_names_inputs_parameters_and_time():
    run = Path("runs/x")
    assert python_lines(run, DARCY).splitlines() == [
        "import llt",
        "",
        'surrogate = llt.load("runs/x")',
        "# points x (85, 85, 2), fields (85, 85)",
        'fields = surrogate.predict(x, {"permeability": permeability})',
        'fields["pressure"]  # (85, 85)',
    ]
    flow = python_lines(run, FLOW)
    inputs = '{"roughness": roughness, "pressure": pressure}'
    numbers = '{"speed": speed, "angle": angle}'
    assert f"predict(x, {inputs}, parameters={numbers})" in flow
    assert 'fields["pressure"]  # (N,), in Pa' in flow
    assert 'predict(x, {"die": die}, t=t)' in python_lines(run, PLASTICITY)
    assert "predict(x, {})" in python_lines(run, ELASTICITY)


def test_the_command_names_the_arrays_of_its_file():
    lines = command_lines(Path("runs/my run"), PLASTICITY).splitlines()
    assert lines[0] == "# new.npz: arrays points, die"
    assert (
        lines[1]
        == "llt predict 'runs/my run' new.npz -o out.npz --time T  # or several as 0,0.5,1, or all"
    )


def test_generated_data_are_generated_again_with_what_is_not_default():
    settings = {"resolution": 25, "stored_resolution": 85, "low": 3.0}
    about = {"source": "generated", "solver": "darcy", "seed": 7, "settings": settings}
    data = replace(darcy_like(), provenance=about)
    assert reproduce_lines(Path("runs/x"), data, "d.h5").splitlines() == [
        "llt generate darcy -o d.h5 --num 8,2,2 --seed 7 --set resolution=25",
        "llt train d.h5 --config runs/x/config.toml --out runs/x-again",
    ]
    own = replace(data, provenance={})
    assert reproduce_lines(Path("x"), own, "d.h5").startswith("llt train d.h5 --config")
