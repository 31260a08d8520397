from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data import dataset_file
from llt.data.normalizer import Normalizer, mean_mesh
from tests.conftest import geometry_only
from tests.data.kinds import KINDS, timed


def test_training_fields_become_standard(darcy_data):
    train = darcy_data.split("train")
    normalizer = Normalizer.fit(darcy_data)
    a = normalizer.encode_inputs(torch.from_numpy(darcy_data.inputs[train]))
    assert a.mean() == pytest.approx(0, abs=1e-5)
    assert a.std(correction=0) == pytest.approx(1, abs=1e-5)
    x = normalizer.encode_points(torch.from_numpy(darcy_data.points))
    assert (x.min(), x.max()) == pytest.approx((0, 1), abs=1e-6)


def test_only_the_training_split_is_looked_at(darcy_data):
    points = np.broadcast_to(darcy_data.points, (12, 81, 2)).copy()
    data = replace(darcy_data, points=points)
    for name in ("points", "inputs", "outputs"):
        array = getattr(data, name).copy()
        array[darcy_data.split("test")] += 100
        changed = replace(data, **{name: array})
        assert Normalizer.fit(changed).to_dict() == Normalizer.fit(data).to_dict(), name


def test_every_axis_fills_the_unit_box(darcy_data):
    stretched = replace(darcy_data, points=darcy_data.points * np.float32([3, 0.5]) - 7)
    x = Normalizer.fit(stretched).encode_points(torch.from_numpy(stretched.points))
    torch.testing.assert_close(x.amin(0), torch.zeros(2), atol=1e-5, rtol=0)
    torch.testing.assert_close(x.amax(0), torch.ones(2), atol=1e-5, rtol=0)


def test_times_go_to_the_unit_interval():
    data = replace(timed(), times=np.linspace(5, 15, 6))
    t = Normalizer.fit(data).encode_time(torch.tensor([5.0, 7.5, 15.0]))
    torch.testing.assert_close(t, torch.tensor([0.0, 0.25, 1.0]))


def test_decode_undoes_the_scaling(darcy_data):
    normalizer = Normalizer.fit(darcy_data)
    u = torch.from_numpy(darcy_data.outputs[:2])
    encoded = (u - normalizer.u_mean) / normalizer.u_std
    torch.testing.assert_close(normalizer.decode(encoded), u)


def test_ragged_and_stacked_agree(ragged_data):
    normalizer = Normalizer.fit(ragged_data)
    rows = np.concatenate([ragged_data.sample(i).outputs for i in ragged_data.split("train")])
    np.testing.assert_allclose(normalizer.u_mean, rows.mean(0), rtol=1e-5)
    np.testing.assert_allclose(normalizer.u_std, rows.std(0), rtol=1e-5)


def test_constant_field_is_left_alone(darcy_data):
    constant = replace(darcy_data, inputs=np.full_like(darcy_data.inputs, 4.0))
    normalizer = Normalizer.fit(constant)
    assert normalizer.a_std.tolist() == [1.0]
    assert not normalizer.encode_inputs(torch.from_numpy(constant.inputs)).any()


def test_survives_a_checkpoint(darcy_data):
    normalizer = Normalizer.fit(darcy_data)
    assert Normalizer.from_dict(normalizer.to_dict()).to_dict() == normalizer.to_dict()


def box(points):
    from llt.data.normalizer import _box

    low, size = _box(points)
    return (points - low) / size


def test_evenly_spread_points_fill_the_unit_box():
    scaled = box(np.random.default_rng(0).uniform(-3, 5, size=(1000, 2)))
    assert scaled.min(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert scaled.max(axis=0) == pytest.approx([1, 1], abs=1e-9)


def test_a_far_field_does_not_hide_the_near_field():
    """Three quarters of the points within one length, the rest up to forty away."""
    rng = np.random.default_rng(0)
    near, far = rng.uniform(0, 1, size=(900, 2)), rng.uniform(-40, 40, size=(100, 2))
    scaled = box(np.concatenate([near, far]))
    assert np.ptp(scaled[:900], axis=0) == pytest.approx([1, 1], rel=0.2)
    assert np.abs(scaled).max() > 20


def test_a_flat_direction_is_left_alone():
    points = np.random.default_rng(0).uniform(size=(50, 2))
    points[:, 1] = 2.0
    assert np.isfinite(box(points)).all()


def bumps(scale):
    """Meshes that differ from each other by a small bump, on a grid."""
    from llt.data.collate import collate
    from llt.data.dataset import Sample
    from llt.data.splits import Splits
    from llt.problem import PIPE

    rng = np.random.default_rng(0)
    x, y = np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 1, 7), indexing="ij")
    samples = []
    for _ in range(12):
        moved = y + scale * rng.normal() * np.sin(np.pi * x)
        points = np.stack([x, moved], axis=-1).reshape(-1, 2)
        samples.append(Sample(points, np.empty((49, 0)), points[:, 1:] + 1))
    return collate(replace(PIPE, grid=(7, 7)), samples, Splits.consecutive(8, 2, 2))


