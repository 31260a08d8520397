"""Models that pass through slices, modes or latents: published counts, and formulas in full."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from llt.errors import ConfigError
from llt.models.flare import FLARE, LatentRouting
from llt.models.linearno import LinearNO, ModeAttention
from llt.models.lno import LNO
from llt.models.lrsa import LRSA, ConvFFN, LowRankSpatialAttention
from llt.models.transolver import SliceWeights, Transolver
from llt.models.transolver_plus_plus import EideticWeights, TransolverPlusPlus
from llt.nn.physics_attention import PhysicsAttention
from llt.nn.transformer import Attention, Positions, ResidualMLP
from llt.problem import AIRFOIL, CAR, DARCY, ELASTICITY, PLASTICITY, PROBLEMS, Problem

ALL_MODELS = [Transolver, TransolverPlusPlus, LinearNO, LNO, FLARE, LRSA]
MASK = torch.tensor([[True] * 5, [True, True, True, False, False]])

PUBLISHED = [  # millions of parameters
    (Transolver, "elasticity", {}, 0.714),
    (Transolver, "plasticity", {}, 2.844),
    (Transolver, "airfoil", {}, 2.811),
    (Transolver, "pipe", {"mlp_ratio": 2}, 3.074),
    (Transolver, "darcy", {"reference_points": 8}, 2.827),
    (Transolver, "car", {"dim": 256, "slices": 32, "mlp_ratio": 2}, 3.861),
    (TransolverPlusPlus, "car", {"dim": 256, "num_layers": 4, "slices": 32, "mlp_ratio": 2}, 1.74),
    (LinearNO, "elasticity", {}, 0.585),
    (LinearNO, "plasticity", {"max_temperature": 0.0}, 1.799),
    (LinearNO, "airfoil", {}, 1.766),
    (LinearNO, "pipe", {}, 1.766),
    (LinearNO, "darcy", {}, 1.766),
    (FLARE, "elasticity", {}, 0.593),
    (FLARE, "darcy", {"latents": 256, "heads": 16}, 0.691),
    (LNO, "elasticity", {"dim": 192, "mlp_layers": 3}, 1.832),
    (LNO, "plasticity", {}, 0.763),
    (LNO, "airfoil", {"num_layers": 8}, 1.292),
    (LNO, "pipe", {"num_layers": 8}, 1.292),
    (LNO, "darcy", {}, 0.762),
]


def randomize(module):
    """Double precision, and parameters far enough from zero that none is without effect."""
    module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return module


def points(*shape):
    return torch.randn(*shape, dtype=torch.double)


@pytest.mark.parametrize(
    ("cls", "name", "settings", "millions"),
    PUBLISHED,
    ids=[f"{cls.__name__}-{name}" for cls, name, *_ in PUBLISHED],
)
def test_parameter_count_is_the_published_one(cls, name, settings, millions):
    model = cls(PROBLEMS[name], **settings)
    assert round(sum(p.numel() for p in model.parameters()) / 1e6, 3) == millions


@pytest.mark.parametrize("cls", [Transolver, TransolverPlusPlus, LinearNO, LRSA])
def test_shift_stands_in_for_input_fields(cls):
    """On grids it is there only where no field is; on point sets always."""
    shifted = {p.name: cls(p, dim=8).embedding.shift is not None for p in PROBLEMS.values()}
    assert [name for name, has in shifted.items() if not has] == ["plasticity", "darcy"]


def test_distances_replace_coordinates():
    x = torch.rand(1, 4, 2)
    corners = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    on_points, on_grid = Positions(ELASTICITY, 2), Positions(DARCY, 2)
    torch.testing.assert_close(on_points(x, None)[0], torch.cdist(x[0], corners))
    # the nodes of a 2 x 2 grid are the corners, wherever the points are
    torch.testing.assert_close(
        on_grid(x, (2, 2))[0], torch.cdist(corners, corners), atol=1e-5, rtol=0
    )
    assert Positions(CAR, 3).dim == 27
    assert torch.equal(Positions(DARCY)(x, (2, 2)), x)


def test_attention_is_softmax_over_the_context():
    layer = randomize(Attention(8, 2))
    h, context = points(2, 3, 8), points(2, 5, 8)
    q, (k, v) = layer.q(h), layer.kv(context).split(8, dim=-1)
    mixed = torch.zeros_like(q)
    for row in range(2):
        for part in (slice(0, 4), slice(4, 8)):
            real = MASK[row]
            weights = (q[row, :, part] @ k[row, real, part].T / 4**0.5).softmax(dim=1)
            mixed[row, :, part] = weights @ v[row, real, part]
    torch.testing.assert_close(layer(h, context, MASK), layer.out(mixed))
    torch.testing.assert_close(layer(h), layer(h, h))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize(("first", "last"), [(False, False), (True, False), (False, True)])
def test_residual_mlp_follows_the_formula(first, last, approximate):
    options = {"add_first": first, "add_last": last, "approximate": approximate}
    net = randomize(ResidualMLP(4, 4, 4, 2, **options))
    h = points(3, 4)
    z = F.gelu(net.first(h), approximate=approximate) + (h if first else 0)
    for layer in net.layers:
        z = z + F.gelu(layer(z), approximate=approximate)
    expected = net.last(z) + (z if last else 0)
    torch.testing.assert_close(net(h), expected, rtol=1e-12, atol=1e-12)


def physics_attention_by_loops(layer, points, values, weights, mask):
    """Slice by slice, token pair by token pair; (N, D) and weights (H, N, G) of one sample."""
    H, N, G = weights.shape
    C = points.shape[1] // H
    mixed = torch.zeros_like(points)
    for head in range(H):
        part = slice(head * C, head * C + C)
        tokens = []
        for g in range(G):
            real = [n for n in range(N) if mask[n]]
            total = sum(weights[head, n, g] for n in real)
            tokens.append(sum(weights[head, n, g] * values[n, part] for n in real) / (total + 1e-5))
        q, k, v = (torch.stack(tokens) @ w.T for w in layer.qkv.weight.split(C))
        for g in range(G):
            scores = torch.stack([q[g] @ k[other] / C**0.5 for other in range(G)])
            answer = sum(s * v[other] for other, s in enumerate(scores.softmax(dim=0)))
            for n in range(N):
                mixed[n, part] += weights[head, n, g] * answer
    return layer.out(mixed)


def test_transolver_attends_among_slices_of_a_point_set():
    weigh = SliceWeights(2, 4, 3, clamp=False)
    layer = randomize(PhysicsAttention(CAR, weigh, dim=8, heads=2, own_values=True))
    h = points(2, 5, 8)
    found = layer(h, None, MASK)
    for row in range(2):
        projected, values = layer.points.project(h[row]), layer.values.project(h[row])
        weights = torch.zeros(2, 5, 3, dtype=torch.double)
        for head in range(2):
            for n in range(5):
                scores = weigh.score(projected[n, 4 * head : 4 * head + 4])
                weights[head, n] = (scores / weigh.temperature[head, 0, 0]).softmax(dim=0)
        expected = physics_attention_by_loops(layer, projected, values, weights, MASK[row])
        torch.testing.assert_close(found[row], expected)


def test_projections_on_a_grid_are_convolutions():
    layer = PhysicsAttention(
        DARCY, SliceWeights(2, 4, 3, clamp=True), dim=8, heads=2, own_values=True
    )
    randomize(layer)
    h = points(1, 6, 8)
    projection = layer.values.project
    image = h[0].view(2, 3, 8).permute(2, 0, 1)
    values = F.conv2d(image[None], projection.weight, projection.bias, padding=1)[0]
    torch.testing.assert_close(layer.values(h, (2, 3))[0], values.permute(1, 2, 0).reshape(6, 8))
    assert projection.kernel_size == (3, 3)


def test_transolver_bounds_its_temperature_on_grids_only():
    points = torch.randn(1, 2, 5, 4)
    for clamp, divisor in ((True, 0.1), (False, 0.01)):
        weigh = SliceWeights(2, 4, 3, clamp=clamp)
        torch.nn.init.constant_(weigh.temperature, 0.01)
        expected = (weigh.score(points) / divisor).softmax(dim=-1)
        torch.testing.assert_close(weigh(points), expected)
    assert Transolver(DARCY, dim=8).blocks[0].mixer.weigh.clamp
    assert not Transolver(CAR, dim=8).blocks[0].mixer.weigh.clamp


def test_transolver_plus_plus_has_a_temperature_for_every_point():
    weigh = EideticWeights(2, 4, 3)
    layer = randomize(PhysicsAttention(CAR, weigh, dim=8, heads=2, own_values=False)).eval()
    torch.nn.init.constant_(weigh.temperature[0], 0.1)  # GELU falls to -0.17: some points are bound
    h = points(2, 5, 8)
    found = layer(h, None, MASK)
    widen, narrow = weigh.adapt[0], weigh.adapt[2]
    temperatures = []
    for row in range(2):
        projected = layer.points.project(h[row])
        weights = torch.zeros(2, 5, 3, dtype=torch.double)
        for head in range(2):
            for n in range(5):
                state = projected[n, 4 * head : 4 * head + 4]
                move = F.gelu(narrow(F.gelu(widen(state))))
                temperature = max((weigh.temperature[head, 0, 0] + move).item(), 0.01)
                temperatures.append(temperature)
                softened = (1 + temperature**3) ** (1 / 3)
                weights[head, n] = (weigh.score(state) / softened).softmax(dim=0)
        expected = physics_attention_by_loops(layer, projected, projected, weights, MASK[row])
        torch.testing.assert_close(found[row], expected)
    assert 0.01 in temperatures
    assert len(set(temperatures)) > 10
    assert TransolverPlusPlus(CAR, dim=8).blocks[0].mixer.values is None


def test_gumbel_noise_is_drawn_in_training_only():
    """Of noisy scores the largest is slice g as often as softmax gives it: Gumbel's property."""
    weigh = EideticWeights(1, 4, 3)
    state = torch.randn(4)
    scores = weigh.score(state)
    many = state.expand(1, 1, 20_000, 4)
    winners = weigh.train()(many)[0, 0].argmax(dim=-1)
    frequencies = torch.bincount(winners, minlength=3) / 20_000
    torch.testing.assert_close(frequencies, scores.softmax(dim=0), atol=0.015, rtol=0)
    weigh.eval()
    assert torch.equal(weigh(many), weigh(many))


