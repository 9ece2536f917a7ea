"""One tick of a robot: the state machine of turns, drives and stops.

Wheels run at one speed or stand. Before each cell the robot looks; a way that is
blocked ends its command on the grid point where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shopfloor.warehouse.events import Became, Ended, Event, Outcome, Part, Turned
from shopfloor.warehouse.laser import sees_blocked
from shopfloor.warehouse.scene import Scene
from shopfloor.warehouse.things import Along, Cell, Robot, State, Turn
from shopfloor.warehouse.turning import (
    FINE_DEG,
    HEADINGS,
    MOST_ITERATIONS,
    quarters_to,
    rate_dps,
    turn_of,
)

TICK_S = 0.02
BLOCKED_FOR_S = 0.5
"""Then the robot is idle again."""
MOST_CROOKED_DEG = 1.0
"""Farther off its heading a robot does not drive."""
NEXT: Mapping[State, frozenset[State]] = {
    State.IDLE: frozenset({State.ROTATING, State.MOVING_X, State.MOVING_Y}),
    State.ROTATING: frozenset({State.MOVING_X, State.MOVING_Y, State.IDLE}),
    State.MOVING_X: frozenset({State.ROTATING, State.IDLE, State.BLOCKED}),
    State.MOVING_Y: frozenset({State.IDLE, State.BLOCKED}),
    State.BLOCKED: frozenset({State.IDLE}),
}


def drives(axis: str) -> State:
    return State.MOVING_X if axis == "x" else State.MOVING_Y


def step_towards(at: Cell, to: Cell) -> Cell:
    """One cell along the axis in which they differ."""
    dx, dy = to[0] - at[0], to[1] - at[1]
    return (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)


def tick_robot(scene: Scene, robot: Robot, told: list[Event]) -> Robot:
    """Where the robot is a tick later."""
    if robot.state is State.BLOCKED:
        return _blocked(robot, told)
    if robot.lifting:
        return _lifted(scene, robot, told)
    if robot.command is None:
        return robot
    return _Tick(scene, robot, told).run()


def _blocked(robot: Robot, told: list[Event]) -> Robot:
    left_s = robot.blocked_s - TICK_S
    if left_s > TICK_S / 2:
        return replace(robot, blocked_s=left_s)
    return become(replace(robot, blocked_s=0.0), State.IDLE, told)


def _lifted(scene: Scene, robot: Robot, told: list[Event]) -> Robot:
    reach = scene.floor.motors.lift_mps * TICK_S
    off = robot.tower_goal_m - robot.tower_m
    if abs(off) > reach + 1e-9:
        up = reach if off > 0 else -reach
        return replace(robot, tower_m=robot.tower_m + up)
    command = robot.command
    robot = replace(robot, tower_m=robot.tower_goal_m, command=None)
    if command is not None:
        told += [Became(robot.id, robot.state, robot.status)]
        told += [Ended(command, Outcome.DONE)]
    return robot


def become(robot: Robot, state: State, told: list[Event]) -> Robot:
    if state is robot.state:
        return robot
    if state not in NEXT[robot.state]:
        raise AssertionError(f"{robot.id} cannot be {state} after {robot.state}")
    robot = replace(robot, state=state)
    told.append(Became(robot.id, state, robot.status))
    return robot


class _Tick:
    """A robot with a command to drive, for as long as the tick lasts."""

    def __init__(self, scene: Scene, robot: Robot, told: list[Event]) -> None:
        self.scene = scene
        self.robot = robot
        self.told = told
        self.left_s = TICK_S

    def run(self) -> Robot:
        while self.robot.command is not None:
            if not self.robot.parts:
                if self.robot.halting:
                    return self._end(Outcome.HALTED, "it was told to stop")
                return self._end(Outcome.DONE, "")
            part = self.robot.parts[0]
            done = self._turn(part) if isinstance(part, Turn) else self._along(part)
            if not done:
                break
        return self.robot

    def _end(self, outcome: Outcome, reason: str) -> Robot:
        command = self.robot.command
        state = State.BLOCKED if outcome is Outcome.BLOCKED else State.IDLE
        rest = replace(
            self.robot,
            command=None,
            parts=(),
            entering=None,
            halting=False,
            wheel_mps=0.0,
            turn_dps=0.0,
            blocked_s=BLOCKED_FOR_S if state is State.BLOCKED else 0.0,
        )
        self.robot = become(rest, state, self.told)
        if command is not None:
            self.told.append(Ended(command, outcome, reason))
        return self.robot

    def _next_part(self) -> None:
        robot = self.robot
        self.robot = replace(robot, parts=robot.parts[1:], wheel_mps=0.0, turn_dps=0.0)

    # Turns

    def _turn(self, turn: Turn) -> bool:
        """Is it done, with time left for what follows: never in the same tick."""
        robot = self.robot
        began = robot.state is State.ROTATING and robot.turn_dps != 0.0
        if robot.state is not State.ROTATING:
            way = "cw" if turn.quarters < 0 else "ccw"
            self.told += [Part(robot.id, f"rot {way} {robot.id}")] * abs(turn.quarters)
            robot = become(robot, State.ROTATING, self.told)
        off_deg = turn.final_deg - robot.yaw_deg
        rate = rate_dps(off_deg, self.scene.floor.motors.turn_dps, began)
        yaw_deg = robot.yaw_deg + (rate + robot.slip_dps) * TICK_S
        left = turn.iterations_left - 1
        off_deg = turn.final_deg - yaw_deg
        turn = replace(turn, iterations_left=left)
        parts = (turn, *robot.parts[1:])
        self.robot = replace(robot, yaw_deg=yaw_deg, turn_dps=rate, parts=parts)
        if abs(off_deg) > FINE_DEG and left > 0:
            return False
        self._settle(turn, off_deg)
        self.left_s = 0.0
        return True

    def _settle(self, turn: Turn, off_deg: float) -> None:
        """Within tolerance the mark under the robot straightens it."""
        used = MOST_ITERATIONS * abs(turn.quarters) - turn.iterations_left
        self.told.append(Turned(self.robot.id, off_deg, used))
        fine = abs(off_deg) <= FINE_DEG
        yaw_deg = (turn.final_deg if fine else self.robot.yaw_deg) % 360.0
        self.robot = replace(self.robot, yaw_deg=yaw_deg)
        self._next_part()
        if abs(off_deg) > MOST_CROOKED_DEG:
            self._end(
                Outcome.FAILED,
                f"it is {abs(off_deg):.2f} degrees off its heading after "
                f"{used} iterations",
            )

    # Drives

    def _along(self, part: Along) -> bool:
        if self.robot.entering is None and not self._look(part):
            return True
        if self.left_s <= 0.0:
            return False
        return self._roll(part)

    def _look(self, part: Along) -> bool:
        """On a grid point: is there a next cell, and is it free?"""
        robot = self.robot
        if robot.cell == part.to:
            self._next_part()
            return False
        step = step_towards(robot.cell, part.to)
        if self._must_turn(step):
            return False
        state = drives(part.axis)
        if robot.state is not state:
            dist = (part.to[0] - robot.cell[0]) + (part.to[1] - robot.cell[1])
            metres = dist * self.scene.floor.cell_m
            verb = f"mov{part.axis}"
            self.told.append(Part(robot.id, f"{verb} {metres:g} {robot.id}"))
            robot = self.robot = become(robot, state, self.told)
        cell = robot.cell[0] + step[0], robot.cell[1] + step[1]
        reason = self._hindrance(cell)
        if reason is not None:
            self._end(Outcome.BLOCKED, reason)
            return False
        speed = self.scene.floor.motors.speed_mps
        self.robot = replace(robot, entering=cell, wheel_mps=speed)
        return True

    def _must_turn(self, step: Cell) -> bool:
        robot = self.robot
        quarters = quarters_to(robot.yaw_deg, HEADINGS[step])
        if quarters == 0:
            return False
        turn = turn_of(robot.yaw_deg, quarters)
        self.robot = replace(robot, parts=(turn, *robot.parts), wheel_mps=0.0)
        return True

    def _hindrance(self, cell: Cell) -> str | None:
        robot = self.robot
        loaded = robot.carries is not None
        known = self.scene.in_the_way(cell, robot.id, loaded=loaded)
        if known is not None:
            return known
        seen_m = sees_blocked(self.scene, robot)
        return None if seen_m is None else f"the laser sees something at {seen_m:.2f} m"

    def _roll(self, part: Along) -> bool:
        """To the next grid point, or as far as the tick lasts."""
        robot = self.robot
        cell = robot.entering
        if cell is None:
            raise AssertionError(f"{robot.id} rolls nowhere")
        x_m, y_m = self.scene.floor.spot(cell)
        left_m = abs(x_m - robot.x_m) + abs(y_m - robot.y_m)
        reach_m = robot.wheel_mps * self.left_s
        if left_m > reach_m + 1e-9:
            dx, dy = step_towards(robot.cell, cell)
            x_m, y_m = robot.x_m + dx * reach_m, robot.y_m + dy * reach_m
            self.robot = replace(robot, x_m=x_m, y_m=y_m)
            self.left_s = 0.0
            return False
        self.left_s = max(0.0, self.left_s - left_m / robot.wheel_mps)
        self.robot = replace(robot, cell=cell, entering=None, x_m=x_m, y_m=y_m)
        return True
