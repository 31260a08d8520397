"""Work in a second stream: at once on the CPU; on CUDA its memory is held until it is joined."""

import pytest
import torch

from llt.kernels.side_stream import SideStream


def test_on_the_cpu_work_is_done_at_once():
    side, done = SideStream(torch.device("cpu")), []
    side.run(lambda: done.append(1), torch.zeros(1))
    assert done == [1] and not side.held
    side.join()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_memory_is_not_used_again_before_the_join():
    """The sum is slow to begin; what the current stream does meanwhile must not reach it."""
    device = torch.device("cuda", 0)
    side, total = SideStream(device), torch.zeros(1, device=device)

    def start() -> None:
        ones = torch.ones(2**24, device=device)

        def work() -> None:
            torch.cuda._sleep(10**7)
            total.copy_(ones.sum())

        side.run(work, ones)

    start()
    torch.zeros(2**24, device=device)  # would get the memory of the ones
    side.join()
    assert total.item() == 2**24 and not side.held
