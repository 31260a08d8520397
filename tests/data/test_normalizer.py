from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.normalizer import Normalizer


def test_training_fields_become_standard(darcy_data):
    train = darcy_data.split("train")
    normalizer = Normalizer.fit(darcy_data)
    a = normalizer.encode_inputs(torch.from_numpy(darcy_data.inputs[train]))
    assert a.mean() == pytest.approx(0, abs=1e-5)
    assert a.std(correction=0) == pytest.approx(1, abs=1e-5)
    x = normalizer.encode_points(torch.from_numpy(darcy_data.points))
    assert (x.min(), x.max()) == pytest.approx((0, 1), abs=1e-6)


def test_only_the_training_split_is_looked_at(darcy_data):
    outputs = darcy_data.outputs.copy()
    outputs[darcy_data.split("test")] += 100
    changed = replace(darcy_data, outputs=outputs)
    assert Normalizer.fit(changed).to_dict() == Normalizer.fit(darcy_data).to_dict()


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
