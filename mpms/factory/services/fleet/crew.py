"""Robots that work for a process keep to it: the fleet drives them, and gives them no
work of others, no parking and no charging of its own while they are held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from fleet.dispatch import phases
from fleet.dispatch.phases import Desk, Phase

Held = Callable[[], set[str]]


class _Others:
    """The desk as a phase sees it that must not touch held robots."""

    def __init__(self, desk: Desk, held: set[str]) -> None:
        self._desk = desk
        self.vehicles = {r: v for r, v in desk.vehicles.items() if r not in held}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._desk, name)


def without_held(phase: Phase, held: Held) -> Phase:
    def narrowed(desk: Desk, now: float) -> None:
        phase(cast(Desk, _Others(desk, held())), now)

    return narrowed


def phases_with(held: Held) -> tuple[Phase, ...]:
    """The usual ones; free work, charging when idle and parking are for the others."""
    for_others = (phases.assign_free, phases.charge_idle, phases.park_idle)
    return tuple(
        without_held(phase, held) if phase in for_others else phase
        for phase in phases.PHASES
    )
