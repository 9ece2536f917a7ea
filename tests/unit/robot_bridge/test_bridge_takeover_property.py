"""However processes die and frames are delayed, a goal starts at most once."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robot_bridge.messages import GoalCode
from robot_bridge.profiles import load_profile
from robot_bridge.reports import (
    CommandState,
    Ended,
    FrameIn,
    LinkClosed,
    LinkOpened,
    Navigate,
    Send,
    Tick,
)
from robot_bridge.session import RobotSession
from tests.support.actionlib import ActionlibRobot

DT = 0.1
PROFILE = load_profile("move_base")


@dataclass
class Wire:
    """One TCP connection: ordered both ways, delayed, outliving its process."""

    to_robot: list[tuple[float, Any]] = field(default_factory=list)
    to_us: list[tuple[float, Any]] = field(default_factory=list)

    def send(self, queue: list[tuple[float, Any]], at: float, frame: Any) -> None:
        after = queue[-1][0] if queue else at
        queue.append((max(at, after), frame))

    @staticmethod
    def due(queue: list[tuple[float, Any]], now: float) -> list[Any]:
        frames = []
        while queue and queue[0][0] <= now:
            frames.append(queue.pop(0)[1])
        return frames


@dataclass
class World:
    dice: random.Random
    robot: ActionlibRobot
    now: float = 1_700_000_000.0
    session: RobotSession | None = None
    wire: Wire | None = None
    orphans: list[Wire] = field(default_factory=list)
    frozen_until: float = 0.0
    slow_s: float = 0.0
    restart_at: float = 0.0
    connect_at: float = 0.0
    rows: list[dict[str, Any]] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.trace.append(f"{self.now - 1_700_000_000.0:8.1f} {text}")

    def delay(self) -> float:
        base = self.dice.expovariate(1 / 0.02)
        if self.dice.random() < 0.05:
            base += self.dice.uniform(0, self.slow_s)
        return base

    @property
    def row(self) -> dict[str, Any] | None:
        return self.rows[-1] if self.rows and self.rows[-1]["end"] is None else None

    def feed(self, event: Any) -> None:
        session = self.session
        if session is None:
            return
        for out in session.handle(self.now, event):
            if self.session is not session:
                return  # killed between two outputs
            if isinstance(out, Send):
                assert self.wire is not None
                at = max(self.now, self.frozen_until) + self.delay()
                if out.frame["op"] == "publish":
                    self.note(f"out {out.frame['topic']} {out.frame['msg']}")
                if self.dice.random() < 0.98:
                    self.wire.send(self.wire.to_robot, at, out.frame)
            elif isinstance(out, Ended):
                self.ended(out)

    def ended(self, end: Ended) -> None:
        self.note(f"ended {end.command_id} {end.state} {end.inferred} {end.reason}")
        row = self.row
        assert row is not None
        assert row["id"] == end.command_id
        self.check_truth(end, row)
        if self.dice.random() < 0.1:
            self.kill()  # dies before it wrote the end down
            return
        row["end"] = end

    def check_truth(self, end: Ended, row: dict[str, Any]) -> None:
        away = math.hypot(self.robot.x - row["x"], self.robot.y - row["y"])
        if end.state is CommandState.SUCCEEDED and end.inferred:
            assert away < 0.41, self.explain()
        elif end.state is CommandState.SUCCEEDED:
            assert self.robot.outcome[end.command_id] == GoalCode.SUCCEEDED
        elif end.state is CommandState.EXPIRED:
            assert self.robot.starts[end.command_id] == 0, self.explain()

    def explain(self) -> str:
        return "\n".join(self.trace[-80:])

    def drop_wire(self) -> None:
        wire, self.wire = self.wire, None
        if wire is None:
            return
        wire.to_us.clear()
        extra = self.dice.choice([0.0, 0.3, 3.0, 7.0, 20.0, 60.0])
        cut = self.dice.randint(0, len(wire.to_robot))
        keep = wire.to_robot if self.dice.random() < 0.7 else wire.to_robot[:cut]
        wire.to_robot = [(at + extra, frame) for at, frame in keep]
        self.orphans.append(wire)
        self.connect_at = self.now + self.dice.choice([0.1, 0.6, 3.0, 12.0])

    def kill(self) -> None:
        self.note("KILL")
        self.drop_wire()
        self.session = None
        self.restart_at = self.now + self.dice.choice([0.1, 0.5, 1.0, 2.0, 4.0, 9.0])

    def cut(self) -> None:
        self.note("CUT")
        self.drop_wire()
        self.feed(LinkClosed("cut"))

    def trouble(self) -> None:
        roll = self.dice.random()
        if self.session is not None and roll < 0.010:
            self.kill()
        elif self.wire is not None and roll < 0.020:
            self.cut()
        elif self.wire is not None and roll < 0.027:
            self.frozen_until = self.now + self.dice.choice([0.5, 2.0, 6.0, 15.0])
            self.note(f"FREEZE until {self.frozen_until - 1_700_000_000.0:.1f}")

    def step(self, with_trouble: bool) -> None:
        self.now += DT
        if with_trouble:
            self.trouble()
        if self.session is None and self.now >= self.restart_at:
            self.start_process()
        unwired = self.session is not None and self.wire is None
        if unwired and self.now >= self.connect_at:
            self.wire = Wire()
            self.note("CONNECT")
            self.feed(LinkOpened())
        self.move_robot()
        if self.wire is not None and self.now >= self.frozen_until:
            wire = self.wire
            for frame in Wire.due(wire.to_us, self.now):
                if self.wire is wire:
                    self.feed(FrameIn(frame))
        self.feed(Tick())
        if self.session is not None and self.row is None and len(self.rows) < 6:
            self.order()

    def move_robot(self) -> None:
        for wire in [*self.orphans, *([self.wire] if self.wire else [])]:
            if wire is self.wire and self.now < self.frozen_until:
                continue
            for frame in Wire.due(wire.to_robot, self.now):
                if wire is not self.wire and frame["op"] != "publish":
                    continue
                before = dict(self.robot.starts)
                self.robot.receive(self.now, frame)
                if before != dict(self.robot.starts):
                    self.note(f"START {frame['msg']['goal_id']}")
                assert all(n <= 1 for n in self.robot.starts.values()), self.explain()
        self.robot.step(self.now, DT)
        frames, self.robot.outbox = self.robot.outbox, []
        frames += self.robot.broadcast(self.now)
        if self.wire is not None:
            for frame in frames:
                at = max(self.now, self.frozen_until) + self.delay()
                self.wire.send(self.wire.to_us, at, frame)

    def start_process(self) -> None:
        self.note("PROCESS")
        self.session = RobotSession(PROFILE, "r1")
        row = self.row
        if row is not None:
            self.feed(
                Navigate(
                    row["id"], row["x"], row["y"], 0.0, row["expires"], None, row["at"]
                )
            )

    def order(self) -> None:
        # The row is written before anything is sent; both may be cut apart.
        x, y = self.dice.choice([(0.0, 0.5), (2.0, 0.0), (0.5, 0.5), (6.0, 3.0)])
        row: dict[str, Any] = {
            "id": f"g{len(self.rows)}",
            "x": x,
            "y": y,
            "at": self.now,
            "expires": self.now + self.dice.choice([5.0, 60.0, 600.0]),
            "end": None,
        }
        self.rows.append(row)
        if self.dice.random() < 0.1:
            self.kill()
            return
        self.feed(Navigate(row["id"], x, y, 0.0, row["expires"]))


def run(seed: int) -> World:
    dice = random.Random(seed)
    world = World(dice, ActionlibRobot(speed_mps=dice.choice([0.5, 2.0, 5.0])))
    world.slow_s = dice.choice([0.1, 1.0, 8.0])
    world.robot.publish_results = dice.random() < 0.8
    world.session = RobotSession(PROFILE, "r1")
    for _ in range(1200):
        world.step(with_trouble=True)
    world.slow_s = 0.0
    for _ in range(2500):
        world.step(with_trouble=False)
        if len(world.rows) == 6 and world.row is None:
            break
    for _ in range(700):
        world.step(with_trouble=False)
    return world


@pytest.mark.covers("A11")
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_goal_starts_twice_and_every_goal_ends(seed: int) -> None:
    world = run(seed)
    assert all(count <= 1 for count in world.robot.starts.values()), world.explain()
    assert not world.robot.preempted_by_new, world.explain()
    assert world.row is None, world.explain()
    assert len(world.rows) == 6