def test_an_infinite_draw_of_noise_leaves_gradients_finite(monkeypatch):
    """Compiled code takes the logarithm of uniform numbers that may be zero."""

    def draw(tensor):
        tensor.fill_(1.0)[..., 0] = math.inf
        return tensor

    monkeypatch.setattr(torch.Tensor, "exponential_", draw)
    weigh = EideticWeights(2, 4, 3).train()
    weights = weigh(torch.randn(1, 2, 5, 4))
    weights.square().sum().backward()
    assert weights.isfinite().all()
    assert weigh.temperature.grad.isfinite().all()


def test_without_noise_training_is_evaluation():
    weigh, states = EideticWeights(2, 4, 3, noise=0.0), torch.randn(1, 2, 5, 4)
    temperature = (weigh.temperature + weigh.adapt(states)).clamp(min=0.01)
    expected = (weigh.score(states) / temperature).softmax(dim=-1)
    randomness = torch.random.get_rng_state()
    for mode in (True, False):
        torch.testing.assert_close(weigh.train(mode)(states), expected)
    assert torch.equal(torch.random.get_rng_state(), randomness)  # nothing is drawn in vain
    assert TransolverPlusPlus(CAR, dim=8, noise=0.5).blocks[0].mixer.weigh.noise == 0.5
    with pytest.raises(ConfigError, match="noise=-1 must be at least 0"):
        TransolverPlusPlus(CAR, noise=-1)


