"""Fused beside plain: outputs and gradients, on the GPU if there is one, else interpreted."""

import torch
from torch import Tensor

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# on a GPU products of float32 are TF32, and whole models run in fp16; the interpreter is exact
TOLERANCE = 1e-2 if DEVICE.type == "cuda" else 1e-5


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, device=DEVICE).requires_grad_()


def half() -> torch.autocast:
    """The precision of a whole model."""
    return torch.autocast(DEVICE.type, torch.float16, enabled=DEVICE.type == "cuda")


def compare(actual: Tensor, expected: Tensor, inputs: list[Tensor]) -> None:
    """Outputs and the gradients of all inputs, for a random gradient of the output."""
    close(actual, expected, "output")
    up = torch.randn(expected.shape, device=DEVICE)
    first = torch.autograd.grad(actual, inputs, up)
    second = torch.autograd.grad(expected, inputs, up)
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        close(a, b, f"gradient {index}")


def close(actual: Tensor, expected: Tensor, what: str) -> None:
    assert actual.shape == expected.shape, what
    error = (actual - expected).norm() / expected.norm()
    assert error < TOLERANCE, f"{what}: relative error {error:.2g}"