def seen_deviation(data):
    """Root mean square of how the model's coordinates differ between training samples."""
    from llt.models import build_model
    from llt.surrogate import Surrogate

    surrogate = Surrogate.fit(build_model("llt", data.problem, dim=8, num_layers=1), data)
    x = surrogate.encode_points(torch.from_numpy(data.points[data.split("train")]))
    return (x - x.mean(dim=0)).square().mean().sqrt().item()


def test_small_differences_between_meshes_are_amplified():
    """A thousandth or a hundredth of the mesh: the model sees a tenth of the unit box."""
    for scale in (1e-3, 1e-2):
        assert seen_deviation(bumps(scale)) == pytest.approx(0.1, rel=1e-3)


def test_large_differences_are_left_as_they_are():
    data = bumps(1.0)
    assert Normalizer.fit(data).gain == 1
    assert seen_deviation(data) > 0.1


def test_a_shared_mesh_is_not_amplified(darcy_data):
    assert Normalizer.fit(darcy_data).gain == 1


@pytest.mark.parametrize("kind", KINDS)
def test_statistics_from_a_file_are_those_from_memory(kind, tmp_path):
    data = KINDS[kind]()
    dataset_file.write(tmp_path / "set.h5", data)
    stored = dataset_file.read(tmp_path / "set.h5")
    assert Normalizer.fit(stored).to_dict() == Normalizer.fit(data).to_dict()
    mean, expected = mean_mesh(stored), mean_mesh(data)
    assert (mean is None) == (expected is None)
    assert mean is None or np.array_equal(mean, expected)


@pytest.mark.parametrize("kind", ["flow-ragged-timed-inputs", "flow-timed", "flow"])
def test_moments_are_those_of_all_numbers_at_once(kind):
    """Fields where they exist; case parameters behind the input fields."""
    data = KINDS[kind]()
    samples = [data.sample(i) for i in data.split("train")]
    inputs = np.concatenate([s.inputs.reshape(-1, 2) for s in samples]).astype(np.float64)
    pressure = np.concatenate([s.outputs[..., s.masks["surface"], 0].ravel() for s in samples])
    velocity = np.concatenate([s.outputs[..., 1].ravel() for s in samples])
    parameters = data.parameters[data.split("train")].astype(np.float64)
    normalizer = Normalizer.fit(data)
    for name, function in (("mean", np.mean), ("std", np.std)):
        a = [*function(inputs, axis=0), *function(parameters, axis=0)]
        u = [function(z.astype(np.float64)) for z in (pressure, velocity)]
        np.testing.assert_allclose(getattr(normalizer, f"a_{name}"), a, rtol=1e-6)
        np.testing.assert_allclose(getattr(normalizer, f"u_{name}"), u, rtol=1e-6)


def test_of_very_many_points_some_are_looked_at_and_the_outermost(monkeypatch):
    from llt.data import normalizer

    data = geometry_only()
    every = Normalizer.fit(data)
    monkeypatch.setattr(normalizer, "MOST_POINTS", 20)
    assert len(normalizer._some_points(data)) < 40
    few = Normalizer.fit(data)
    assert torch.equal(few.x_low, every.x_low)
    assert torch.equal(few.x_size, every.x_size)


def test_mean_mesh_is_the_mean_over_the_training_split():
    data = bumps(0.1)
    expected = data.points[data.split("train")].mean(axis=0)
    np.testing.assert_array_equal(mean_mesh(data), expected)
