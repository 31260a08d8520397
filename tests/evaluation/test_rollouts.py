"""Errors of rollouts and of single steps, against loops written out; what the report tells."""

from dataclasses import replace

import numpy as np
import pytest

import llt
from llt.data import dataset_file
from llt.data.frames import Frames
from llt.data.steps import later_frames
from llt.errors import ConfigError, DataError
from llt.evaluation.metrics import evaluate, open_data
from llt.evaluation.moments import moments_of
from llt.evaluation.report import write_report
from llt.evaluation.rollouts import about_steps, case_errors
from llt.evaluation.verdict import verdict
from llt.packing import pack
from llt.training import train
from llt.training.config import TrainConfig
from tests.data.kinds import flow
from tests.heat import heat
from tests.surrogate.test_rollout import by_hand, ruled
from tests.training.test_steps import MODEL

KINDS = {
    "masks, ragged": lambda: flow((7, 9, 7, 8, 6), times=5),
    "inputs with times": lambda: flow(times=5, timed_inputs=True),
    "grid": lambda: heat(8, frames=5, side=4),
    "uneven": lambda: heat(8, frames=5, points=9, power=2),
}


def relative(error, truth, weights):
    """Over points and fields: of a frame (N, Cu), or of all frames."""
    squares = [(weights * z**2).sum() for z in (error, truth)]
    return np.sqrt(squares[0] / squares[1])


def weights_of(data, sample):
    fields = data.problem.outputs
    masks = [sample.masks[f.mask] if f.mask else np.ones(len(sample.points)) for f in fields]
    return np.stack(masks, axis=-1) * [f.weight for f in fields]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("history", [1, 2])
def test_errors_are_those_of_the_frames_after_the_first(kind, history):
    data = KINDS[kind]()
    surrogate, indices = ruled(data, history), data.split("train")
    later = later_frames(data, surrogate.frames)
    seen = {}
    errors = case_errors(
        surrogate,
        later,
        indices,
        seen=lambda items, u: seen.update(zip(items.tolist(), u, strict=True)),
    )
    steps, rows = about_steps(surrogate, later, indices, errors)
    T = len(data.times) - history
    assert [*seen] == [*range(len(indices) * T)] and steps["history"] == history
    for place, index in enumerate(indices):
        sample, u = data.sample(index), by_hand(data, index, history, T)
        truth, weights = sample.outputs[history:], weights_of(data, sample)
        assert errors.total[place].item() == pytest.approx(relative(u - truth, truth, weights))
        frames = [relative(a - b, b, weights) for a, b in zip(u, truth, strict=True)]
        np.testing.assert_allclose(errors.times[place], frames, rtol=1e-5)
        exists = weights > 0
        last = seen[place * T + T - 1].numpy()
        np.testing.assert_allclose(last * exists, u[-1] * exists, rtol=1e-5)
    found = [(data.sample(i).outputs, weights_of(data, data.sample(i))) for i in indices]
    cases = [(u[history - 1 : -1], u[history:], weights) for u, weights in found]
    still = [relative(a - b, b, w) for a, b, w in cases]
    assert steps["step_unchanged"] == pytest.approx(np.mean(still), rel=1e-5)
    kept = [relative(a[:1] - b, b, w) for a, b, w in cases]
    assert steps["unchanged"] == pytest.approx(np.mean(kept), rel=1e-5)
    # the first step is given the same frames by both
    assert rows[0]["one_step"] == pytest.approx(errors.times[:, 0].mean().item(), rel=1e-5)
    first = [relative(a[0] - b[0], b[0], w) for a, b, w in cases]
    assert rows[0]["unchanged"] == pytest.approx(np.mean(first), rel=1e-5)
    assert rows[-1]["one_step"] != pytest.approx(errors.times[:, -1].mean().item(), rel=1e-3)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    data = heat(30, frames=5, side=5, power=2)
    splits = {"train": range(12), "val": range(12, 24), "test": range(24, 30)}
    data = replace(data, splits=llt.data.splits.Splits.of(*map(list, splits.values())))
    dataset_file.write(folder / "heat.h5", data)
    config = TrainConfig(epochs=3, batch_size=4, lr=3e-3, history=1)
    return train(folder / "heat.h5", folder / "run", model_settings=MODEL, config=config)


