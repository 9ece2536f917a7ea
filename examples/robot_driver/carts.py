"""Carts of a make that speaks JSON lines over TCP, as robots of MPMS.

The controller of the carts takes ``{"go": id, "cart": name, "x": m, "y": m}`` and
``{"stop": id}``, answers each with ``{"goal": id, "state": state}`` now and whenever
the state changes, and tells ``{"cart": name, "x": m, "y": m, "battery": 0..1}``. It
drives an id once, however often it is sent.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import urlsplit

from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.domain.weighing import Weight
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotAway, RobotState
from mpms.factory.ports.scales import ScaleUnavailable
from mpms.plugins import Plugin

AGAIN_S = 1.0
RESTS_S = 15.0
ENDS = {
    "arrived": GoalState.REACHED,
    "failed": GoalState.FAILED,
    "stopped": GoalState.CANCELLED,
}


class Carts:
    """All carts of a world behind their controller."""

    def __init__(
        self,
        world: World,
        url: str,
        *,
        on_report: Callable[[], None],
        on_told: Callable[[str, str], None],
    ) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 4000)
        self._names = [robot.id for robot in world.robots]
        self._on_report, self._on_told = on_report, on_told
        self._lock = threading.Lock()
        self._mine: set[str] = set()
        self._open: dict[str, Goal] = {}
        self._reports: dict[str, GoalReport] = {}
        self._states: dict[str, RobotState] = {}
        self._until_s = 0.0
        self._link: socket.socket | None = None
        self._closed = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def names(self) -> Sequence[str]:
        return self._names

    def take(self, robot: str) -> None:
        self._mine.add(robot)

    def drop(self, robot: str) -> None:
        """Another worker has it now: neither its goals nor its state are ours."""
        with self._lock:
            self._mine.discard(robot)
            self._states.pop(robot, None)
            self._open = {i: g for i, g in self._open.items() if g.robot != robot}

    def permit(self, until_s: float) -> None:
        self._until_s = until_s

    def states(self) -> Sequence[RobotState]:
        with self._lock:
            return [state for name, state in self._states.items() if name in self._mine]

    def navigate(self, goal: Goal, *, maybe_sent: bool) -> None:
        """The controller drives an id once, so it may hear of it again."""
        with self._lock:
            self._open[goal.id] = goal
        self._send_goal(goal)

    def cancel(self, goal: Goal) -> None:
        self._send({"stop": goal.id})

    def reports(self) -> Sequence[GoalReport]:
        with self._lock:
            return list(self._reports.values())

    def acknowledge(self, goal_id: str) -> None:
        with self._lock:
            self._reports.pop(goal_id, None)

    def close(self) -> None:
        self._closed.set()
        self._hang_up()
        self._listener.join(AGAIN_S + 1.0)

    def _send_goal(self, goal: Goal) -> None:
        at = {"x": goal.pose.x_m, "y": goal.pose.y_m}
        self._send({"go": goal.id, "cart": goal.robot} | at)

    def _send(self, message: dict[str, object]) -> None:
        """What cannot be sent now is sent when the controller is there again."""
        if self._link is not None and time.monotonic() < self._until_s:
            with suppress(OSError):
                self._link.sendall(json.dumps(message).encode() + b"\n")

    def _listen(self) -> None:
        while not self._closed.wait(AGAIN_S if self._states else 0.05):
            try:
                self._link = socket.create_connection(self._address, AGAIN_S)
                self._link.settimeout(None)
                with self._lock:
                    unfinished = list(self._open.values())
                for goal in unfinished:
                    self._send_goal(goal)
                for line in self._link.makefile("rb"):
                    self._hear(json.loads(line))
            except (OSError, ValueError) as failure:
                if not self._closed.is_set():
                    self._on_told("carts", f"the controller is away: {failure}")
                    self._closed.wait(AGAIN_S)
            finally:
                self._hang_up()

    def _hear(self, told: dict[str, object]) -> None:
        with self._lock:
            if "cart" in told:
                name = str(told["cart"])
                self._states[name] = RobotState(
                    name,
                    ready=True,
                    x_m=float(str(told["x"])),
                    y_m=float(str(told["y"])),
                    battery=float(str(told["battery"])),
                    placed_at_s=time.monotonic(),
                )
            end, goal_id = ENDS.get(str(told.get("state"))), str(told.get("goal"))
            if end is not None and self._open.pop(goal_id, None) is not None:
                why = str(told.get("why") or "") or None
                self._reports[goal_id] = GoalReport(goal_id, end, why)
        self._on_report()

    def _hang_up(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            with suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
        with self._lock:
            self._states.clear()  # nobody knows where they are now


class CartScales:
    """The scales of the carts: ``{"weigh": name}`` is answered when the load rests with
    ``{"weighed": name, "kg": "12.50"}``."""

    def __init__(self, world: World, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 4000)

    def weigh(self, robot: str, place: str | None = None) -> Weight:
        try:
            with socket.create_connection(self._address, RESTS_S) as link:
                link.sendall(json.dumps({"weigh": robot}).encode() + b"\n")
                for line in link.makefile("rb"):
                    told = json.loads(line)
                    if told.get("weighed") == robot:
                        return Weight(
                            Decimal(told["kg"]),
                            f"scale of {robot}",
                            line.decode().strip(),
                            datetime.now(UTC),
                            stays=True,
                        )
        except TimeoutError as late:
            raise ScaleUnavailable("what lies on the cart does not rest") from late
        except (OSError, ValueError) as failure:
            raise RobotAway(f"the controller is away: {failure}") from failure
        raise RobotAway("the controller has hung up")


plugin = Plugin(
    "carts",
    offers={
        "factory.robots": {"carts": "carts:Carts"},
        "factory.scales": {"carts": "carts:CartScales"},
    },
)
