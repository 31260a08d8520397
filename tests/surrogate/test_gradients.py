"""Gradients of predictions, in physical units, beside finite differences."""

import numpy as np
import pytest
import torch

from llt.errors import DataError
from llt.models import build_model
from llt.surrogate import Surrogate
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import bare_grid, flow, timed

MODEL = {"dim": 8, "num_layers": 2, "heads": 2}
KINDS = {
    "grid": darcy_like,
    "grid of a geometry": bare_grid,
    "point set": ragged,
    "geometry": geometry_only,
    "parameters": flow,
    "timed": timed,
}


def doubled(data) -> Surrogate:
    torch.manual_seed(0)
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    for module in (surrogate.model, surrogate.normalizer):
        module.double()
    surrogate.mesh = None if surrogate.mesh is None else surrogate.mesh.double()
    return surrogate


def asked(data):
    """Points, fields and parameters of the first sample as tensors that gradients are wanted of."""
    sample = data.sample(0)
    inputs = sample.inputs[0] if sample.inputs.ndim == 3 else sample.inputs
    fields = dict(zip(data.problem.input_names, inputs.T, strict=True))
    numbers = dict(zip(data.problem.parameter_names, sample.parameters, strict=True))

    def leaf(value):
        return torch.tensor(value, dtype=torch.float64, requires_grad=True)

    return (
        leaf(sample.points),
        {name: leaf(value) for name, value in fields.items()},
        {name: leaf(value) for name, value in numbers.items()},
        None if data.times is None else 0.5,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_finite_differences(kind):
    data = KINDS[kind]()
    surrogate = doubled(data)
    x, a, parameters, t = asked(data)
    leaves = [x, *a.values(), *parameters.values()]

    def total():
        u = surrogate.torch(x, a, t, parameters=parameters)
        return sum((k + 1) * (field * torch.cos(field)).sum() for k, field in enumerate(u.values()))

    gradients = torch.autograd.grad(total(), leaves)
    step, rng = 1e-6, np.random.default_rng(0)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        direction = torch.from_numpy(rng.normal(size=tuple(leaf.shape)))
        ends = []
        for side in (step, -step):
            with torch.no_grad():
                leaf += side * direction
                ends.append(total())
                leaf -= side * direction
        slope = (ends[0] - ends[1]) / (2 * step)
        assert abs(slope) > 1e-4  # else nothing is tested
        torch.testing.assert_close((gradient * direction).sum(), slope, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_predict(kind):
    data = KINDS[kind]()
    torch.manual_seed(0)
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    x, a, parameters, t = asked(data)
    expected = surrogate.predict(x, a, t, parameters=parameters)
    found = surrogate.torch(x, a, t, parameters=parameters)
    assert found.keys() == expected.keys()
    for name, field in found.items():
        np.testing.assert_allclose(field.detach().numpy(), expected[name], rtol=1e-5, atol=1e-6)


def test_many_cases_and_one_array_are_shaped_as_in_predict():
    data = darcy_like()
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    a = torch.rand(3, 9, 9, 1, requires_grad=True)
    u = surrogate.torch(a=a)
    assert u.shape == (3, 9, 9, 1)
    np.testing.assert_allclose(u.detach(), surrogate.predict(a=a), rtol=1e-5, atol=1e-6)
    u[1].sum().backward()
    # samples do not leak into each other
    assert a.grad[1].abs().min() > 0
    assert not a.grad[0].any()


def test_parameters_of_many_cases_share_their_points():
    data = flow()
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    x, a, _, _ = asked(data)
    speed = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    u = surrogate.torch(x, a, parameters={"speed": speed, "angle": 0.1})["velocity"]
    assert u.shape == (3, 7)
    (gradient,) = torch.autograd.grad(u[2].sum(), speed)
    assert gradient[2] != 0
    assert not gradient[:2].any()


def test_weights_are_held_fixed():
    data = geometry_only()
    surrogate = Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
    x = torch.rand(30, 2, requires_grad=True)
    surrogate.torch(x).sum().backward()
    assert x.grad.abs().max() > 0
    assert all(weights.grad is None for weights in surrogate.model.parameters())


def test_several_times_are_refused():
    surrogate = doubled(timed())
    with pytest.raises(DataError, match="one time in a call"):
        surrogate.torch(a=torch.rand(12, 1), t=[0.0, 1.0])
