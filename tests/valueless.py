"""Work on tensors that have no values, which shows what could not be captured on a GPU.

In a captured CUDA graph nothing may be read back to the host, nor come from there. On the device
`meta` there is nothing to read; what comes from the host is a tensor on the CPU.
"""

import pickle
from contextlib import ExitStack, contextmanager, nullcontext
from io import BytesIO
from unittest.mock import patch

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

META = torch.device("meta")


def without_values(thing):
    """A copy of all of it whose tensors are on `meta`; views of one memory stay so."""
    file = BytesIO()
    torch.save(thing, file, pickle_module=pickle)
    file.seek(0)
    return torch.load(file, map_location=META, weights_only=False)


@contextmanager
def capturing():
    """What runs inside raises where it reads a value or uses one of the host's tensors."""
    with ExitStack() as stack:
        # no precision is cast to on meta, nor may be asked for
        stack.enter_context(patch("torch.autocast", lambda *given, **options: nullcontext()))
        stack.enter_context(patch("torch.is_autocast_enabled", lambda device: False))
        # copied from the host before a mode sees it
        stack.enter_context(patch("torch.tensor", side_effect=RuntimeError("a tensor of numbers")))
        stack.enter_context(_OneDevice())
        yield


class _OneDevice(TorchDispatchMode):
    """Operations on meta themselves take some tensors of the CPU."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        for z in tree_leaves((args, kwargs or {})):
            # numbers between tensors are tensors without axes
            if isinstance(z, torch.Tensor) and z.device != META and z.dim():
                raise RuntimeError(f"{func} uses a tensor {tuple(z.shape)} of the host")
        return func(*args, **(kwargs or {}))