@pytest.mark.parametrize("noise", [1.0, 0.4])
@pytest.mark.parametrize("temperature", [0.01, 0.3, 0.5, 1.0, 2.0, 5.0])
def test_evaluation_takes_the_mean_over_the_noise(temperature, noise):
    """Else the later layers see in evaluation what they never saw in training."""
    weigh = EideticWeights(1, 4, 8, noise=noise)
    torch.nn.init.normal_(weigh.score.weight)
    torch.nn.init.zeros_(weigh.adapt[2].weight)
    torch.nn.init.zeros_(weigh.adapt[2].bias)
    torch.nn.init.constant_(weigh.temperature, temperature)
    many = torch.randn(4).expand(1, 1, 50_000, 4)
    with torch.no_grad():
        mean, found = weigh.train()(many)[0, 0].mean(dim=0), weigh.eval()(many)[0, 0, 0]
    assert mean.max() > 1.5 * mean.min()
    # so few slices are the hard case: with 64 the fit is closer
    torch.testing.assert_close(found, mean, atol=0.08 * mean.max().item(), rtol=0)


def test_harness_follows_the_formula():
    """Embedding with shift, pre-norm residual blocks, normalized linear readout."""
    model = randomize(Transolver(CAR, dim=8, num_layers=2, heads=2, slices=3, mlp_ratio=2))
    x, a = points(1, 5, 3), points(1, 5, 4)
    h = model.embedding.mlp(torch.cat((x, a), dim=-1)) + model.embedding.shift
    for block in model.blocks:
        h = h + block.mixer(block.norm1(h), None, None)
        h = h + block.mlp(block.norm2(h))
    expected = model.readout.linear(model.readout.norm(h))
    torch.testing.assert_close(model(x, a), expected)


