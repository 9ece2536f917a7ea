"""One robot a spot: who stands in the way of a drive, and who makes room.

A place is a spot for one robot. A drive to it waits while another robot stands there or
drives there. So that nobody waits for ever, whoever has nothing to do there goes away:
a robot without work, and a robot that has to wait itself while others want its spot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ROOM_M = 0.5
"""Two robots whose middles are nearer than this stand in one spot."""

Spot = tuple[float, float]


@dataclass(frozen=True)
class Body:
    """A robot on the floor: where it stands and where its open goal leads."""

    robot: str
    at: Spot | None
    heads_for: Spot | None = None


def near(a: Spot | None, b: Spot | None) -> bool:
    return a is not None and b is not None and math.dist(a, b) < ROOM_M


def in_the_way(robot: str, spot: Spot, bodies: Iterable[Body]) -> Body | None:
    """Who has the spot: the robot that stands there, else one that drives there."""
    others = [body for body in bodies if body.robot != robot]
    for body in others:
        if near(body.at, spot):
            return body
    return next((body for body in others if near(body.heads_for, spot)), None)


def aside(
    robot: str,
    at: Spot | None,
    *,
    waiting_spot: Spot | None,
    home: Spot | None,
    wanted: Iterable[Spot],
    bodies: Sequence[Body],
) -> Spot | None:
    """Where a robot that has to wait goes meanwhile; None: it stays where it is.

    Beside the place it waits for, if there is a spot for that and nobody has it. Else
    home, if there is room and others want the spot where it stands.
    """
    if waiting_spot is not None and not in_the_way(robot, waiting_spot, bodies):
        return None if near(at, waiting_spot) else waiting_spot
    blocks = at is not None and any(near(at, spot) for spot in wanted)
    return home if blocks and not near(at, home) else None
