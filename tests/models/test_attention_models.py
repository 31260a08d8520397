"""What is particular to each attention model, against its formula written the slow way."""

import math

import pytest
import torch

from llt.errors import ConfigError
from llt.models.factformer import FactFormer
from llt.models.htnet import Decompose, HierarchicalAttention, HTNet, Reduce, WindowAttention
from llt.models.lsm import LSM
from llt.models.oformer import OFormer
from llt.nn.linear_attention import galerkin_attention
from llt.nn.patching import covered, from_patches, to_patches
from llt.nn.points import point_weights
from llt.nn.rotary import rotate
from llt.problem import DARCY, ELASTICITY, Problem

MASK = torch.arange(7)[None] < torch.tensor([[5], [7]])  # two samples, the first with padding


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def heads_of(z, heads):
    """(N, D) as a list of (N, C), one per head."""
    return z.split(z.shape[-1] // heads, dim=-1)


def test_weights_count_real_points_only():
    expected = torch.tensor([[0.2] * 5 + [0.0] * 2, [1 / 7] * 7])
    torch.testing.assert_close(point_weights(torch.zeros(2, 7, 3), MASK), expected)
    # 16-bit floats cannot hold 1 / 4099
    assert point_weights(torch.zeros(1, 4099, dtype=torch.bfloat16)).dtype == torch.float32


def test_galerkin_attention_is_the_dense_product_over_n():
    q, k, v = draw(3, 2, 7, 3, 4)
    out = galerkin_attention(q, k, v, MASK)
    for b, n in enumerate((5, 7)):
        for h in range(3):
            dense = q[b, :, h] @ k[b, :n, h].T @ v[b, :n, h] / n
            torch.testing.assert_close(out[b, :, h], dense)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_rotary_scores_depend_on_coordinate_differences_only(d):
    q, k = draw(2, 1, 5, 2, 14)
    x, y = draw(2, 1, 5, d)

    def scores(shift):
        return torch.einsum("bnhc,bmhc->bhnm", rotate(q, x + shift), rotate(k, y + shift))

    torch.testing.assert_close(scores(0.0), scores(draw(d)))
    # but on every one of the differences
    for axis in range(d):
        moved = x.clone()
        moved[..., axis] += 0.1
        other = torch.einsum("bnhc,bmhc->bhnm", rotate(q, moved), rotate(k, y))
        assert not torch.allclose(scores(0.0), other, rtol=1e-3)


def test_rotation_turns_pairs_by_frequency_times_coordinate():
    z, x = draw(1, 1, 1, 9), draw(1, 1, 2)
    expected = z.flatten().clone()
    pairs = 2  # for each of the two coordinates; the ninth channel stays
    for axis in range(2):
        for p in range(pairs):
            i = axis * pairs + p
            angle = 64 * 1e4 ** (-p / pairs) * x[0, 0, axis].item()
            one, two = z[0, 0, 0, i], z[0, 0, 0, i + 4]
            expected[i] = math.cos(angle) * one - math.sin(angle) * two
            expected[i + 4] = math.sin(angle) * one + math.cos(angle) * two
    torch.testing.assert_close(rotate(z, x).flatten(), expected)


def test_too_few_channels_for_the_coordinates():
    with pytest.raises(ConfigError, match="3 channels per head cannot encode 2 coordinates"):
        OFormer(ELASTICITY, dim=3)


@pytest.mark.parametrize("before", [0, 1])
def test_patches_hold_what_stands_in_their_square(before):
    image = draw(2, 5, 7, 3)
    patches = to_patches(image, 3, before=before)
    assert patches.shape == (2, 2, 3, 9, 3)
    real = covered(image, 3, before=before)
    for y in range(5):
        for x in range(7):
            (py, iy), (px, ix) = divmod(y + before, 3), divmod(x + before, 3)
            assert torch.equal(patches[:, py, px, 3 * iy + ix], image[:, y, x])
            assert real[0, py, px, 3 * iy + ix]
    assert real.sum() == 35
    assert not patches[:, ~real[0]].any()
    assert torch.equal(from_patches(patches, (5, 7), before=before), image)


@pytest.mark.parametrize("before", [0, 1])
def test_htnet_windows_are_a_dense_masked_softmax(before):
    layer = WindowAttention(8, 2, 3, before).double()
    h = draw(1, 4, 5, 8)
    q, k, v = layer.qkv(h[0].flatten(0, 1)).split(8, dim=-1)
    window = torch.tensor(
        [[(y + before) // 3, (x + before) // 3] for y in range(4) for x in range(5)]
    )
    together = (window[:, None] == window[None]).all(-1)  # (N, N)
    parts = []
    for qh, kh, vh in zip(*(heads_of(z, 2) for z in (q, k, v)), strict=True):
        scores = (qh @ kh.T / 2).masked_fill(~together, -math.inf)
        parts.append(scores.softmax(1) @ vh)
    expected = layer.out(torch.cat(parts, dim=1)).view(4, 5, 8)
    torch.testing.assert_close(layer(h)[0], expected)


def test_htnet_reduce_merges_squares_and_decompose_splits_them():
    reduce, decompose = Reduce(3, 2).double(), Decompose(3, 2).double()
    h = draw(1, 4, 5, 3)
    coarse = reduce(h)
    assert coarse.shape == (1, 2, 3, 3)
    torch.testing.assert_close(coarse[0, 1, 0], reduce.linear(h[0, 2:4, 0:2].flatten()))
    fine = decompose(coarse, (4, 5))
    assert fine.shape == h.shape
    children = decompose.linear(coarse[0, 1, 0]).view(2, 2, 3)
    torch.testing.assert_close(fine[0, 2:4, 0:2], children)


def test_htnet_adds_all_levels_on_the_finest():
    layer = HierarchicalAttention(4, heads=1, num_levels=3, window=2, before=0).double()
    h = draw(1, 5, 7, 4)
    middle = layer.reduce[0](h)
    coarse = layer.reduce[1](middle)
    up = layer.attention[1](middle) + layer.decompose[1](layer.attention[2](coarse), (3, 4))
    expected = layer.attention[0](h) + layer.decompose[0](up, (5, 7))
    torch.testing.assert_close(layer(h), expected)


def test_htnet_moves_its_windows_by_half_in_every_other_layer():
    model = HTNet(DARCY, dim=8, heads=2, num_layers=3, window=4)
    assert [block.mixer.attention[0].before for block in model.blocks] == [0, 2, 0]


def test_htnet_keeps_pixels_beside_patches():
    model = HTNet(DARCY, dim=8, heads=2, num_layers=1, patch=3).double()
    x, a = draw(1, 20, 2), draw(1, 20, 1)
    pixels = model.embedding(torch.cat((x, a), dim=-1)).view(1, 4, 5, 8)
    fine = model.decompose(model.blocks[0](model.reduce(pixels)), (4, 5))
    expected = model.readout((pixels + fine).view(1, 20, 8))
    torch.testing.assert_close(model(x, a, grid=(4, 5)), expected)


@pytest.mark.parametrize("grid", [(1, 5), (17, 6), (31, 33)], ids=str)
@pytest.mark.parametrize(
    ("model", "settings"),
    [(HTNet, {"dim": 8, "heads": 2, "num_layers": 1}), (LSM, {"dim": 8, "heads": 2})],
    ids=["htnet", "lsm"],
)
def test_any_grid_comes_back_in_its_size(model, settings, grid):
    n = math.prod(grid)
    model = model(DARCY, **settings)
    assert model(torch.rand(2, n, 2), torch.rand(2, n, 1), grid=grid).shape == (2, n, 1)


@pytest.mark.parametrize("model", [HTNet, LSM])
def test_heads_must_divide_the_width(model):
    with pytest.raises(ConfigError, match="dim=30 must be a positive multiple of heads=4"):
        model(DARCY, dim=30, heads=4)


def test_structured_models_say_so():
    space = Problem(name="box", space_dim=3, inputs=(), outputs=("u",), grid=(2, 3, 4))
    assert "unstructured" not in FactFormer.supports
    assert "3d" in FactFormer.supports
    assert HTNet.supports == FactFormer.supports - {"3d"}
    FactFormer(space, dim=8, heads=2, head_dim=4)
