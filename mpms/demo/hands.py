"""The hands of the demo: they put on a robot what is asked for, before it is weighed.

Whoever confirms the form, a visitor or the tireless person, nobody here can lift a
sack. The weight itself comes from the robot's load cell over rosbridge, as in a plant.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from mpms.factory.domain.weighing import Weight
from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.ports.scales import Scale, ScaleUnavailable
from mpms.factory.ports.store import UnitOfWork

ANSWER_S = 2.0
"""Together with the weighing less than a job may take."""


class LoadingHands:
    """A scale whose load is put on just before."""

    def __init__(self, scale: Scale, url: str, asked_kg: Callable[[str], float]):
        self._scale = scale
        self._url = url
        self._asked_kg = asked_kg

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        try:
            self._put(robot, self._asked_kg(robot))
        except (OSError, WebSocketException) as cause:
            raise RobotAway(f"{robot} does not answer: nobody can load it") from cause
        except ValueError as refused:
            raise ScaleUnavailable(f"nothing was put on {robot}: {refused}") from None
        return self._scale.weigh(robot, place)

    def _put(self, robot: str, kg: float) -> None:
        call = {
            "op": "call_service",
            "id": "load",
            "service": f"/{robot}/put_load",
            "args": {"kg": kg},
        }
        with connect(self._url, compression=None, open_timeout=ANSWER_S) as link:
            link.send(json.dumps(call))
            said = json.loads(link.recv(timeout=ANSWER_S))
        values = said.get("values")
        if not isinstance(values, dict) or not values.get("success"):
            raise ValueError(
                values.get("message") if isinstance(values, dict) else said
            )


def asked_by(uow: UnitOfWork) -> Callable[[str], float]:
    """The weight that the order of a robot asks for right now."""

    def asked_kg(robot: str) -> float:
        with uow() as tx:
            holder = tx.robot_holds.held().get(robot)
            snapshot = None if holder is None else tx.instances.get(holder).snapshot
        variables: dict[str, Any] = {} if snapshot is None else snapshot.variables
        return float(variables.get("material", {}).get("required_kg", 0.0))

    return asked_kg
