"""The load cell of a simulated robot: what lies on the robot, as a real one tells it.

A load is put on by a service, the stand-in for a worker's hands. The cell shows it
after it has settled, never quite still, in steps of its display.
"""

import math
import random
from collections.abc import Callable
from typing import Any

from shopfloor.sim.clock import Clock, Every
from shopfloor.sim.graph import Graph, Respond
from shopfloor.sim.message_types import Message

PERIOD_S = 0.05
SETTLING_S = 0.04
"""After this time a third of a change is still missing."""
NOISE_KG, NOISE_SHARE = 0.002, 1e-5
DISPLAY_KG = 0.005
HEAVIEST_KG = 5000.0


class LoadRefused(ValueError):
    """What cannot lie on a robot, and why."""


class LoadCell:
    def __init__(self, clock: Clock, rng: random.Random) -> None:
        self._clock = clock
        self._rng = rng
        self._from_kg = 0.0
        self._changed_at = -math.inf
        self.load_kg = 0.0
        self.silent = False
        self.swings_kg = 0.0
        """How far a load that does not come to rest swings."""
        self.on_load: Callable[[float], None] = lambda kg: None
        """Told before it counts; a ValueError refuses the load."""

    def put(self, kg: float) -> None:
        """From now on so much lies on the robot. LoadRefused if it cannot."""
        if not math.isfinite(kg) or not 0.0 <= kg <= HEAVIEST_KG:
            raise LoadRefused(f"{kg:g} kg cannot lie on a robot")
        try:
            self.on_load(kg)
        except ValueError as error:
            raise LoadRefused(str(error)) from None
        self._from_kg = self._settling_kg()
        self._changed_at = self._clock.now()
        self.load_kg = kg

    def _settling_kg(self) -> float:
        passed_s = self._clock.now() - self._changed_at
        missing = math.exp(-max(0.0, passed_s) / SETTLING_S)
        return self.load_kg + (self._from_kg - self.load_kg) * missing

    def shows_kg(self) -> float:
        shown = self._settling_kg()
        shown += self._rng.gauss(0.0, NOISE_KG + NOISE_SHARE * self.load_kg)
        shown += self._rng.uniform(-self.swings_kg, self.swings_kg)
        return round(round(shown / DISPLAY_KG) * DISPLAY_KG, 3)


class Scale:
    """A load cell behind a topic and a service of its robot."""

    def __init__(self, graph: Graph, node: str, prefix: str, seed: str) -> None:
        self.cell = LoadCell(graph.clock, random.Random(seed))  # noqa: S311 - noise
        self._graph = graph
        self._due = Every(PERIOD_S)
        self._name = f"{prefix}/scale"
        self._topic = graph.advertise(node, self._name, "std_msgs/Float64")
        graph.serve(f"{prefix}/put_load", "shopfloor_msgs/PutLoad", node, self._serve)

    def step(self, now: float) -> None:
        """Say what it shows, if it is time and somebody listens."""
        if self._due.due(now) and self._topic.wanted and not self.cell.silent:
            self._graph.publish(self._name, {"data": self.cell.shows_kg()})

    def _serve(self, request: Message, respond: Respond) -> None:
        answer: dict[str, Any] = {"success": True}
        try:
            self.cell.put(float(request["kg"]))
            answer["message"] = f"{self.cell.load_kg:g} kg"
        except LoadRefused as error:
            answer = {"success": False, "message": str(error)}
        respond(True, answer)