def test_an_evaluation_tells_rollouts_and_steps_apart(run):
    found = evaluate(run)
    assert [row["t"] for row in found.times] == pytest.approx([0.0125, 0.05, 0.1125, 0.2])
    assert {"one_step", "step_unchanged", "unchanged", "history"} == {*found.steps}
    assert {"relative_l2", "one_step", "unchanged"} <= {*found.times[0]}
    data = open_data(run, llt.load(run))
    (moment,) = moments_of(llt.load(run), data, found.indices[0], [3])
    truth = data.sample(found.indices[0]).outputs[3]
    np.testing.assert_array_equal(moment.sample.outputs, truth)
    error = np.linalg.norm(moment.u - truth) / np.linalg.norm(truth)
    own = evaluate(run).times[-1]["relative_l2"]
    assert error < 4 * own
    # error bars are those of rollouts, distances of what they begin with
    trust = llt.load(run).trust
    assert trust.bars["T"] > 0 and 0.5 < found.trust.coverage["T"] <= 1
    assert {"field T[-1]", "field time step"} <= {group.name for group in trust.groups}
    whole = data.view.data.sample(found.indices[0])
    numbers = {"conductivity": whole.parameters[0]}
    (far,) = llt.load(run).distances(whole.points, None, whole.outputs[:1], parameters=numbers)
    assert far.value == pytest.approx(found.trust.distances[0], rel=1e-5)


def test_a_model_that_is_worse_than_no_change_is_bad_news(run):
    found = evaluate(run)
    found.steps["unchanged"] = 0.5 * found.relative_l2
    found.mean_field_error = 2 * found.relative_l2
    assert verdict(found).bad and "worse than no change at all" in verdict(found).text
    found.steps["unchanged"] = 2 * found.relative_l2
    assert not verdict(found).bad


def test_the_report_has_the_curve_and_a_way_to_use_it(run):
    evaluation = evaluate(run)
    text = write_report(run, evaluation).read_text()
    for words in (
        "Mean error of rollouts over time",
        "mean relative L2 error in rollouts (median",
        "Rolled out over 4 frames from the first frame; one step from the true frames",
        "no change",
        "surrogate.rollout(x, {}, {&quot;T&quot;: T}, steps, parameters=",
        "--steps N",
        "each frame from those before it",
    ):
        assert words in text, words


def test_a_packed_model_still_rolls_out(run, tmp_path):
    from llt.evaluation.kept import keep_evaluation

    keep_evaluation(run, evaluate(run))
    card = pack(run, tmp_path / "packed")
    assert card.weights["deviation"] < 0.01
    assert llt.load(tmp_path / "packed").frames == llt.load(run).frames


def test_other_data_have_frames_as_far_apart(tmp_path):
    data = heat(8, frames=5, side=4)
    surrogate = ruled(data, 1)
    other = replace(data, times=2 * data.times)
    path = tmp_path / "other.h5"
    dataset_file.write(path, other)
    with pytest.raises(DataError, match=r"frames 0 and 1 are 0.1 apart, .* steps of 0.05"):
        open_data(tmp_path, surrogate, path)
    short = replace(data, times=data.times[:1], outputs=data.outputs[:, :1])
    dataset_file.write(tmp_path / "short.h5", short)
    with pytest.raises(DataError, match="1 frames, while 1 are needed before the first"):
        open_data(tmp_path, surrogate, tmp_path / "short.h5")
    assert Frames.of(data, 1) == surrogate.frames


def test_other_resolutions_are_not_for_rollouts(run):
    from llt.cli.evaluate import study_resolutions

    with pytest.raises(ConfigError, match="--resolutions"):
        study_resolutions(run, [3], 1, "cpu")
