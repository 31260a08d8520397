"""Fields as logarithms: there and back, who is refused, and that padding does no harm."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.logarithm import Logarithms, check_positive, log_channels, wide_fields
from llt.data.normalizer import Normalizer, logged
from llt.errors import CheckpointError, ConfigError, DataError
from llt.models import build_model
from llt.surrogate import Surrogate
from tests.conftest import ragged

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def decades(num: int = 12, power: int = 1) -> Dataset:
    """p spans six decades, and so does k that it follows from; s does not."""
    rng = np.random.default_rng(0)
    x = np.stack(np.meshgrid(np.linspace(0, 1, 6), np.linspace(0, 1, 5)), axis=-1)
    k = 10 ** rng.uniform(-3, 3, num)
    k = np.broadcast_to(k[:, None, None], (num, 5, 6)) * (1 + x[..., 0] * x[..., 1])
    return Dataset.from_arrays(
        "decades",
        points=x,
        inputs={"k": k, "b": rng.normal(size=k.shape)},
        outputs={"p": 5 * k**power, "s": x[..., 0] * x[..., 1] + 0 * k},
        parameters={"m": 10 ** rng.uniform(-2, 2, num)},
    )


def test_there_and_back():
    z = torch.tensor([[1e-5, -2.0], [3e7, 5.0]], requires_grad=True)
    log = Logarithms([True, False])
    seen = log(z)
    assert torch.allclose(seen[:, 0], z[:, 0].log()) and torch.equal(seen[:, 1], z[:, 1])
    assert torch.allclose(log.inverse(seen), z, rtol=1e-5)
    wild = torch.tensor([[500.0, 500.0]], requires_grad=True)
    log.inverse(wild).sum().backward()
    assert log.inverse(wild).isfinite().all() and wild.grad.isfinite().all()
    assert log(torch.zeros(3, 2)).isfinite().all()  # padding
    assert np.array_equal(logged(np.array([[1.0, 0.0]]), [False, True]), [[1.0, 0.0]])


def test_statistics_are_of_the_logarithms():
    data = decades()
    found = Normalizer.fit(data, log=["k", "p", "m"])
    train = data.split("train")
    k = np.log(data.inputs[train][..., 0])
    assert found.a_mean[0].item() == pytest.approx(k.mean(), rel=1e-5)
    assert found.a_std[2].item() == pytest.approx(np.log(data.parameters[train]).std(), rel=1e-5)
    assert found.u_std[0].item() == pytest.approx(
        np.log(data.outputs[train][..., 0]).std(), rel=1e-5
    )
    a = torch.from_numpy(data.sample(0).given)
    seen = torch.stack([a[:, 0].log(), a[:, 1], a[:, 2].log()], dim=-1)
    assert torch.allclose(found.encode_inputs(a), (seen - found.a_mean) / found.a_std, atol=1e-5)
    again = Normalizer.from_dict(found.to_dict())
    assert torch.equal(again.encode_inputs(a), found.encode_inputs(a))
    with pytest.raises(CheckpointError, match="u_log and u_mean are of different lengths"):
        Normalizer.from_dict(found.to_dict() | {"u_log": [True]})
    assert "a_log" not in Normalizer.fit(data).to_dict()


@pytest.mark.parametrize("mean_field", [False, True])
def test_a_surrogate_gives_physical_units_and_keeps_its_logarithms(tmp_path, mean_field):
    data = decades()
    torch.manual_seed(0)
    network = build_model("llt", data.problem, **MODEL)
    surrogate = Surrogate.fit(network, data, mean_field=mean_field, log=["k", "p"])
    u = torch.from_numpy(data.sample(0).outputs)
    encode = surrogate.normalizer
    mean = surrogate.mean_field if mean_field else 0.0
    ideal = (encode.as_learned(u) - mean - encode.u_mean) / encode.u_std  # what a model should say
    assert torch.allclose(surrogate.decode(ideal), u, rtol=1e-4)
    surrogate.save(tmp_path / "s")
    again = llt.load(tmp_path / "s")
    sample = data.sample(3)
    fields = {"k": sample.inputs[:, 0].reshape(5, 6), "b": sample.inputs[:, 1].reshape(5, 6)}
    found = again.predict(None, fields, parameters={"m": 1.0}, check=False)
    before = surrogate.predict(None, fields, parameters={"m": 1.0}, check=False)
    assert np.array_equal(found["p"], before["p"]) and (found["p"] > 0).all()
    with pytest.raises(DataError, match="decades: k has a value of -1 in case 0; its logarithm"):
        again.predict(None, {**fields, "k": -np.ones((5, 6))}, parameters={"m": 1.0})


def test_what_has_no_logarithm_is_refused_by_its_sample():
    data = decades()
    index = int(data.split("val")[0])
    outputs = data.outputs.copy()
    outputs[index, 7, 0] = 0
    broken = replace(data, outputs=outputs)
    with pytest.raises(DataError, match=f"sample {index}: p has a value of 0; train.log needs"):
        check_positive(broken, ["p"])
    check_positive(broken, ["k"])
    with pytest.raises(ConfigError, match="unknown field 'q'"):
        log_channels(data.problem, ["q"])


def test_fields_that_span_decades_are_found():
    found = wide_fields(decades())
    assert set(found) == {"k", "p", "m"} and found["k"] > 3
    signed = decades()
    outputs = signed.outputs.copy()
    outputs[:, 0, 0] = -1
    assert set(wide_fields(replace(signed, outputs=outputs))) == {"k", "m"}


def test_padding_changes_nothing():
    data = ragged()
    data = replace(data, inputs=np.exp(3 * data.inputs))
    torch.manual_seed(0)
    network = build_model("llt", data.problem, **MODEL)
    surrogate = Surrogate.fit(network, data, log=["load"])
    source = surrogate.source(data, data.split("train"))
    batch = source.batch(torch.arange(source.num_items))
    u = surrogate.predict_batch(batch.x, batch.a, neighbors=batch.neighbors, mask=batch.mask)
    for row, index in enumerate(data.split("train")):
        sample = data.sample(index)
        alone = surrogate.predict(sample.points, sample.given, check=False)
        assert np.allclose(u[row, : len(alone)], alone, rtol=1e-4, atol=1e-5)


def test_the_command_suggests_and_takes_logarithms(tmp_path, capsys):
    path = tmp_path / "decades.h5"
    dataset_file.write(path, decades())
    words = ["train", str(path), "--device", "cpu", "--set", "train.epochs=1"]
    words += ["--set", "model.dim=8", "--set", "model.num_layers=1"]
    assert main([*words, "--out", str(tmp_path / "plain"), "--log", "k"]) == 0
    err = capsys.readouterr().err
    assert "p spans 6" in err or "p spans 5" in err
    assert "--log p learns its logarithm" in err and "--log k" not in err
    assert llt.load(tmp_path / "plain").normalizer.a_log.channels.tolist() == [True, False, False]
    assert 'log = ["k"]' in (tmp_path / "plain/config.toml").read_text()
    assert main([*words, "--out", str(tmp_path / "no"), "--log", "b"]) == 2
    assert "b has a value of -" in capsys.readouterr().err
    assert main([*words, "--out", str(tmp_path / "no"), "--log", "q"]) == 2
    assert "train.log: unknown field 'q'" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_logarithms_learn_what_spans_decades(tmp_path):
    """Cases of small numbers are not lost beside those of large ones."""
    # where k is small, p is large, and small differences of k alone tell how large
    path = decades(24, power=-1).save(tmp_path / "decades.h5")
    settings = {f"model.{name}": value for name, value in MODEL.items()}
    settings |= {"train.derivative": 0.0, "train.lr": 5e-3, "train.muon_lr": 5e-3}
    errors = []
    for log in ([], ["k", "p"]):
        run = tmp_path / f"run{len(log)}"
        llt.train(path, run, steps=300, settings=settings | {"train.log": log}, device="cpu")
        found = llt.evaluate(run, split="train", device="cpu")
        errors.append(float(np.median(found.field_errors["p"])))
    assert errors[1] < 1 < errors[0]