@pytest.mark.parametrize("cls", [Transolver, TransolverPlusPlus, LinearNO, FLARE, LRSA])
def test_linear_weights_start_small(cls):
    layers = [part for part in cls(DARCY).modules() if isinstance(part, torch.nn.Linear)]
    weights = torch.cat([layer.weight.detach().flatten() for layer in layers])
    assert weights.std().item() == pytest.approx(0.02, rel=0.02)
    assert not any(layer.bias.any() for layer in layers if layer.bias is not None)


MODES = {"dim": 8, "heads": 2, "modes": 3}


def test_linearno_is_a_product_of_two_stochastic_matrices():
    layer = ModeAttention(CAR, **MODES, temperatures=(0.1, 2.0), deep_output=False)
    randomize(layer)
    with torch.no_grad():  # queries, keys; two of them outside of the bounds
        layer.temperatures.copy_(torch.tensor([0.01, 0.7, 0.3, 5.0]).view(2, 2, 1, 1))
    bounded = [[0.1, 0.7], [0.3, 2.0]]
    h = points(2, 5, 8)
    found = layer(h, None, MASK)
    for row in range(2):
        mixed = torch.zeros(5, 8, dtype=torch.double)
        for head, part in enumerate((slice(0, 4), slice(4, 8))):
            state, real = layer.points.project(h[row])[:, part], MASK[row]
            to_modes = torch.zeros(3, 5, dtype=torch.double)
            keys = state[real] @ layer.k.weight.T / bounded[1][head]
            to_modes[:, real] = keys.T.softmax(dim=1)
            from_modes = (state @ layer.q.weight.T / bounded[0][head]).softmax(dim=1)
            mixing = from_modes @ to_modes  # (N, N), every row sums to 1
            torch.testing.assert_close(mixing.sum(dim=1), torch.ones(5, dtype=torch.double))
            mixed[:, part] = mixing @ (state @ layer.v.weight.T)
        torch.testing.assert_close(found[row], layer.out(mixed))


def test_linearno_without_temperatures_has_them_at_one():
    plain = randomize(ModeAttention(CAR, **MODES, temperatures=(0.01, 0.0), deep_output=False))
    one = ModeAttention(CAR, **MODES, temperatures=(1.0, 1.0), deep_output=False).double()
    one.load_state_dict({**plain.state_dict(), "temperatures": one.temperatures})
    h = points(2, 5, 8)
    torch.testing.assert_close(plain(h, None, MASK), one(h, None, MASK))
    assert LinearNO(PLASTICITY, max_temperature=0.0).blocks[0].mixer.temperatures is None


