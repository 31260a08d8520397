"""Precisions by device."""

import pytest
import torch

from llt.errors import ConfigError
from llt.runtime.device import autocast, find_device, resolve_precision

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


@pytest.mark.parametrize(
    ("asked", "device", "found"),
    [("auto", CUDA, "fp16"), ("tf32", CUDA, "tf32"), ("auto", CPU, "fp32"), ("bf16", CPU, "fp32")],
)
def test_precision_is_the_model_s_own_unless_another_is_asked_for(asked, device, found):
    assert resolve_precision(asked, "fp16", device) == found


def test_unknown_precisions_are_refused_everywhere():
    with pytest.raises(ConfigError, match="unknown precision 'fp8'"):
        resolve_precision("fp8", "fp16", CPU)


@pytest.mark.parametrize("cache", [True, False])
def test_copies_of_weights_are_kept_only_where_wanted(cache):
    with torch.autocast("cpu", torch.bfloat16), autocast(CPU, "fp16", cache=cache):
        assert torch.is_autocast_cache_enabled() == cache


@pytest.mark.parametrize("name", ["mps", "meta", "gpu", ""])
def test_devices_that_nothing_runs_on_are_refused(name):
    with pytest.raises(ConfigError, match=f"unknown device '{name}'; choose from auto, cpu, cuda"):
        find_device(name)
