"""Why a warehouse cannot be built or a strategy cannot be used."""

from __future__ import annotations

from collections.abc import Iterable


class RmfsRefused(Exception):
    """An experiment cannot run as it is written; ``lines`` has every reason."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class LayoutRefused(RmfsRefused):
    """The layout has mistakes."""


class StrategyUnknown(RmfsRefused):
    """Nobody offers a strategy of that name."""

    def __init__(
        self, problem: str, name: str, known: Iterable[str], advice: str = ""
    ) -> None:
        listed = ", ".join(sorted(known))
        told = f"{problem} has no strategy {name!r}; there are {listed}"
        super().__init__(f"{told}. {advice}" if advice else told)
