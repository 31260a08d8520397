"""Captured steps on a GPU: what they compute is what eager steps compute."""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from llt.data import dataset_file
from llt.presets import find_preset
from llt.training import TrainConfig, resume, train
from llt.training.loop import Interrupted
from tests.conftest import darcy_like
from tests.training.test_run import MODEL, stop_after
from tests.training.test_step import KINDS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]
CONFIG = TrainConfig(epochs=3, batch_size=2, lr=3e-3, average=0.9, precision="fp32", mode="graph")


def weights(run):
    return torch.cat(
        [z.reshape(-1).double() for z in load_file(run / "last/model.safetensors").values()]
    )


@pytest.mark.parametrize("place", ["device", "host", "file"])
@pytest.mark.parametrize("kind", ["darcy", "ragged", "timed"])
def test_a_captured_training_goes_like_an_eager_one(kind, place, tmp_path):
    dataset_file.write(tmp_path / "set.h5", KINDS[kind]())
    config = replace(CONFIG, augment=kind == "darcy", data=place)
    runs = [
        train(
            tmp_path / "set.h5",
            tmp_path / mode,
            model_settings=MODEL,
            config=replace(config, mode=mode),
            device="cuda",
        )
        for mode in ("graph", "eager")
    ]
    torch.testing.assert_close(*map(weights, runs), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("place", ["device", "host", "file"])
def test_several_grids_are_captured_each(place, tmp_path):
    dataset_file.write(tmp_path / "set.h5", darcy_like(n=17))
    config = replace(CONFIG, augment=True, derivative=0.1, strides=(4, 2, 2, 1), data=place)
    runs = [
        train(
            tmp_path / "set.h5",
            tmp_path / mode,
            model_settings=MODEL,
            config=replace(config, mode=mode),
            device="cuda",
        )
        for mode in ("graph", "eager")
    ]
    torch.testing.assert_close(*map(weights, runs), rtol=1e-3, atol=1e-4)


def test_random_numbers_go_on_after_an_interruption(darcy_file, tmp_path):
    options = {
        "model": "transolver_plus_plus",
        "model_settings": find_preset("tiny", "transolver_plus_plus").model,
        "config": CONFIG,
        "device": "cuda",
    }
    whole = train(darcy_file, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "broken", listener=stop_after(5), **options)
    broken = resume(tmp_path / "broken", device="cuda")
    torch.testing.assert_close(weights(whole), weights(broken), rtol=1e-3, atol=1e-4)
