"""The definition of Muon's update.

    m <- m + (1 - μ) (g - m)           momentum of the gradient g
    x  = orthogonal(g + μ (m - g))     Nesterov's step, all its singular values made about one
    w <- (1 - rate · decay) w - rate · 0.2 √max(rows, columns) x

The root gives the update the root mean square of Adam's, whatever the shape (Liu et al.: Muon is
Scalable for LLM Training, 2025).
"""

from __future__ import annotations

import torch
from torch import Tensor

from llt.kernels.muon.layout import Layout

MOMENTUM = 0.95  # μ
SIZE = 0.2  # root mean square of Adam's updates
EPS = 1e-7  # a gradient below this is as good as none
# a quintic that lifts small singular values as fast as it can: five steps take all above 0.01 to
# between 0.7 and 1.2, which serves as well as one (Jordan et al.: Muon, 2024)
STEPS, COEFFICIENTS = 5, (3.4445, -4.7750, 2.0315)


def muon_update(
    flat: Tensor,
    momentum: Tensor,
    gradient: Tensor,
    layout: Layout,
    row: Tensor,
    factor: Tensor,
    finite: Tensor | None,
) -> None:
    """Muon's update in place of a vector of matrices.

    `row` holds the rate and the factor of decoupled decay. The gradient counts times `factor`.
    Where `finite` is given and false, nothing changes.
    """
    rate, decay = row.unbind()
    state = (flat, momentum)
    before = [] if finite is None else [tensor.clone() for tensor in state]
    gradient = gradient * factor
    momentum.lerp_(gradient, 1 - MOMENTUM)
    ahead = gradient.lerp(momentum, MOMENTUM)
    flat *= decay
    for weights, matrices in zip(layout.views(flat), layout.views(ahead), strict=True):
        size = SIZE * max(weights.shape[1:]) ** 0.5
        weights -= orthogonal(matrices) * (rate * size)
    if finite is not None:
        for tensor, old in zip(state, before, strict=True):
            tensor.copy_(torch.where(finite, tensor, old))


def orthogonal(matrices: Tensor) -> Tensor:
    """U Vᵀ of matrices (S, R, C) = U Σ Vᵀ, about, by Newton-Schulz; all in one batch."""
    # the Gram matrix is that of the shorter side
    x = matrices if matrices.shape[1] <= matrices.shape[2] else matrices.mT
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=EPS)  # no singular value above one
    x = x.to(product_dtype(x.device))
    a, b, c = COEFFICIENTS
    for _ in range(STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    x = x.to(matrices.dtype)
    return x if x.shape == matrices.shape else x.mT


def product_dtype(device: torch.device) -> torch.dtype:
    """Iterations correct themselves, so that 16 bits will do; a CPU is not faster with them."""
    return torch.bfloat16 if device.type == "cuda" else torch.float32
