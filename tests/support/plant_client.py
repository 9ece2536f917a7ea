"""A rosbridge client of a simulation whose robots navigate for themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from shopfloor.plant.served import FullSimulation
from shopfloor.sim.clock import ManualClock
from shopfloor.sim.world import World
from tests.support.rosbridge import LocalClient

ACTION = "/arco/move_base"


class PlantClient(LocalClient):
    """Drives the robot of the test environment, and keeps what it hears by topic."""

    simulation: FullSimulation

    def __init__(self, world: World, *topics: str, seed: int = 1, **more: Any) -> None:
        clock = ManualClock()
        super().__init__(FullSimulation(world, clock=clock, seed=seed, **more), clock)
        self.plant = self.simulation.plant
        self.said: dict[str, list[Any]] = {}
        self.listen(*topics)

    def listen(self, *topics: str) -> None:
        for topic in topics:
            self.subscribe(topic)
            self.said[topic] = []

    def last(self, topic: str) -> Any:
        return self.said[topic][-1]

    def drive(self, goal_id: str, x_m: float, y_m: float, yaw_rad: float = 0.0) -> None:
        self.goal(goal_id, x_m, y_m, action=ACTION, yaw_rad=yaw_rad)

    def tick(self, step_s: float = 0.05) -> list[dict[str, Any]]:
        """Let time pass once; return what was told meanwhile."""
        self.clock.advance(step_s)
        self.simulation.step()
        frames = [json.loads(frame) for frame in self.frames()]
        for frame in frames:
            if frame["op"] == "publish":
                self.said[frame["topic"]].append(frame["msg"])
        return frames

    def advance(
        self,
        seconds: float,
        step_s: float = 0.05,
        each: Callable[[], None] = lambda: None,
    ) -> None:
        for _ in range(round(seconds / step_s)):
            self.tick(step_s)
            each()

    def ends(self) -> list[tuple[str, int]]:
        """Every goal that has ended, with its status."""
        return [
            (said["status"]["goal_id"]["id"], said["status"]["status"])
            for said in self.said[f"{ACTION}/result"]
        ]

    def wait_for_end(self, within_s: float, step_s: float = 0.05) -> tuple[str, int]:
        known = len(self.ends())
        for _ in range(round(within_s / step_s)):
            self.tick(step_s)
            if len(self.ends()) > known:
                return self.ends()[-1]
        raise AssertionError(f"no result within {within_s} simulated seconds")
