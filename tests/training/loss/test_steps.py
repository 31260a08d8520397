"""Steps that change next to nothing are not all that is learned."""

import torch

from llt.data.batch import Batch
from llt.training.loss import OfSteps, RelativeL2
from tests.conftest import POINTS


def losses(sizes, error=0.01):
    """Of steps of these sizes, all predicted with the same error."""
    u = torch.ones(len(sizes), 5, 2) * torch.tensor(sizes)[:, None, None]
    batch = Batch(x=torch.zeros(len(sizes), 5, 2), a=torch.zeros(len(sizes), 5, 1), u=u)
    return OfSteps(RelativeL2(POINTS, 1.0), POINTS, 1.0)(u + error, batch)


def test_errors_are_relative_to_the_step_but_not_to_less_than_a_tenth_of_a_usual_one():
    found = losses([2.0, 1.0, 0.1, 1e-4, 1e-7, 0.0])
    torch.testing.assert_close(
        found, torch.tensor([0.005, 0.01, 0.1, 0.1, 0.1, 0.01]), rtol=1e-3, atol=0
    )