def test_linearno_has_a_deep_output_map_on_grids():
    for problem, deep, layers in ((AIRFOIL, False, 2), (CAR, False, 1), (CAR, True, 2)):
        model = LinearNO(problem, dim=8, num_layers=1, deep_output=deep)
        out = model.blocks[0].mixer.out
        assert sum(isinstance(part, torch.nn.Linear) for part in out.modules()) == layers


def test_linearno_starts_its_convolutions_wide():
    """He's normal, with standard deviation √(2 / inputs), and no bias."""
    conv = LinearNO(DARCY, num_layers=1).blocks[0].mixer.points.project
    assert conv.weight.std().item() == pytest.approx((2 / (9 * 128)) ** 0.5, rel=0.01)
    assert not conv.bias.any()


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (2.0, 1.0), (0.01, -1.0)])
def test_linearno_wants_bounds_in_order(bounds):
    with pytest.raises(ConfigError, match="must lie above 0 and not above max_temperature"):
        LinearNO(DARCY, min_temperature=bounds[0], max_temperature=bounds[1])


def test_lno_follows_the_formula():
    model = randomize(LNO(CAR, dim=8, num_layers=2, heads=2, modes=4, mlp_layers=1))
    x, a = points(2, 5, 3), points(2, 5, 4)
    found = model(x, a, mask=MASK)
    for row in range(2):
        real = MASK[row]
        standard = (x[row] - 0.5) * 12**0.5  # the unit box has variance 1/12
        scores = model.score(model.trunk(standard))
        branch = model.branch(torch.cat((standard, a[row]), dim=-1))
        z = (scores[real].softmax(dim=0).T @ branch[real])[None]
        for block in model.blocks:
            z = block(z)
        expected = model.readout(scores.softmax(dim=1) @ z[0])
        torch.testing.assert_close(found[row], expected * real[:, None])


@pytest.mark.parametrize("problem", [CAR, PLASTICITY], ids=lambda problem: problem.name)
def test_lno_reads_its_solution_at_other_points(problem):
    model = randomize(LNO(problem, dim=8, num_layers=2, heads=2, modes=4))
    x, a = 0.5 + points(1, 6, problem.space_dim) / 3, points(1, 6, problem.in_channels)
    t = torch.tensor([0.3], dtype=torch.double) if problem.timed else None
    z = model.encode(x, a, t=t)
    torch.testing.assert_close(model.decode(z, x, t=t), model(x, a, t=t, grid=(2, 3)))
    elsewhere = 0.5 + points(1, 9, problem.space_dim) / 3
    together = model.decode(z, torch.cat((elsewhere, x), dim=1), t=t)
    torch.testing.assert_close(together[:, 9:], model.decode(z, x, t=t))
    assert not torch.allclose(together[:, :6], together[:, 9:])


