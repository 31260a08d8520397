"""Distances from the training cases: what is unlike all of them lies above 1."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from llt.data.splits import Splits
from llt.evaluation.trust import calibrate
from llt.trust.distance import Group, fit_groups
from tests.trust.cases import permeability, pipe, pipes, plate, plates, stripes, surrogate_of, wings


def trusted(data):
    surrogate = surrogate_of(data)
    return replace_trust(surrogate, calibrate(surrogate, data, {}))


def replace_trust(surrogate, trust):
    surrogate.trust = trust
    return surrogate


def far(surrogate, *case, **numbers):
    return [found.value for found in surrogate.distances(*case, **numbers)]


def of_split(surrogate, data, name):
    samples = map(data.sample, data.split(name))
    return [far(surrogate, sample.points, sample.given)[0] for sample in samples]


@pytest.fixture(scope="module")
def plate_pair():
    data = plates(200)
    return trusted(data), data


@pytest.fixture(scope="module")
def darcy_pair():
    data = stripes(200)
    return trusted(data), data


@pytest.fixture(scope="module")
def wing_pair():
    data = wings(200)
    return trusted(data), data


@pytest.mark.parametrize("pair", ["plate_pair", "darcy_pair", "wing_pair"])
def test_training_cases_lie_within_and_new_ones_of_their_kind_nearly_all(pair, request):
    surrogate, data = request.getfixturevalue(pair)
    assert max(of_split(surrogate, data, "train")) <= 1
    new = of_split(surrogate, data, "val") + of_split(surrogate, data, "test")
    assert np.mean(np.array(new) > 1) <= 0.1
    assert min(new) > 0.05 or pair == "darcy_pair"


def test_larger_holes_than_trained_lie_outside(plate_pair):
    surrogate, _ = plate_pair
    rng = np.random.default_rng(5)
    assert far(surrogate, plate(0.25, rng))[0] < 1
    for radius in (0.36, 0.4, 0.45, 0.12):
        assert far(surrogate, plate(radius, rng))[0] > 1, radius


def test_other_contrasts_than_trained_lie_outside(darcy_pair):
    surrogate, _ = darcy_pair
    rng = np.random.default_rng(5)
    assert far(surrogate, None, {"permeability": permeability(3, 12, rng)})[0] < 1
    for low, high in ((3, 24), (1, 12), (3, 14), (12, 12)):
        (found,) = surrogate.distances(None, {"permeability": permeability(low, high, rng)})
        assert found.value > 1, (low, high)
        assert found.group == "field permeability"


def test_other_resolutions_of_a_grid_do_not_lie_outside(darcy_pair):
    surrogate, _ = darcy_pair
    a = permeability(3, 12, np.random.default_rng(5), n=25)
    assert far(surrogate, None, {"permeability": a})[0] < 1


@pytest.mark.parametrize("pair", ["plate_pair", "darcy_pair"])
@pytest.mark.parametrize("move", [lambda x: x + 0.1, lambda x: 1.2 * x, lambda x: x * [1.0, 0.8]])
def test_moved_and_scaled_geometries_lie_outside(pair, move, request):
    surrogate, data = request.getfixturevalue(pair)
    for sample in map(data.sample, data.split("test")):
        (found,) = surrogate.distances(move(sample.points), sample.inputs)
        assert found.value > 1
        assert found.group == "geometry"


def test_wider_pipes_than_trained_lie_outside_whatever_their_bend():
    surrogate, rng = trusted(pipes(200)), np.random.default_rng(5)
    assert np.mean([far(surrogate, pipe(1.0, rng))[0] < 1 for _ in range(20)]) > 0.9
    assert far(surrogate, pipe(1.0, rng, n=21))[0] < 1
    for width in (0.8, 1.2):
        assert far(surrogate, pipe(width, rng))[0] > 1


def test_parameters_beyond_the_trained_lie_outside_by_name(wing_pair):
    surrogate, data = wing_pair
    x, inside = data.mesh, {"mach": 0.5, "angle": 1.0}
    assert far(surrogate, x, parameters=inside)[0] < 1
    for name, value in (("mach", 0.9), ("mach", 0.05), ("angle", 4.0)):
        (found,) = surrogate.distances(x, parameters={**inside, name: value})
        assert found.value > 1
        assert found.group == f"parameter {name}"
    many = {"mach": np.array([0.5, 0.9]), "angle": 1.0}
    assert [value > 1 for value in far(surrogate, x, parameters=many)] == [False, True]


def test_the_farthest_case_is_as_far_as_it_would_be_without_it():
    """The closed form of leaving one out, beside leaving it out."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3))
    rows[7] *= 4
    group = Group.fit("a", rows)
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    own = 3 / 43
    found = []
    for case in range(40):
        others = np.delete(z, case, axis=0)
        off = z[case] - others.mean(axis=0)
        spread = (others - others.mean(axis=0)).T @ (others - others.mean(axis=0))
        covariance = (1 - own) / 39 * spread + own * np.eye(3)
        found.append(np.sqrt(off @ np.linalg.solve(covariance, off)))
    assert np.argmax(found) == 7
    assert group.reach == pytest.approx(max(found), rel=1e-6)


def test_few_training_cases_say_nothing():
    data = plates(28)
    assert len(data.split("train")) == 8
    surrogate = trusted(data)
    assert surrogate.trust.groups == ()
    assert surrogate.distances(data.sample(0).points) == []


def test_more_numbers_than_cases_are_no_trouble():
    rng = np.random.default_rng(0)
    (group,) = fit_groups([{"a": row} for row in rng.normal(size=(10, 30))])
    assert np.isfinite(group.reach)
    assert group.distances(rng.normal(size=(1, 30)) * 20)[0] > 1


def test_numbers_that_never_change_do_not_divide_by_zero():
    (group,) = fit_groups([{"a": np.ones(2)}] * 12)
    assert group.distances(np.ones((1, 2)))[0] == 0
    assert group.distances(np.array([[1.0, 1.1]]))[0] > 1


def test_groups_come_back_from_their_numbers():
    data = wings()
    trust = trusted(replace(data, splits=Splits.consecutive(40, 20, 20))).trust
    for group in trust.groups:
        assert Group.from_dict(asdict(group)) == group
