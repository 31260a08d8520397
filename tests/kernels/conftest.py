"""What the tests of fused kernels share."""

import pytest

from llt.kernels.limits import H200, assume


@pytest.fixture
def few_programs():
    with assume(H200._replace(processors=1)):
        yield


@pytest.fixture(params=["many programs", "few programs"])
def programs(request):
    """Few programs walk through many tiles each; many have one."""
    if request.param == "few programs":
        request.getfixturevalue("few_programs")
