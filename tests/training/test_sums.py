"""Gradients are summed over processes while the backward pass still runs."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from llt.models import build_model
from llt.training.optimizer.sums import PIECES, Sums, cut
from tests.training.together import grid


class Doubling:
    """A team of two processes with the same gradients; notes what happens."""

    def __init__(self):
        self.begun, self.log = [], []

    def begin_total(self, z):
        self.begun.append(z.numel())
        self.log.append("begun")

        def wait():
            self.log.append("waited for")
            return z.mul_(2)

        return SimpleNamespace(wait=wait)

    def first_says(self, text):
        return text


def layers(number=8):
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Linear(5, 5) for _ in range(number)))


def check_doubled(found, parameters):
    assert len(found) == len(parameters)
    for ours, p in zip(found, parameters, strict=True):
        gradient = torch.zeros_like(p) if p.grad is None else p.grad
        torch.testing.assert_close(ours, 2 * gradient.reshape(-1))


def watched(model, team, *given, **named):
    """Sums that know the order in which gradients come."""
    sums = Sums([*model.parameters()], team)
    model(*given, **named).sum().backward()
    check_doubled(sums.finish(), sums.parameters)
    assert team.log == ["begun", "waited for"]  # in one piece
    model.zero_grad()
    team.log.clear()
    team.begun.clear()
    sums.begin()
    return sums


X = torch.ones(1, 5)


def test_pieces_have_about_the_same_size():
    assert cut([3, 0, 1, 2], [4, 3, 5, 4]) == [[3], [0], [1], [2]]
    assert cut([0, 1, 2], [1, 1, 98]) == [[0, 1], [2]]
    assert cut([0], [7]) == [[0]]


def test_sums_begin_before_the_backward_pass_ends():
    team, model = Doubling(), layers()
    sums = watched(model, team, X)
    model[1].weight.register_post_accumulate_grad_hook(lambda _: team.log.append("second layer"))
    for _ in range(2):
        model.zero_grad()
        team.log.clear()
        sums.begin()
        model(X).sum().backward()
        assert team.log == ["begun"] * 3 + ["second layer", "begun"]
        check_doubled(sums.finish(), sums.parameters)
        assert team.log[5:] == ["waited for"] * 4
    assert team.begun == [60] * 8


def test_most_of_the_gradient_of_llt_is_under_way_before_the_backward_pass_ends():
    team, problem = Doubling(), grid().problem
    model = build_model("llt", problem, dim=16, num_layers=8, heads=2)
    x, a = torch.rand(2, 133, 2), torch.rand(2, 133, 1)
    watched(model, team, x, a, grid=(19, 7))
    seen = []
    for part in (model.head[0], model.blocks[3].ffn.out, model.skip):
        hook = part.weight.register_post_accumulate_grad_hook
        hook(lambda _: seen.append(len(team.begun)))
    model(x, a, grid=(19, 7)).sum().backward()
    assert seen == [0, 1, PIECES - 1]


def test_processes_begin_in_the_order_of_the_first_one():
    """Whatever is ready first."""
    team, model = Doubling(), layers(4)
    backwards = "6 7 4 5 2 3 0 1"
    team.first_says = lambda order: " ".join(reversed(backwards.split()))
    sums = watched(model, team, X)
    model(X).sum().backward()
    assert sums.pieces == [[1, 0], [3, 2], [5, 4], [7, 6]]
    assert team.log == ["begun"] * 4  # when the first layer, which comes last, was there
    check_doubled(sums.finish(), sums.parameters)


@pytest.mark.parametrize("unused", [0, 3])
def test_parameters_without_a_gradient_count_as_zero(unused):
    team, model = Doubling(), layers(4)
    sums = watched(model, team, X)
    used = [layer for number, layer in enumerate(model) if number != unused]
    nn.Sequential(*used)(X).sum().backward()
    assert team.begun == ([30] * 3 if unused == 0 else [])
    check_doubled(sums.finish(), sums.parameters)


def test_a_parameter_that_never_has_a_gradient_counts_as_zero():
    team, model = Doubling(), layers(4)
    sums = Sums([*model.parameters()], team)
    for _ in range(2):
        sums.begin()
        model[1:](X).sum().backward()
        check_doubled(sums.finish(), sums.parameters)
