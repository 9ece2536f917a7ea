"""A simulated warehouse of shelves that people launch from a page, to try it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

PRESETS = ("small", "medium", "large")


class TrialWarehouse(Protocol):
    """One a server. It ends by itself when nobody looks at it any more."""

    def launch(self, preset: str) -> str:
        """Start it, or replace what runs; what was made. TrialFailed."""
        ...

    def command(self, line: str) -> str:
        """Such as ``mov 4 2 kiva1``; what came of it. TrialFailed."""
        ...

    def state(self) -> Mapping[str, Any] | None:
        """Everything in it; None: none runs. TrialFailed."""
        ...

    def stop(self) -> None: ...
