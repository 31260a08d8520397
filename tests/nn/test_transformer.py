"""Attention by plain products, which GPUs use, against the library's."""

import pytest
import torch
import torch.nn.functional as F

from llt.nn.transformer import _attention_by_products, over_points

B, H, C, LATENTS, POINTS = 2, 3, 4, 5, 37


def draw(*lengths):
    torch.manual_seed(0)
    return [torch.randn(B, H, n, C, requires_grad=True) for n in lengths]


def output_and_gradients(function, tensors, *args, **settings):
    out = function(*tensors, *args, **settings)
    return out, *torch.autograd.grad(out.sin().sum(), tensors)


@pytest.mark.parametrize("scale", [None, 1.0])
@pytest.mark.parametrize("real", [None, (POINTS, 20), (POINTS, 0)], ids=["all", "padded", "empty"])
def test_points_to_latents_is_softmax_attention(real, scale):
    tensors = draw(LATENTS, POINTS, POINTS)
    mask = None if real is None else torch.arange(POINTS) < torch.tensor(real)[:, None]
    mask = over_points(mask)
    found = output_and_gradients(_attention_by_products, tensors, mask, scale)
    expected = output_and_gradients(F.scaled_dot_product_attention, tensors, mask, scale=scale)
    for one, other in zip(found, expected, strict=True):
        assert one.isfinite().all()
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_masked_points_have_no_weight():
    q, k, v = draw(LATENTS, POINTS, POINTS)
    mask = torch.arange(POINTS) < torch.tensor([[POINTS], [20]])
    far = torch.where(mask[:, None, :, None], 0.0, 1e3)
    near, moved = (
        _attention_by_products(q, k + shift, v + shift, over_points(mask), None)
        for shift in (0.0, far)
    )
    torch.testing.assert_close(near, moved)
    # the empty sample reads nothing at all
    empty = _attention_by_products(q, k, v, over_points(mask & False), None)
    assert not empty.any()


@pytest.mark.parametrize("scale", [None, 1.0])
def test_latents_to_points_is_softmax_attention(scale):
    tensors = draw(POINTS, LATENTS, LATENTS)
    found = output_and_gradients(_attention_by_products, tensors, None, scale)
    expected = output_and_gradients(F.scaled_dot_product_attention, tensors, scale=scale)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_autocast_keeps_the_accuracy_of_its_products():
    q, k, v = (z.detach() for z in draw(LATENTS, POINTS, POINTS))
    mask = over_points(torch.arange(POINTS) < torch.tensor([[POINTS], [20]]))
    with torch.autocast("cpu", torch.bfloat16):
        found = _attention_by_products(*(z.bfloat16() for z in (q, k, v)), mask, None)
    assert found.dtype == torch.bfloat16
    expected = F.scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(found.float(), expected, atol=0.02, rtol=0)
