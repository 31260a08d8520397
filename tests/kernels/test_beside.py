"""Work beside other work: at once on the CPU; on CUDA its memory is held until it is joined."""

import pytest
import torch

from llt.kernels.fused.beside import Beside


def test_on_the_cpu_work_is_done_at_once():
    beside, done = Beside(torch.device("cpu")), []
    beside.run(lambda: done.append(1), torch.zeros(1))
    assert done == [1] and not beside.held
    beside.join()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_memory_is_not_used_again_before_the_join():
    """The sum is slow to begin; what the current stream does meanwhile must not reach it."""
    device = torch.device("cuda", 0)
    beside, total = Beside(device), torch.zeros(1, device=device)

    def start() -> None:
        ones = torch.ones(2**24, device=device)

        def work() -> None:
            torch.cuda._sleep(10**7)
            total.copy_(ones.sum())

        beside.run(work, ones)

    start()
    torch.zeros(2**24, device=device)  # would get the memory of the ones
    beside.join()
    assert total.item() == 2**24 and not beside.held
