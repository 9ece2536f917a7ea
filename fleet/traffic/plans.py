"""Plans of robots, and the order in which they pass each other.

A plan is a list of steps. Where two plans need the same room, the one that is planned
later in time waits until the other has left it. Only this order is binding, never the
clock: a robot that is late makes others late, and nobody touches anybody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fleet.traffic.bodies import Floor, Piece
from fleet.traffic.search import Taken
from fleet.traffic.tracks import Move, Tracks

LONG_AGO = -1e12
FOR_EVER = float("inf")


@dataclass
class PlannedStep:
    id: int
    move: Move
    takes_s: float
    start_at: float
    end_at: float
    after: set[int] = field(default_factory=set)  # steps of others that come before


@dataclass
class Body:
    """A robot in traffic. ``done`` and ``granted`` count the steps of its plan."""

    robot: str
    tracks: Tracks
    x_m: float
    y_m: float
    node: int
    yaw: float = 0.0
    came: Move | None = None
    plan: list[PlannedStep] = field(default_factory=list)
    done: int = 0
    granted: int = 0
    sent: int = 0
    goal: str = ""
    frozen: bool = False
    failed_since: float | None = None
    retry_at: float = LONG_AGO
    told_at: float = LONG_AGO

    @property
    def goal_node(self) -> int:
        return self.tracks.roadmap.place_nodes[self.goal]

    @property
    def last_node(self) -> int:
        """Where what it has been granted ends."""
        return self.plan[self.granted - 1].move.end if self.granted else self.node

    @property
    def last_move(self) -> Move | None:
        return self.plan[self.granted - 1].move if self.granted else self.came

    @property
    def planned_node(self) -> int:
        return self.plan[-1].move.end if self.plan else self.node

    def standing(self, floor: Floor) -> Piece:
        """The room where it stands when it has done what it was granted."""
        if self.frozen:
            return floor.standing(self.x_m, self.y_m, self.tracks.radius_m)
        return self.tracks.standing(self.last_node, self.last_move)

    def add_to(self, taken: Taken, floor: Floor) -> None:
        """Enter the room it takes, from now on for ever."""
        if self.frozen:
            taken.add(self.standing(floor), LONG_AGO, FOR_EVER)
            return
        since, here = LONG_AGO, self.tracks.standing(self.node, self.came)
        for index in range(self.done, len(self.plan)):
            step = self.plan[index]
            start_at = LONG_AGO if index < self.granted else step.start_at
            taken.add(here, since, step.start_at)
            taken.add(step.move.piece, start_at, step.end_at)
            since = step.end_at
            here = self.tracks.standing(step.move.end, step.move)
        taken.add(here, since, FOR_EVER)


def order(floor: Floor, new: list[PlannedStep], others: list[Body]) -> None:
    """Who waits for whom, where the room of new steps and of others' meets."""
    conflict = floor.conflict
    for body in others:
        for index in range(body.done, len(body.plan)):
            theirs = body.plan[index]
            for mine in new:
                if conflict(mine.move.piece, theirs.move.piece):
                    if index < body.granted or theirs.end_at <= mine.start_at + 1e-6:
                        mine.after.add(theirs.id)
                    else:
                        theirs.after.add(mine.id)


def retime(bodies: list[Body], now: float) -> list[Body]:
    """Expected times of all steps, from where robots are now.

    Returns the bodies whose steps wait for each other in a circle; there are none
    unless the books are wrong.
    """
    ends: dict[int, float] = {}
    pending = {s.id for b in bodies for s in b.plan[b.done :]}
    todo = [(body, body.done, now) for body in bodies if body.done < len(body.plan)]
    while todo:
        left = []
        for body, first, free_at in todo:
            index, at = first, free_at
            while index < len(body.plan):
                step = body.plan[index]
                if index == body.done and index < body.granted:
                    step.start_at, at = now, now + _remaining_s(body, step)
                else:
                    waits = [i for i in step.after if i in pending]
                    if any(i not in ends for i in waits):
                        break
                    step.start_at = max([at, *(ends[i] for i in waits)])
                    at = step.start_at + step.takes_s
                step.end_at = ends[step.id] = at
                index += 1
            if index < len(body.plan):
                left.append((body, index, at))
        if [(b.robot, i) for b, i, _ in left] == [(b.robot, i) for b, i, _ in todo]:
            return [body for body, _, _ in left]
        todo = left
    return []


def _remaining_s(body: Body, step: PlannedStep) -> float:
    x, y = body.tracks.nodes[step.move.end]
    left_m = math.hypot(x - body.x_m, y - body.y_m)
    share = min(1.0, left_m / max(step.move.length_m, 1e-6))
    return max(0.1, share * step.takes_s)