def test_lno_has_places_in_the_grid_as_positions_where_no_field_is():
    """The coordinates are then what is given at them; time is a coordinate like the others."""
    problem = replace(AIRFOIL, grid=(3, 2), timed=True)
    model = randomize(LNO(problem, dim=8, num_layers=1, heads=2, modes=4, mlp_layers=1))
    x, t = points(1, 6, 2), torch.tensor([0.3], dtype=torch.double)
    places = torch.tensor([[i / 2, j, 0.3] for i in range(3) for j in range(2)])
    positions = (places.double() - 0.5) * 12**0.5
    scores = model.score(model.trunk(positions))
    branch = model.branch(torch.cat((positions, (x[0] - 0.5) * 12**0.5), dim=-1))
    z = model.blocks[0]((scores.softmax(dim=0).T @ branch)[None])
    expected = model.readout(scores.softmax(dim=1) @ z[0])
    # places are rounded to float32 above
    torch.testing.assert_close(model(x, x[..., :0], t=t)[0], expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(model.encode(x, x[..., :0], t=t), z, rtol=1e-5, atol=1e-5)


def test_flare_routes_through_the_latents_of_each_head():
    layer = randomize(LatentRouting(8, 2, 3, 1))
    h = points(2, 5, 8)
    found = layer(h, MASK)
    for row in range(2):
        mixed, real = torch.zeros(5, 8, dtype=torch.double), MASK[row]
        for head, part in enumerate((slice(0, 4), slice(4, 8))):
            k, v = layer.k(h[row])[:, part], layer.v(h[row])[:, part]
            scores = layer.queries[head] @ k.T  # (M, N)
            z = scores[:, real].softmax(dim=1) @ v[real]
            mixed[:, part] = scores.T.softmax(dim=1) @ z
        torch.testing.assert_close(found[row], layer.out(mixed))


def test_flare_adds_no_inputs_at_its_ends():
    """Also where the widths of input, model and output happen to agree."""
    problem = Problem(name="p", space_dim=2, inputs=tuple("abcdef"), outputs=tuple("stuvwxyz"))
    model = FLARE(problem, dim=8, num_layers=1)
    ends = [(part.add_first, part.add_last) for part in (model.embedding, model.head)]
    assert ends == [(False, True), (True, False)]
    block = model.blocks[0]
    assert all(part.add_first and part.add_last for part in (block.mlp, block.mixer.k))
    assert {m.approximate for m in model.modules() if isinstance(m, ResidualMLP)} == {"tanh"}


def test_lrsa_compresses_mixes_and_reconstructs():
    layer = randomize(LowRankSpatialAttention(8, 2, 3, 1))
    h = points(2, 5, 8)
    found = layer(h, MASK)

    def attend(part, queries, context):
        q, (k, v) = part.q(queries), part.kv(context).split(8, dim=-1)
        heads = [
            (q[:, c] @ k[:, c].T / 4**0.5).softmax(dim=1) @ v[:, c]
            for c in (slice(0, 4), slice(4, 8))
        ]
        return part.out(torch.cat(heads, dim=1))

    for row in range(2):
        z = attend(layer.compress, layer.latents, h[row, MASK[row]])
        z = z + attend(layer.mix.mixer, *[layer.mix.norm1(z)] * 2)
        z = z + layer.mix.mlp(layer.mix.norm2(z))
        torch.testing.assert_close(found[row], attend(layer.reconstruct, h[row], layer.norm(z)))


def test_lrsa_mlp_looks_at_neighbors_on_grids_only():
    on_grid, on_points = randomize(ConvFFN(DARCY, 4, 8)), randomize(ConvFFN(CAR, 4, 8))
    h = points(1, 6, 4)
    torch.testing.assert_close(on_points(h, None), on_points.narrow(F.gelu(on_points.widen(h))))
    wide, conv = on_grid.widen(h[0]), on_grid.conv
    hidden = torch.zeros(6, 8, dtype=torch.double)
    for i in range(2):
        for j in range(3):
            hidden[3 * i + j] = conv.bias + sum(
                conv.weight[:, 0, p - i + 1, q - j + 1] * wide[3 * p + q]
                for p in range(2)
                for q in range(3)
                if abs(p - i) <= 1 and abs(q - j) <= 1
            )
    torch.testing.assert_close(on_grid(h, (2, 3))[0], on_grid.narrow(F.gelu(hidden)))


@pytest.mark.parametrize("cls", ALL_MODELS)
def test_timed_models_want_a_time(cls):
    model = cls(PLASTICITY, dim=8, num_layers=1)
    with pytest.raises(ValueError, match="timed: pass the output time t"):
        model(torch.rand(1, 12, 2), torch.rand(1, 12, 1), grid=(3, 4))


@pytest.mark.parametrize("cls", ALL_MODELS)
def test_impossible_settings(cls):
    with pytest.raises(ConfigError, match="dim=30 must be a positive multiple of heads=8"):
        cls(DARCY, dim=30)
    with pytest.raises(ConfigError, match="num_layers=0 must be at least 1"):
        cls(DARCY, num_layers=0)
