"""What stands for CUDA graphs on the CPU: the work done again, in the same memory."""

from llt.prediction import cache


class Replayed:
    """As `llt.runtime.graph.capture` gives it."""

    def __init__(self, work, pool=None):
        self.work, self.memory, self.replays = work, pool or object(), 0

    def replay(self):
        self.replays += 1
        self.work()

    def pool(self):
        return self.memory


def captures_on_the_cpu(monkeypatch):
    """Every graph that is recorded from now on, in a list."""
    graphs = []

    def capture(work, pool):
        graphs.append(Replayed(work, pool))
        return graphs[-1]

    monkeypatch.setattr(cache, "capture_on", lambda device: capture)
    return graphs
