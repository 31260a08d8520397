"""Forces in a plane have the plane's components."""

import numpy as np

from llt.data.folder.plan import Source
from llt.data.formats import Weights
from llt.own_mesh.integrals import Integral


def test_a_force_in_the_plane_of_x_and_z():
    weights = Weights(sizes=np.array([1.0, 0.0]), normals=np.array([[1.0, 2.0, 3.0], [9.0] * 3]))
    integral = Integral("force", Source(name="p", channels=("p",)), "wall", "xz")
    assert integral.of(np.array([2.0, np.nan]), weights) == {"x": 2.0, "z": 6.0}
