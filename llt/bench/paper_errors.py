"""The paper's Table 1: relative L2 errors that the literature reports on the published data.

Source: the paper's table of relative L2 errors on its five benchmark problems, whose values are
ten times these. It takes those of the baselines "from the cited literature unless otherwise
indicated, primarily from the comparison table in Transolver"; None stands where it has "/". Our
data are regenerated, so these and our errors compare as orders of magnitude only.
"""

from __future__ import annotations

PROBLEMS = ("elasticity", "plasticity", "airfoil", "pipe", "darcy")  # its columns

_ROWS: dict[str, tuple[float | None, ...]] = {
    "fno": (None, None, None, None, 0.01080),
    "ufno": (0.02390, 0.00390, 0.02690, 0.00560, 0.01830),
    "geofno": (0.02290, 0.00740, 0.01380, 0.00670, 0.01080),
    "uno": (0.02580, 0.00340, 0.00780, 0.01000, 0.01130),
    "ffno": (0.02630, 0.00470, 0.00780, 0.00700, 0.00770),
    "lsm": (0.02180, 0.00250, 0.00590, 0.00500, 0.00650),
    "lno": (0.00690, 0.00290, 0.00530, 0.00310, 0.00630),
    "galerkin": (0.02400, 0.01200, 0.01180, 0.00980, 0.00840),
    "htnet": (None, 0.03330, 0.00650, 0.00590, 0.00790),
    "oformer": (0.01830, 0.00170, 0.01830, 0.01680, 0.01240),
    "gnot": (0.00860, 0.03360, 0.00760, 0.00470, 0.01050),
    "factformer": (None, 0.03120, 0.00710, 0.00600, 0.01090),
    "ono": (0.01180, 0.00480, 0.00610, 0.00520, 0.00760),
    "transolver": (0.00640, 0.00130, 0.00530, 0.00330, 0.00580),
    "transolver_plus_plus": (0.00520, 0.00110, 0.00480, 0.00270, 0.00490),
    "llt": (0.00512, 0.00058, 0.00462, 0.00376, 0.00440),
}

PAPER_ERRORS = {model: dict(zip(PROBLEMS, row, strict=True)) for model, row in _ROWS.items()}
