"""Wherever the data are kept, a training gives the same weights."""

from dataclasses import replace

import h5py
import pytest
import torch

import llt
from llt.data import dataset_file
from llt.data.sources import DeviceSource, StreamedSource
from llt.errors import ConfigError, DataError
from llt.evaluation.metrics import evaluate
from llt.evaluation.report import write_report
from llt.training import TrainConfig, train
from tests.data.kinds import KINDS

CONFIG = TrainConfig(epochs=2, batch_size=2)
MODEL = {"dim": 8, "num_layers": 1}


@pytest.mark.parametrize("kind", ["darcy", "flow-ragged-timed-inputs"])
def test_weights_are_bitwise_the_same(kind, tmp_path, monkeypatch):
    dataset_file.write(tmp_path / "set.h5", KINDS[kind]())
    used = []
    for cls in (DeviceSource, StreamedSource):
        original = cls.stage

        def stage(self, points=None, *, original=original):
            used.append((type(self), getattr(self, "_reader", None)))
            original(self, points)

        monkeypatch.setattr(cls, "stage", stage)
    weights = {}
    for place in ("auto", "device", "host", "file"):
        config = replace(CONFIG, data=place, augment=kind == "darcy")
        out = tmp_path / place
        train(tmp_path / "set.h5", out, model_settings=MODEL, config=config, device="cpu")
        weights[place] = llt.load(out / "last").model.state_dict()
        cls, reader = used[-1]
        assert (cls is StreamedSource) == (place in ("host", "file"))
        assert reader is None or (reader.data.file is None) == (place == "host")
    for place in ("device", "host", "file"):
        for name, tensor in weights["auto"].items():
            assert torch.equal(weights[place][name], tensor), (place, name)


@pytest.mark.parametrize("kind", ["flow", "flow-grid-own-points", "flow-ragged-timed-inputs"])
def test_every_kind_of_data_is_trained_on_evaluated_and_reported(kind, tmp_path):
    dataset_file.write(tmp_path / "set.h5", KINDS[kind]())
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=CONFIG)
    evaluation = evaluate(run, device="cpu")
    assert 0 < evaluation.relative_l2 < 10
    assert 0 < evaluation.mean_field_error < 10
    assert [*evaluation.fields] == ["pressure", "velocity"]
    assert "Errors by field" in write_report(run, evaluation).read_text()


def test_damage_found_while_reading_ahead_ends_the_training(darcy_file, tmp_path):
    with h5py.File(darcy_file, "r+") as file:
        file["outputs/pressure"][5] += 1
    with pytest.raises(DataError, match=r"darcy\.h5: damaged: sample 5 has checksum"):
        config = replace(CONFIG, data="file")
        train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_captured_step_reads_what_is_staged(tmp_path):
    dataset_file.write(tmp_path / "set.h5", KINDS["flow-ragged-timed"]())
    weights = []
    for place in ("device", "host", "file"):
        config = replace(CONFIG, data=place, mode="graph", precision="fp32")
        out = tmp_path / place
        train(tmp_path / "set.h5", out, model_settings=MODEL, config=config, device="cuda")
        weights.append(llt.load(out / "last", "cpu").model.state_dict())
    for other in weights[1:]:
        for name, tensor in weights[0].items():
            torch.testing.assert_close(other[name], tensor, rtol=1e-4, atol=1e-6)


def test_unknown_place_is_refused():
    with pytest.raises(ConfigError, match=r"unknown train\.data 'disk'; choose from auto"):
        replace(CONFIG, data="disk")
