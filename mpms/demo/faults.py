"""Breaks something in the demo's factory, by the simulator's own switches."""

from __future__ import annotations

import json
from collections.abc import Callable

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from mpms.domain.errors import MpmsError
from mpms.factory.ports.store import UnitOfWork

FAULTS = {
    "A robot loses its Wi-Fi for 20 seconds": ("cut {robot} 20", "{robot} is offline."),
    "A robot hangs for 20 seconds": ("freeze {robot} 20", "{robot} does not answer."),
    "Somebody presses the emergency stop for 15 seconds": (
        "estop {robot} 15",
        "{robot} is stopped.",
    ),
    "A robot refuses its next goal": ("reject {robot} 1", "{robot} will refuse."),
    "A battery is nearly empty": ("low_battery {robot} 4", "{robot} is nearly empty."),
}


class NothingBroken(MpmsError):
    """The simulator did not take the fault."""


def breakers(uow: UnitOfWork, url: str) -> dict[str, Callable[[], str]]:
    """Ways to break something, by what they say."""
    return {name: _breaker(uow, url, *fault) for name, fault in FAULTS.items()}


def _breaker(uow: UnitOfWork, url: str, line: str, told: str) -> Callable[[], str]:
    def strike() -> str:
        with uow() as tx:
            busy = [goal.robot for goal in tx.goals.open()]
            robots = sorted(state.robot for state in tx.robots.states())
        if not (busy or robots):
            raise NothingBroken("There is no robot to break yet.")
        robot = (busy or robots)[0]
        _call(url, line.format(robot=robot))
        return told.format(robot=robot)

    return strike


def _call(url: str, line: str) -> None:
    request = {
        "op": "call_service",
        "id": "break",
        "service": "/sim/fault",
        "args": {"command": line},
    }
    try:
        with connect(url, open_timeout=5, close_timeout=1) as socket:
            socket.send(json.dumps(request))
            answer = json.loads(socket.recv(timeout=5))
    except (OSError, TimeoutError, WebSocketException) as away:
        raise NothingBroken("The simulator of the robots does not answer.") from away
    if not answer.get("result") or not answer.get("values", {}).get("success", True):
        raise NothingBroken(str(answer.get("values")))
