"""The exact symmetries of a problem, applied to batches."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from llt.data.batch import Batch
from llt.data.sources import Source
from llt.data.symmetries import Group, rearranged


class Augmentation:
    """Lets a batch pick one symmetry of its problem per sample."""

    def __init__(self, data: Source) -> None:
        self.group = Group(data.problem, data.problem.grid, data.device)
        self.num_symmetries = self.group.size
        # a symmetry that takes the shared mesh onto itself needs no new coordinates
        self.moves_points = data.mesh is None or not self.group.keeps(data.mesh)

    def __call__(self, batch: Batch, choice: Tensor) -> Batch:
        """Apply symmetry `choice` (B,) to each sample; 0 is the identity."""
        group = self.group
        return replace(
            batch,
            x=group.move_points(batch.x, choice) if self.moves_points else batch.x,
            a=group.move_inputs(batch.a, choice),
            u=group.move_outputs(batch.u, choice),
            masks={
                name: rearranged(mask.unsqueeze(-1), group.order, choice).squeeze(-1)
                for name, mask in batch.masks.items()
            },
        )
