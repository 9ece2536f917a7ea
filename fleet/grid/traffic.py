"""Grid traffic: goals and reports in, cells that robots may enter out.

Three layers. Every cell has at most one owner: the robot that is in it or was told that
it may enter. Who comes next is the order of :mod:`fleet.grid.visits`, so delays only
make robots wait. The order comes from plans a few steps ahead, made by PIBT, and by
LaCAM where robots block each other. There is no clock: the caller says what time it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fleet.grid.distance_kernels import FAR
from fleet.grid.errors import CellTaken, ReportRefused, RobotKnown, RobotUnknown
from fleet.grid.floor import Cell, Floor
from fleet.grid.team import Cells, Team
from fleet.grid.traffic_messages import (
    Arrived,
    Delayed,
    Go,
    Halt,
    Held,
    Message,
    NoWay,
    Reached,
    Report,
    Silent,
    Stuck,
)
from fleet.grid.visits import Visit, Visits

AHEAD = 4
"""Cells that a robot knows it may enter, and steps planned beyond them."""
PATIENCE_STEPS = 60
"""A robot that comes no nearer to its goal while others drive so far is in a jam."""
MOST_PATIENCE_STEPS = 10_000
FIRST_RESCUE_STEPS = 8
"""A jam is left when its robot is so much nearer to its goal; twice as much when the
same robot is in the next one."""
MOST_EXPANSIONS = 5_000
SILENT_S = 30.0


@dataclass
class _Robot:
    id: str
    owned: list[Visit]
    """Where it was when it last reported, then the cells it may enter, in order."""
    planned: deque[Visit] = field(default_factory=deque)
    goal: int = -1
    keeps_goal: bool = False
    arrived: bool = True
    pinned: bool = False
    away: bool = False
    """Delayed or dead: an obstacle."""
    halting: bool = False
    lost: bool = False
    nearest: int = FAR
    nearest_since: int = 0
    """What ``Counts.moves`` was then."""
    rescue_steps: int = FIRST_RESCUE_STEPS
    heard_at: float | None = None

    @property
    def end(self) -> int:
        """Where it will be when it has driven all that is planned."""
        return (self.planned or self.owned)[-1].cell

    @property
    def at(self) -> int:
        return self.owned[0].cell

    @property
    def granted(self) -> int:
        """How many cells it may still enter."""
        return len(self.owned) - 1

    @property
    def cells(self) -> list[int]:
        return [visit.cell for visit in self.owned]

    @property
    def stays(self) -> bool:
        """Nobody can ask it to make way."""
        serves = self.keeps_goal and self.end == self.goal
        return self.away or self.halting or self.pinned or serves


@dataclass
class Counts:
    """Since the start: steps planned for all, moves of single robots, jams, and jams
    that were not solved."""

    steps: int = 0
    moves: int = 0
    jams: int = 0
    jams_unsolved: int = 0
    replans: int = 0


class GridTraffic:
    """Drives robots on a floor. Cells are (column, row)."""

    def __init__(
        self,
        floor: Floor,
        *,
        seed: int = 0,
        swap: bool = True,
        ahead: int = AHEAD,
        silent_s: float = SILENT_S,
    ) -> None:
        self.floor = floor
        self.counts = Counts()
        self._team = Team(floor, seed=seed, swap=swap)
        self._ahead = ahead
        self._silent_s = silent_s
        self._robots: dict[str, _Robot] = {}
        self._order: list[str] = []
        self._closed: set[int] = set()
        self._visits = Visits()
        self._patience = PATIENCE_STEPS
        self._outbox: list[Message] = []

    # What the fleet asks for.

    def add(self, robot: str, cell: Cell, *, ahead: Iterable[Cell] = ()) -> None:
        """A robot stands on the floor; ``ahead``: cells it was told before to enter."""
        if robot in self._robots:
            raise RobotKnown(f"robot {robot} is on the floor already")
        owned = []
        for each in (cell, *ahead):
            owned.append(Visit(self.floor.number_of(each), robot))
            for other in self._robots.values():
                if owned[-1].cell in other.cells:
                    raise CellTaken(f"cell {each} is in the hands of robot {other.id}")
        self._robots[robot] = _Robot(robot, owned)
        self._order.append(robot)
        self._replan()

    def remove(self, robot: str) -> None:
        """The robot is off the floor: carried away, or on a lift."""
        self._get(robot)
        del self._robots[robot]
        self._order.remove(robot)
        self._replan()

    def set_goal(self, robot: str, cell: Cell | None, *, pinned: bool = False) -> None:
        """Send a robot; None: it waits anywhere and makes way.

        At its goal it makes way too and comes back, unless it is to be ``pinned``
        there, for instance to be loaded, until it gets its next goal.
        """
        known = self._get(robot)
        number = -1 if cell is None else self.floor.number_of(cell)
        for other in self._robots.values():
            if number >= 0 and other is not known and other.goal == number:
                raise CellTaken(f"cell {cell} is the goal of robot {other.id}")
        known.goal, known.keeps_goal = number, pinned
        known.arrived = number < 0
        known.pinned = known.lost = False
        known.nearest, known.rescue_steps = FAR, FIRST_RESCUE_STEPS

    def pin(self, robot: str) -> None:
        """Let a robot stay where it is, whoever wants to pass, until its next goal."""
        self._get(robot).pinned = True
        self._replan()

    def close(self, cells: Iterable[Cell]) -> None:
        """Nobody enters these cells any more; who is in one may leave it."""
        self._set_closed(self._closed | {self.floor.number_of(c) for c in cells})

    def open(self, cells: Iterable[Cell]) -> None:
        self._set_closed(self._closed - {self.floor.number_of(c) for c in cells})

    def close_only(self, cells: Iterable[Cell]) -> None:
        """Exactly these are closed."""
        self._set_closed({self.floor.number_of(c) for c in cells})

    # What robots say.

    def report(self, robot: str, report: Report) -> None:
        """Take a report; one that cannot be true is refused and changes nothing."""
        known = self._get(robot)
        if isinstance(report, Reached):
            self._reached(known, report.cell)
        elif isinstance(report, Held):
            self._held(known, report.cell)
        elif not known.away:  # delayed or dead
            known.away = True
            self._replan()
        known.heard_at = None

    def _reached(self, robot: _Robot, cell: Cell) -> None:
        number = self.floor.number_of(cell)
        if number != robot.at:
            if number not in robot.cells:
                raise ReportRefused(
                    f"robot {robot.id} reports {cell}, where it was never sent"
                )
            passed = robot.cells.index(number)
            for visit in robot.owned[:passed]:
                self._visits.end(visit)
            del robot.owned[:passed]
        if robot.halting and not robot.granted:
            robot.halting = False  # it is told no more to stop before where it is
            self._outbox = [
                told
                for told in self._outbox
                if not (isinstance(told, Halt) and told.robot == robot.id)
            ]
        if robot.away:
            robot.away = False
            self._replan()

    def _held(self, robot: _Robot, cell: Cell) -> None:
        number = self.floor.number_of(cell)
        if not robot.halting:
            raise ReportRefused(f"robot {robot.id} was not told to halt")
        if number not in robot.cells:
            raise ReportRefused(f"robot {robot.id} holds in {cell}, not on its way")
        del robot.owned[robot.cells.index(number) + 1 :]
        robot.halting = False
        self._replan()

    # What comes out.

    def advance(self, now: float) -> list[Message]:
        """Plan on, and tell who may enter what; ``now`` is in seconds."""
        self._listen(now)
        for _ in range(self._ahead):
            if not self._plan_step():
                break
        self._grant()
        self._tell_arrivals()
        said, self._outbox = self._outbox, []
        return said

    def cell_of(self, robot: str) -> Cell:
        """Where the robot was when it last reported."""
        return self.floor.cell_of(self._get(robot).at)

    def owner_of(self, cell: Cell) -> str | None:
        """Who is in a cell or was told to enter it."""
        number = self.floor.number_of(cell)
        owners = [r.id for r in self._robots.values() if number in r.cells]
        return owners[0] if owners else None

    def path_of(self, robot: str) -> list[Cell]:
        """Where the robot is and all that is planned for it, for a map."""
        known = self._get(robot)
        return [self.floor.cell_of(v.cell) for v in (*known.owned, *known.planned)]

    def _get(self, robot: str) -> _Robot:
        if robot not in self._robots:
            raise RobotUnknown(f"there is no robot {robot} on the floor")
        return self._robots[robot]

    def _set_closed(self, closed: set[int]) -> None:
        if closed == self._closed:
            return
        self._closed = closed
        self._replan()
        for robot in self._robots.values():
            banned = [cell for cell in robot.cells[1:] if cell in closed]
            if banned and not robot.halting:
                robot.halting = True
                self._outbox.append(Halt(robot.id, self.floor.cell_of(banned[0])))

    def _replan(self) -> None:
        """Forget what is planned and nobody was told: from there all plans are new."""
        self.counts.replans += 1
        self._visits.clear()
        obstacles = set(self._closed)
        for robot in self._robots.values():
            robot.planned.clear()
            robot.nearest = FAR
            robot.owned = [self._visits.add(cell, robot.id) for cell in robot.cells]
            if robot.away:
                obstacles.update(robot.cells)
        self._team.close(obstacles)
        self._patience = PATIENCE_STEPS

    def _listen(self, now: float) -> None:
        for robot in self._robots.values():
            if not robot.granted or robot.away or robot.heard_at is None:
                robot.heard_at = now
            elif now - robot.heard_at > self._silent_s:
                self._outbox.append(Silent(robot.id, now - robot.heard_at))
                self.report(robot.id, Delayed())
                robot.heard_at = now

    def _stands_fast(self, robot: _Robot) -> bool:
        full = robot.granted + len(robot.planned) >= self._ahead
        return full or robot.stays

    def _plan_step(self) -> bool:
        """One step of all; False if there is nothing more to plan now."""
        robots = list(self._robots.values())
        fast = np.array([self._stands_fast(r) for r in robots], np.bool_)
        at = np.array([r.end for r in robots], np.int32)
        goals = np.array([r.goal for r in robots], np.int32)
        if not ((goals >= 0) & (at != goals) & ~fast).any():
            return False
        left = self._team.steps_left(at, goals)
        self._tell_lost(robots, left)
        goals[left == FAR] = -1
        wanting = (goals >= 0) & (left > 0) & ~fast
        if not wanting.any():
            return False
        self.counts.steps += 1
        slot = {robot.id: k for k, robot in enumerate(robots)}
        driving = [r for r in self._order if left[slot[r]] > 0]
        resting = [r for r in self._order if left[slot[r]] <= 0]
        self._order = driving + resting
        order = [slot[r] for r in self._order]
        to = self._team.step(at, goals, fast, order)
        self._commit(robots, at, to)
        moved = bool((to != at).any())
        if self._is_jam(robots, left, wanting, moved):
            self._leave_jam(robots, to, goals, wanting)
            return False
        return moved

    def _commit(self, robots: list[_Robot], at: Cells, to: Cells) -> None:
        """Add a step; who follows another one into a cell comes after it there."""
        for k in np.flatnonzero(at != to):
            robot = robots[k]
            robot.planned.append(self._visits.add(int(to[k]), robot.id))
            self.counts.moves += 1

    def _is_jam(
        self,
        robots: list[_Robot],
        left: NDArray[np.int64],
        wanting: NDArray[np.bool_],
        moved: bool,
    ) -> bool:
        moves = self.counts.moves
        for k in np.flatnonzero(wanting):
            if left[k] < robots[k].nearest:
                robots[k].nearest, robots[k].nearest_since = int(left[k]), moves
        limit = self._patience * int((left > 0).sum())
        if any(
            moves - robots[k].nearest_since > limit for k in np.flatnonzero(wanting)
        ):
            return True
        # When nobody moves nor will, it is one at once; but not again and again.
        if moved or self._patience > PATIENCE_STEPS:
            return False
        return not any(robot.granted or robot.planned for robot in robots)

    def _leave_jam(
        self,
        robots: list[_Robot],
        at: Cells,
        goals: Cells,
        wanting: NDArray[np.bool_],
    ) -> None:
        """By the first part of a whole plan: until the most patient robot is nearer."""
        self.counts.jams += 1
        fast = np.array([r.stays for r in robots], np.bool_)
        plan = self._team.way_out(at, goals, fast, MOST_EXPANSIONS)
        patient = min(np.flatnonzero(wanting), key=lambda k: robots[k].nearest_since)
        for robot in robots:
            robot.nearest_since = self.counts.moves
        if plan is None or len(plan) < 2:
            self.counts.jams_unsolved += 1
            self._patience = min(2 * self._patience, MOST_PATIENCE_STEPS)
            stuck = tuple(robots[k].id for k in np.flatnonzero(wanting))
            self._outbox.append(Stuck(stuck))
            return
        self._patience = PATIENCE_STEPS
        robot = robots[patient]
        left = self._team.steps_left(
            plan[:, patient], goals[np.full(len(plan), patient)]
        )
        enough = max(0, robot.nearest - robot.rescue_steps)
        robot.rescue_steps *= 2
        near = np.flatnonzero(left <= enough)
        end = int(near[0]) + 1 if len(near) else len(plan)
        if enough == 0:
            end = len(plan)
        for before, after in pairwise(plan[:end]):
            self._commit(robots, before, after)

    def _grant(self) -> None:
        for robot in self._robots.values():
            if robot.away or robot.halting:
                continue
            cells = []
            while (
                robot.planned
                and robot.granted < self._ahead
                and self._visits.may_begin(robot.planned[0])
            ):
                robot.owned.append(robot.planned.popleft())
                cells.append(self.floor.cell_of(robot.cells[-1]))
            if cells:
                self._outbox.append(Go(robot.id, tuple(cells)))

    def _tell_arrivals(self) -> None:
        for robot in self._robots.values():
            if not robot.arrived and robot.at == robot.goal and not robot.granted:
                robot.arrived = True
                self._outbox.append(Arrived(robot.id, self.floor.cell_of(robot.at)))

    def _tell_lost(self, robots: list[_Robot], left: NDArray[np.int64]) -> None:
        for robot, steps in zip(robots, left, strict=True):
            lost = bool(steps == FAR)
            if lost and not robot.lost:
                goal = self.floor.cell_of(robot.goal)
                self._outbox.append(NoWay(robot.id, goal))
            robot.lost = lost
