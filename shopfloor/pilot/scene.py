"""Everything one cycle knows, so that the parts of a pilot hand on one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shopfloor.control.commands import Cause, PilotStatus
from shopfloor.control.watching import Near, Surroundings
from shopfloor.geometry import Pose, Scan, TagSeen
from shopfloor.local.peers import Peer

Answer = tuple[PilotStatus, Cause | None, str]
"""What a robot says of itself: how it fares, why, and that in words."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    now_s: float
    dt_s: float
    pose: Pose
    scans: Sequence[Scan]
    around: Surroundings
    people: Sequence[TagSeen]
    """With a tag or without."""
    peers: Sequence[Peer]
    thing: Near
    """The nearest of what counts for the emergency stop."""
    speed_mps: float = 0.0
