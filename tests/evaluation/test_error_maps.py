"""Error maps: the mean over a split of |error| at every point, bounded in size."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.bench.record import record_run
from llt.evaluation import evaluate
from llt.evaluation.error_maps import MOST, ErrorMaps, PointErrors, kept_rows
from llt.evaluation.kept import keep_evaluation, kept_evaluation
from tests.conftest import darcy_like, ragged
from tests.data.kinds import flow, timed
from tests.evaluation.test_report import make_run


def gathered(data, indices, predict):
    """Batch by batch, as an evaluation shows items: samples, or samples at a time."""
    found = PointErrors(data, np.array(indices))
    times = 1 if data.times is None else len(data.times)
    items = [(place, moment) for place in range(len(indices)) for moment in range(times)]
    for start in range(0, len(items), 4):
        batch = items[start : start + 4]
        parts = [
            data.sample(indices[place], None if data.times is None else k) for place, k in batch
        ]
        numbers = torch.tensor([place * times + k for place, k in batch])
        found.see(numbers, torch.from_numpy(np.stack([predict(part.outputs) for part in parts])))
    return found.mean()


def test_every_point_has_its_mean_over_cases_and_times():
    data = timed()
    rng = np.random.default_rng(1)
    off = rng.normal(size=data.outputs.shape).astype(np.float32)
    errors = iter(off[[1, 4]].reshape(-1, *off.shape[2:]))
    found = gathered(data, [1, 4], lambda u: u + next(errors))
    assert found.shape == [4, 3] and [*found.fields] == [*data.problem.output_names]
    wanted = np.abs(off[[1, 4]]).mean(axis=(0, 1))
    for name, column in zip(found.fields, wanted.T, strict=True):
        np.testing.assert_allclose(found.values(name), column, rtol=1e-3)


def test_fields_count_where_they_exist():
    data = flow(own_points=False)
    found = gathered(data, [0, 1, 2], lambda u: u + 2)
    surface = np.stack([data.sample(i).masks["surface"] for i in range(3)])
    assert surface.any(axis=0).all()  # some case has every point, so that all have a mean
    np.testing.assert_allclose(found.values("pressure"), 2, rtol=1e-3)
    alone = gathered(data, [0], lambda u: u + 2)
    assert [value is None for value in alone.fields["pressure"]] == [*~surface[0]]
    assert None not in alone.fields["velocity"]


@pytest.mark.parametrize("shape", [(9, 9), (85, 85), (421, 421), (1_000_000,), (3, 100_000)])
def test_large_meshes_are_thinned_evenly(shape):
    rows = kept_rows(shape)
    places = np.stack(np.unravel_index(rows, shape), axis=-1)
    assert MOST / 4 < len(rows) <= MOST or len(rows) == np.prod(shape) <= MOST
    for axis, n in enumerate(shape):
        kept = np.unique(places[:, axis])
        gaps = np.diff(kept)
        assert kept[0] == 0 and kept[-1] == n - 1 and np.ptp(gaps) <= 1
    assert ErrorMaps(shape=[*shape], fields={}).grid == tuple(
        len(np.unique(column)) for column in places.T
    )


def test_an_evaluation_keeps_them_and_records_do_not(tmp_path):
    run = make_run(tmp_path, darcy_like())
    evaluation = evaluate(run)
    assert len(evaluation.error_maps.fields["pressure"]) == 81
    keep_evaluation(run, evaluation)
    assert kept_evaluation(run) == evaluation
    assert record_run(run, "title", "command").results["evaluation"]["error_maps"] is None
    text = (run / "evaluation.json").read_text()
    number = repr(evaluation.error_maps.fields["pressure"][0])
    (run / "evaluation.json").write_text(text.replace(number, "0.25", 1))
    assert kept_evaluation(run) is None  # damaged: found out again


def test_there_are_none_where_points_do_not_correspond(tmp_path):
    run = make_run(tmp_path, ragged())
    assert evaluate(run).error_maps is None


def test_older_evaluations_have_none(tmp_path):
    run = make_run(tmp_path, darcy_like())
    evaluation = evaluate(run)
    older = evaluation.to_dict()
    del older["error_maps"]
    assert type(evaluation).from_dict(older) == replace(evaluation, error_maps=None)
