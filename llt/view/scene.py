"""What the page can ask of anything that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from llt.view.container import Parcel


class Live(Protocol):
    """A problem that a user changes by hand; docs/viewer.md says what the page sends."""

    def about(self) -> Mapping[str, Any]: ...

    def warm_up(self) -> None: ...

    def start(self) -> Parcel:
        """Something to begin with, and its answer."""
        ...

    def predict(self, asked: Mapping[str, Any]) -> Parcel: ...

    def solve(self, asked: Mapping[str, Any]) -> Parcel:
        """The reference solver's answer beside the surrogate's, on exactly the same input."""
        ...

    def close(self) -> None: ...


class Scene(Protocol):
    """Cases with their fields. Numbers and names in questions may be anything."""

    @property
    def live(self) -> Live | None: ...

    def about(self) -> Mapping[str, Any]: ...

    def cases(self, split: str | None) -> Mapping[str, Any]: ...

    def mesh(self, split: str | None, number: int) -> Parcel: ...

    def fields(self, split: str | None, number: int, moment: int | None) -> Parcel: ...

    def close(self) -> None:
        """End all work; once more does no harm."""
        ...
