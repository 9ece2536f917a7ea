"""Where the material of an order is to come from, and what became of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime


class PickState(enum.StrEnum):
    PLANNED = "planned"
    ON_ROBOT = "on robot"
    USED = "used"  # in the tank
    RETURNED = "returned"  # back at its place
    DROPPED = "dropped"  # planned once, not wanted any more


@dataclass(frozen=True)
class Pick:
    """One row of ``order_picks``: one drive for one lot at one place."""

    order_number: str
    pick: int  # its place in the order of the drives, from 0
    line: int
    material: str
    place: str
    grams: int
    lot: str | None = None  # None: of a material without lots
    state: PickState = PickState.PLANNED
    robot: str | None = None
    loaded_lot: str | None = None
    loaded_place: str | None = None
    loaded_grams: int | None = None
    loaded_by: str | None = None
    loaded_at: datetime | None = field(default=None, compare=False)
    used_at: datetime | None = field(default=None, compare=False)
    planned_from: datetime | None = field(default=None, compare=False)
    planned_to: datetime | None = field(default=None, compare=False)
