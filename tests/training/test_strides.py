"""Training on several grids: which strides settings mean, and what a training does with them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import llt
from llt.data import dataset_file
from llt.data.augmentation import Augmentation
from llt.data.normalizer import Normalizer
from llt.data.sources import ThinnedSource, open_source
from llt.data.thinning import thin
from llt.errors import ConfigError
from llt.evaluation.metrics import evaluate
from llt.evaluation.report import write_report
from llt.models import build_model
from llt.problem import AIRFOIL, DARCY, ELASTICITY
from llt.surrogate import Surrogate
from llt.training import TrainConfig, resume, train
from llt.training.epoch_order import epoch_order, epoch_strides
from llt.training.loop import Interrupted
from llt.training.step import TrainingStep
from llt.training.strides import find_strides
from tests.conftest import darcy_like
from tests.data.kinds import flow
from tests.training.test_run import MODEL, stop_after
from tests.training.test_step import Recorded, record_batches

CPU = torch.device("cpu")
CONFIG = TrainConfig(epochs=3, batch_size=2, lr=3e-3, augment=True, derivative=0.1, mean_field=True)
FINE = replace(DARCY, grid=(421, 421))


def test_settings_become_strides_of_the_grid():
    assert find_strides((), (), ELASTICITY) == ()
    assert find_strides((7, 5, 5, 3), (), FINE) == ((7, 7), (5, 5), (5, 5), (3, 3))
    assert find_strides((), (61, 85, 85, 141), FINE) == ((7, 7), (5, 5), (5, 5), (3, 3))
    assert find_strides(((1, 1), (2, 5), 2), (), AIRFOIL) == ((1, 1), (2, 5), (2, 2))


def refused(problem, **settings):
    config = TrainConfig.from_dict(settings)
    find_strides(config.strides, config.resolutions, problem)


BAD = {
    "both": (
        {"strides": [2], "resolutions": [211]},
        FINE,
        "^train.strides and train.resolutions say the same thing; give one of them$",
    ),
    "point set": (
        {"strides": [2]},
        ELASTICITY,
        "^train.strides: elasticity is a point set and has no grid to thin$",
    ),
    "resolutions of a point set": (
        {"resolutions": [61]},
        ELASTICITY,
        "^train.resolutions: elasticity is a point set",
    ),
    "stride": (
        {"strides": [5, 8]},
        FINE,
        r"stride of 8 over 421 points \(grid 421 x 421\) misses .*; choose from 1, 2, 3, 4, 5, 6",
    ),
    "too coarse": ({"strides": [420]}, FINE, "leaves fewer than 5; choose from 1, 2, .*, 105$"),
    "one axis": ({"strides": [[2, 4]]}, AIRFOIL, r"of 4 over 51 points .* choose from 1, 2, 5, 10"),
    "axes": ({"strides": [[2, 2, 2]]}, FINE, r"\[2, 2, 2\] has 3 numbers .*; give 2, or one for"),
    "resolution": (
        {"resolutions": [85, 100]},
        FINE,
        r"100 is not every k-th of the file's 421 points; choose from 5, 6, .*, 211, 421$",
    ),
    "not square": ({"resolutions": [111]}, AIRFOIL, r"221 x 51 is not square; use train.strides"),
    "zero": ({"strides": [0]}, FINE, r"train.strides: 0 must be a positive number, or one for"),
    "text": ({"strides": ["2"]}, FINE, r"train.strides: 2 must be a positive number"),
    "no list": ({"strides": 2}, FINE, "train.strides=2 must be of type list"),
    "empty axes": ({"strides": [[]]}, FINE, r"train.strides: \[\] must be a positive number"),
    "side": ({"resolutions": [[61, 61]]}, FINE, r"\[61, 61\] must be the points of a side"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_the_data_cannot_give_is_refused(case):
    settings, problem, message = BAD[case]
    with pytest.raises(ConfigError, match=message) as caught:
        refused(problem, **settings)
    assert "\n" not in str(caught.value)


def test_strides_are_drawn_by_seed_and_epoch_as_often_as_they_are_named():
    def drawn(seed, epoch, steps=10):
        return epoch_strides(seed, epoch, num_steps=steps, num_strides=4)

    assert np.array_equal(drawn(1, 2), drawn(1, 2))
    assert not np.array_equal(drawn(1, 2), drawn(2, 2))
    assert not np.array_equal(drawn(1, 2), drawn(1, 3))
    for epoch in range(5):
        assert sorted(np.bincount(drawn(0, epoch))) == [2, 2, 3, 3]
    few = [drawn(0, epoch, 2) for epoch in range(40)]  # fewer steps than strides
    assert set(np.concatenate(few)) == {0, 1, 2, 3}


def make_step(data, strides, **settings):
    """A step on several grids, and one on each grid alone, all with the same weights."""
    base = thin(data, strides[0])
    torch.manual_seed(0)
    model = build_model("llt", base.problem, **MODEL)
    surrogate = Surrogate(model, Normalizer.fit(base))
    indices = data.split("train")
    parts = {k: open_source(thin(data, k), indices, CPU) for k in set(strides)}
    config = TrainConfig(**({"batch_size": 2, "epochs": 2} | settings))
    return TrainingStep(surrogate, ThinnedSource(parts, strides), config), parts


def test_a_step_has_its_own_grid_symmetries_and_derivatives():
    """The loss of every step is that of the thinned dataset alone."""
    data = darcy_like(n=9)
    data = replace(data, outputs=data.outputs + data.inputs)
    strides = ((2, 2), (1, 1), (2, 2), (4, 4))
    step, parts = make_step(data, strides, augment=True, derivative=0.2)
    batches, losses = record_batches(step)
    step.start_epoch(0)
    drawn = epoch_strides(0, 0, num_steps=4, num_strides=4)
    items, symmetries = epoch_order(0, 0, num_items=8, batch_size=2, num_symmetries=8)
    assert symmetries.any()
    for row, number in enumerate(drawn):
        part = parts[strides[number]]
        # as one that was trained on this grid alone
        alone, _ = make_step(data, (strides[number],), derivative=0.2)
        alone.surrogate.normalizer = step.surrogate.normalizer
        with torch.no_grad():
            pairs = zip(
                alone.surrogate.model.parameters(), step.surrogate.model.parameters(), strict=True
            )
            for own, given in pairs:
                own.copy_(given)
        moved = Augmentation(part)(
            part.batch(torch.from_numpy(items[row])), torch.from_numpy(symmetries[row])
        )
        assert moved.grid == part.problem.grid
        expected = alone.forward_loss(replace(moved, grid=None)).item()
        step()
        assert torch.equal(batches[-1].u, moved.u) and torch.equal(batches[-1].a, moved.a)
        assert losses[-1] == expected
    assert {batch.grid for batch in batches} == {(5, 5), (9, 9), (3, 3)}


def test_masks_are_thinned_with_their_grid():
    data = flow((63,) * 5, own_points=False, grid=(9, 7))
    step, _ = make_step(data, ((2, 3), (1, 1)), batch_size=1, derivative=0.1)
    batches, losses = record_batches(step)
    step.start_epoch(0)
    for _ in range(3):
        step()
    assert {batch.grid for batch in batches} == {(5, 3), (9, 7)}
    for batch in batches:
        weights = batch.weights(data.problem)
        assert weights.shape == batch.u.shape == (1, np.prod(batch.grid), 2)
        assert torch.equal(weights[..., 0], 3.0 * batch.masks["surface"])
    assert np.isfinite(losses).all()


def test_the_largest_grid_is_recorded_first(monkeypatch):
    step, _ = make_step(darcy_like(n=9), ((4, 4), (2, 2), (1, 1), (2, 2)))
    sizes = []

    def record(run, pool, rewind):
        sizes.append(*run.args)
        run()
        rewind()
        return Recorded()

    monkeypatch.setattr("llt.training.capture.capture", record)
    before = [tensor.clone() for tensor in step.changed()]
    step.capture()
    assert sizes == [(1, 1), (2, 2), (4, 4)] == [*step._graphs]
    for tensor, value in zip(step.changed(), before, strict=True):
        assert torch.equal(tensor, value)


def weights(run):
    return load_file(run / "last" / "model.safetensors")


def assert_same(run, other):
    assert weights(run).keys() == weights(other).keys()
    for name, value in weights(run).items():
        assert torch.equal(value, weights(other)[name]), name


def trained(path, out, **settings):
    config = replace(CONFIG, **settings)
    return train(path, out, model_settings=MODEL, config=config, device="cpu")


def test_a_stride_of_one_is_no_stride(darcy_file, tmp_path):
    plain = trained(darcy_file, tmp_path / "plain")
    assert_same(plain, trained(darcy_file, tmp_path / "one", strides=[1]))
    assert_same(plain, trained(darcy_file, tmp_path / "same", resolutions=[9]))


def test_one_stride_is_a_training_on_the_thinned_data(darcy_file, tmp_path, darcy_data):
    thinned = thin(darcy_data, (2, 2))
    dataset_file.write(tmp_path / "thin.h5", replace(thinned, finer=None))
    plain = trained(tmp_path / "thin.h5", tmp_path / "plain")
    run = trained(darcy_file, tmp_path / "run", resolutions=[5])
    assert_same(plain, run)
    assert [line["val_error"] for line in metrics(run)] == [
        line["val_error"] for line in metrics(plain)
    ]


def metrics(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("place", ["device", "host", "file"])
def test_an_interrupted_training_on_several_grids_goes_on_bitwise(darcy_file, tmp_path, place):
    settings = {"strides": [[2, 2], [1, 1], [1, 1]], "data": place}
    whole = trained(darcy_file, tmp_path / "whole", data="device", strides=[2, 1, 1])
    with pytest.raises(Interrupted):
        config = replace(CONFIG, **settings)
        broken = tmp_path / "broken"
        listener = stop_after(6)  # in the middle of the second epoch
        train(darcy_file, broken, model_settings=MODEL, config=config, listener=listener)
    assert_same(whole, resume(broken, device="cpu"))


def test_the_first_grid_is_the_base(darcy_file, tmp_path, darcy_data):
    run = trained(darcy_file, tmp_path / "run", strides=[2, 1])
    surrogate = llt.load(run)
    assert surrogate.problem.grid == (5, 5) and len(surrogate.mesh) == 25
    record = json.loads((run / "data.json").read_text())
    assert record["hash"] == darcy_data.hash
    val = evaluate(run, split="val", device="cpu")
    assert val.relative_l2 == pytest.approx(min(m["val_error"] for m in metrics(run)), rel=1e-5)
    assert val.data_hash == darcy_data.hash
    test = evaluate(run, device="cpu")
    assert "Predictions" in write_report(run, test).read_text()
    errors = []
    for sample in map(thin(darcy_data, (2, 2)).sample, darcy_data.split("test")):
        u = surrogate.predict(sample.points, sample.inputs)
        errors.append(np.linalg.norm(u - sample.outputs) / np.linalg.norm(sample.outputs))
    assert test.relative_l2 == pytest.approx(np.mean(errors), rel=1e-5)
    # the same file by name is the run's own too; another one is taken as it is
    assert evaluate(run, device="cpu", data_path=darcy_file).per_sample == test.per_sample
    dataset_file.write(tmp_path / "other.h5", darcy_like(seed=1))
    other = evaluate(run, device="cpu", data_path=tmp_path / "other.h5")
    assert other.relative_l2 != test.relative_l2


def test_a_refused_grid_leaves_nothing_behind(darcy_file, tmp_path):
    with pytest.raises(ConfigError, match="stride of 3 over 9 points"):
        trained(darcy_file, tmp_path / "run", strides=[3])
    assert not (tmp_path / "run").exists()
