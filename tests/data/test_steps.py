"""Views of time series: what steps are given and asked for, from memory and from files."""

import numpy as np
import pytest
import torch

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.frames import Frames
from llt.data.sources import open_source
from llt.data.steps import later_frames, steps_of
from tests.data.kinds import flow, timed

KINDS = {
    "grid": timed,
    "masks, parameters, ragged": lambda: flow((7, 9, 7, 8, 6), times=4),
    "inputs with times": lambda: flow(times=4, timed_inputs=True),
    "ragged inputs with times": lambda: flow((7, 9, 7, 8, 6), times=4, timed_inputs=True),
}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def outputs_of(data: Dataset, index: int) -> np.ndarray:
    """As a step sees them: zero where a field does not exist."""
    sample = data.sample(index)
    columns = [
        sample.outputs[..., i] * (sample.masks[field.mask] if field.mask else 1)
        for i, field in enumerate(data.problem.outputs)
    ]
    return np.stack(columns, axis=-1)


@kinds
@pytest.mark.parametrize("history", [1, 2])
def test_steps_are_given_the_frames_before_and_asked_for_the_change(kind, history):
    data = kind()
    frames = Frames.of(data, history)
    steps = steps_of(data, frames)
    u, Cu = outputs_of(data, 1), data.problem.out_channels
    fields = len(data.problem.inputs)
    for moment in range(len(data.times) - history):
        k = moment + history
        sample = steps.sample(1, moment)
        assert sample.inputs.shape[-1] == fields + history * Cu
        np.testing.assert_array_equal(sample.inputs[:, :fields], data.sample(1, k).inputs)
        before = np.concatenate([*u[k - history : k]], axis=-1)
        np.testing.assert_array_equal(sample.inputs[:, fields:], before)
        np.testing.assert_array_equal(sample.outputs, u[k] - u[k - 1])
        whole = steps.sample(1)
        np.testing.assert_array_equal(whole.inputs[moment], sample.inputs)
        np.testing.assert_array_equal(whole.outputs[moment], sample.outputs)
    assert not steps.problem.timed and steps.hash == data.hash
    assert steps.problem.in_channels == sample.given.shape[-1]
    np.testing.assert_array_equal(sample.given[:, frames.last_channels], before)


@kinds
def test_later_frames_are_those_that_are_predicted(kind):
    data = kind()
    later = later_frames(data, Frames.of(data, 2))
    np.testing.assert_array_equal(later.times, data.times[2:])
    np.testing.assert_array_equal(later.sample(1).outputs, data.sample(1).outputs[2:])
    for moment in range(len(later.times)):
        one = later.sample(1, moment)
        np.testing.assert_array_equal(one.outputs, data.sample(1, moment + 2).outputs)
        np.testing.assert_array_equal(one.inputs, later.sample(1).at(moment).inputs)


@kinds
def test_sources_give_the_same_steps_from_memory_and_from_the_file(kind, tmp_path):
    data = kind()
    path = tmp_path / "data.h5"
    dataset_file.write(path, data)
    stored = dataset_file.read(path)
    steps, streamed = (steps_of(z, Frames.of(z, 2)) for z in (data, stored))
    indices, cpu = data.split("train"), torch.device("cpu")
    sources = [
        open_source(steps, indices, cpu, where="device"),
        open_source(streamed, indices, cpu, where="file"),
        open_source(streamed, indices, cpu, where="host"),
    ]
    assert {source.num_items for source in sources} == {len(indices) * (len(data.times) - 2)}
    items = torch.arange(sources[0].num_items)
    first, *others = (source.batch(items) for source in sources)
    assert first.t is None and first.a.shape[-1] == steps.problem.in_channels
    for other in others:
        torch.testing.assert_close(other.a, first.a, rtol=0, atol=0)
        torch.testing.assert_close(other.u, first.u, rtol=0, atol=0)
