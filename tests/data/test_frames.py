"""What becomes of the frames of a time series, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from llt.data.frames import STEP, Frames
from llt.data.steps import steps_of
from llt.errors import ConfigError, DataError
from tests.conftest import darcy_like
from tests.data.kinds import flow, timed


def test_the_time_step_is_an_input_only_where_steps_differ():
    data = timed()
    assert STEP not in Frames.of(data, 1).problem.input_names
    assert Frames.of(data, 1).dt == pytest.approx(0.2)
    uneven = replace(data, times=np.array([0, 1, 3, 4, 6, 9.0]))
    frames = Frames.of(uneven, 2)
    assert frames.dt is None and frames.problem.input_names[1] == STEP
    sample = steps_of(uneven, frames).sample(0)
    np.testing.assert_array_equal(sample.inputs[:, 0, 1], [2, 1, 2, 3])
    assert steps_of(uneven, frames).sample(0, 3).inputs[5, 1] == 3


def test_frames_change_their_signs_as_outputs_do():
    data = timed()
    one = data.problem.symmetries[0]
    signed = replace(one, output_shifts=())
    problem = replace(data.problem, symmetries=(one, signed), parameters=("speed",))
    frames = Frames(2, problem, (0.0, 1.0, 2.0, 3.0))
    (kept,) = frames.problem.symmetries  # a shift of inputs cannot be told
    assert kept.input_signs == (1.0, *one.output_signs, *one.output_signs, 1.0)


def test_frames_survive_a_checkpoint():
    frames = Frames.of(flow(times=4), 2)
    assert Frames.from_dict(frames.to_dict()) == frames


def test_what_has_no_steps_is_refused():
    with pytest.raises(ConfigError, match=r"train.history=1: darcy has no frames"):
        Frames.of(darcy_like(), 1)
    with pytest.raises(ConfigError, match=r"train.history=6: plasticity has 6 frames.*1 to 5"):
        Frames.of(timed(), 6)
    backward = replace(timed(), times=np.linspace(1, 0, 6))
    with pytest.raises(ConfigError, match="do not increase"):
        Frames.of(backward, 1)
    frames = Frames.of(timed(), 1)
    frames.check_steps([0.4, 0.6, 0.8], "case")
    with pytest.raises(DataError, match=r"case: frames 1 and 2 are 0.4 apart.*steps of 0.2"):
        frames.check_steps([0.4, 0.6, 1.0], "case")


def test_times_of_a_rollout_are_the_cases_own_or_those_trained_on():
    frames = Frames(2, timed().problem, (0.0, 1.0, 2.0, 3.0))
    assert frames.later([5, 6, 7, 8, 9], 3).tolist() == [5, 6, 7, 8, 9]
    assert frames.later([5, 6], 2).tolist() == [5, 6, 7, 8]  # no more are known
    assert frames.later(None, 4).tolist() == [0, 1, 2, 3, 4, 5]
    uneven = Frames(1, timed().problem, (0.0, 1.0, 3.0))
    assert uneven.later([2], 2).tolist() == [2, 3, 5]
    with pytest.raises(DataError, match="case: 3 steps, 2 are known, of different lengths"):
        uneven.later([2], 3, "case")
