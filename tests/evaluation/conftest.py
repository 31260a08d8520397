"""Pages whose words alone matter are made without drawing, which takes most of their time."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def undrawn(monkeypatch):
    """Figures are made, and are empty on the page."""
    monkeypatch.setattr(Figure, "savefig", lambda _, buffer, **__: buffer.write("<svg></svg>"))
