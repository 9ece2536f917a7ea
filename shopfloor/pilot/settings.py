"""How a pilot plans, and how long it waits for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PilotSettings:
    plan_period_s: float = 0.05
    controller: Literal["tracker", "dwa"] = "tracker"
    planner: Literal["auto", "lazy_theta"] = "auto"
    """Of the whole way; auto takes the corner graph where there is one."""
    failures_to_replan: int = 3
    replan_every_s: float = 1.0
    wait_for_person_s: float = 5.0
    """After that a longer way around the person is driven, where there is one."""
    detour_mps: float = 0.25
    """And it may be longer by so much for every further second of waiting."""
    go_around_for_s: float = 12.0
    """Once waiting was in vain; then people are waited for again."""
    yield_after_s: float = 2.0
    """Blocked for longer by a robot that goes first, this one makes way."""
    stuck_s: float = 6.0
    patience_s: float = 60.0
    """Blocked for longer, a goal has failed."""
    ask_after_s: float = 10.0
    """Who stands in the way for so long is asked, by light and sound, to step aside."""
    standing_patience_s: float = 90.0
    """A robot with a goal that comes no farther for so long has failed, whatever kept
    it: a person, a robot, or turns of both that each alone would be excused."""
    lost_patience_s: float = 10.0
