"""One training step: what it is fed, what it minimizes, what it counts."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.augmentation import Augmentation
from llt.data.neighbors import training_radius
from llt.data.normalizer import Normalizer
from llt.data.sources import DeviceSource
from llt.models import build_model
from llt.runtime.device import matmul_precision
from llt.surrogate import Surrogate
from llt.training.buckets import bucket_sizes
from llt.training.config import TrainConfig
from llt.training.epoch_order import epoch_order
from llt.training.loss.derivative import relative_derivatives
from llt.training.step import TrainingStep
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import timed

CPU = torch.device("cpu")


def stretched(data):
    """The same data in other units, so that nothing is scaled already."""
    times = None if data.times is None else 5 + 10 * data.times
    points = data.points * np.float32([3, 2]) + 4
    return replace(data, points=points, inputs=data.inputs * 7 + 1, times=times)


KINDS = {"darcy": darcy_like, "ragged": ragged, "timed": timed, "geometry": geometry_only}


def make_step(data, **settings):
    torch.manual_seed(0)
    model = build_model("llt", data.problem, dim=8, num_layers=1, heads=2)
    with torch.no_grad():
        for parameter in model.parameters():
            if not parameter.any():
                parameter.normal_(std=0.1)  # else time would not be seen
    radius = training_radius(data) if model.max_neighbors else None
    surrogate = Surrogate(model, Normalizer.fit(data), radius)
    graph = {"radius": radius, "max_neighbors": model.max_neighbors}
    part = DeviceSource(data, data.split("train"), CPU, **graph)
    return TrainingStep(surrogate, part, TrainConfig(**({"batch_size": 3, "epochs": 2} | settings)))


@pytest.mark.parametrize("kind", KINDS)
def test_loss_is_the_sum_of_relative_errors_in_physical_units(kind):
    """Against `predict`, one item at a time."""
    data = stretched(KINDS[kind]())
    step = make_step(data)
    items = [2, 0, 3]
    errors = []
    for item in items:
        number, moment = divmod(item, step.data.num_times)
        sample = data.sample(data.split("train")[number])
        u, t = sample.outputs, None
        if data.times is not None:
            u, t = u[moment], data.times[moment]
        prediction = step.surrogate.predict(sample.points, sample.inputs, t)
        errors.append(np.linalg.norm(prediction - u) / np.linalg.norm(u))
    loss = step.forward_loss(step.data.batch(torch.tensor(items)))
    assert loss.item() == pytest.approx(sum(errors), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_derivative_term_is_that_of_predictions_in_physical_units(kind):
    data = stretched(KINDS[kind]())
    plain, step = make_step(data), make_step(data, derivative=0.2, optimizer="muon")
    batch = step.data.batch(torch.tensor([2, 0, 3]))
    with torch.no_grad():
        graph = {"neighbors": batch.neighbors, "mask": batch.mask}
        u = step.surrogate.predict_batch(batch.x, batch.a, t=batch.t, **graph)
        term = step.forward_loss(batch) - plain.forward_loss(batch)
    expected = 0.2 * relative_derivatives(u, batch, data.problem).sum()
    assert term.item() == pytest.approx(expected.item(), rel=1e-4)
    before = step.optimizer.parameters.flat.clone()
    step.start_epoch(0)
    step()
    after = step.optimizer.parameters.flat
    assert after.isfinite().all() and not torch.equal(after, before)


def record_batches(step):
    """Let the step remember the batches and losses it works on."""
    batches, losses, original = [], [], step.forward_loss

    def remember(batch):
        loss = original(batch)
        batches.append(batch)
        losses.append(loss.item())
        return loss

    step.forward_loss = remember
    return batches, losses


def test_steps_follow_the_order_of_their_epoch():
    data = darcy_like()
    step = make_step(data, seed=5, epochs=8)
    batches, _ = record_batches(step)
    step.start_epoch(7)
    step()
    step()
    items, _ = epoch_order(5, 7, num_items=8, batch_size=3)
    assert not np.array_equal(items, epoch_order(0, 7, num_items=8, batch_size=3)[0])
    for row, batch in zip(items, batches, strict=True):
        np.testing.assert_array_equal(batch.u, data.outputs[row])


def test_augmented_step_sees_moved_inputs_and_outputs():
    data = darcy_like()
    data = replace(data, outputs=data.outputs + data.inputs)  # else they are their own mirror
    step = make_step(data, augment=True)
    batches, _ = record_batches(step)
    step.start_epoch(0)
    step()
    tables = epoch_order(0, 0, num_items=8, batch_size=3, num_symmetries=8)
    items, symmetries = (torch.from_numpy(table[0]) for table in tables)
    assert symmetries.any()
    moved = Augmentation(step.data)(step.data.batch(items), symmetries)
    assert torch.equal(batches[0].a, moved.a)
    assert torch.equal(batches[0].u, moved.u)
    assert not torch.equal(moved.u, step.data.batch(items).u)


def test_sum_of_losses_is_per_sample_and_starts_again_every_epoch():
    step = make_step(darcy_like())
    _, losses = record_batches(step)
    for epoch in range(2):
        step.start_epoch(epoch)
        step()
        step()
        assert step.loss_sum.item() == pytest.approx(sum(losses[-2:]) / 3, rel=1e-6)


def test_schedule_lasts_as_long_as_the_run():
    step = make_step(darcy_like(), epochs=4)
    assert len(step.optimizer.rates) == 4 * step.steps_per_epoch == 8


def test_a_batch_is_never_larger_than_the_data():
    step = make_step(darcy_like(), batch_size=100)
    assert (step.batch_size, step.steps_per_epoch) == (8, 1)


@pytest.mark.parametrize(("precision", "inside"), [("fp32", "highest"), ("tf32", "high")])
def test_precision_of_products_is_set_and_put_back(precision, inside):
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    with matmul_precision(precision):
        assert torch.get_float32_matmul_precision() == inside
        assert torch.backends.cudnn.allow_tf32 == (precision == "tf32")
    assert before == (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32)


def test_ragged_batches_are_cut_to_the_smallest_size_that_holds_them():
    step = make_step(ragged(14), batch_size=2)  # 10 training samples of 20 to 47 points
    seen = []
    plain = step._run
    step._run = lambda points: (seen.append(points), plain(points))
    step.start_epoch(0)
    for _ in range(step.steps_per_epoch):
        step()
    largest = step.data.counts[step.items.numpy()].max(axis=1)
    sizes = bucket_sizes(step.data.counts)
    assert len(sizes) == 4 and sizes[0] == 47
    expected = [min(size for size in sizes if size >= most) for most in largest]
    assert seen == expected and len(set(seen)) > 1

    seen.clear()
    step.start_epoch(0, position=2)  # as a resumed run does
    for _ in range(2, step.steps_per_epoch):
        step()
    assert seen == expected[2:]


def test_cutting_a_batch_changes_nothing(monkeypatch):
    results = []
    for buckets in (4, 1):
        monkeypatch.setattr("llt.training.buckets.NUM_BUCKETS", buckets)
        step = make_step(ragged(14), batch_size=2)
        step.start_epoch(0)
        for _ in range(step.steps_per_epoch):
            step()
        results.append((step.loss_sum, step.optimizer.parameters.flat))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


class Recorded:
    """Stands for a CUDA graph."""

    def pool(self):
        return None


def test_capturing_every_size_reads_samples_that_fit_and_leaves_the_state(monkeypatch):
    step = make_step(ragged(14), batch_size=2)
    step.items.fill_(9)  # the largest sample: cut to a smaller size, it would miss neighbors
    before = [tensor.clone() for tensor in (*step.changed(), step.items)]
    sizes = []

    def record(run, pool, rewind):
        sizes.append(*run.args)
        torch.rand(1)  # as a model may
        run()
        rewind()
        assert not step.position and not step.count
        return Recorded()

    monkeypatch.setattr("llt.training.capture.capture", record)
    randomness = torch.get_rng_state()
    step.capture()
    assert torch.equal(torch.get_rng_state(), randomness)
    assert sizes == bucket_sizes(step.data.counts) == [*step._graphs]
    for tensor, value in zip((*step.changed(), step.items), before, strict=True):
        assert torch.equal(tensor, value)
