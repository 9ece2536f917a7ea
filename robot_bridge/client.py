"""A robot over rosbridge, for owners with threads.

``RobotClient`` joins the shared connection of its address, puts orders into its
session on the loop thread and delivers reports on the delivery thread. All rules
about robots are in ``session``; this module only brings things together.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robot_bridge.address import Address, check_address
from robot_bridge.clock import from_wall_s, steady_epoch_s
from robot_bridge.connection import Connection
from robot_bridge.delivery import Delivery
from robot_bridge.profiles import Profile, load_profile
from robot_bridge.reports import (
    Action,
    Cancel,
    Event,
    Navigate,
    Pause,
    Permit,
    Report,
    Resume,
    Snapshot,
)
from robot_bridge.session import RobotSession
from robot_bridge.tls import SYSTEM, TlsFiles


class RobotTaken(ValueError):
    """Two clients of this process want the same robot at the same address."""


class _Switchboard:
    """The connections of this process: one per address, closed with its last user."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Address, tuple[Connection, set[str]]] = {}
        self.delivery = Delivery()

    def plug_in(self, address: Address, robot_id: str) -> Connection:
        with self._lock:
            if address not in self._open:
                self._open[address] = (Connection(address), set())
            connection, robots = self._open[address]
            if robot_id in robots:
                raise RobotTaken(f"{robot_id} at {address.url} has a client already")
            robots.add(robot_id)
            return connection

    def pull_out(self, address: Address, robot_id: str) -> bool:
        """True when the connection has no robot left."""
        with self._lock:
            _, robots = self._open[address]
            robots.discard(robot_id)
            if robots:
                return False
            del self._open[address]
            return True


_SWITCHBOARD = _Switchboard()


class RobotClient:
    """See ``port.RobotPort``. ``on_report`` is called on one thread for all robots."""

    def __init__(
        self,
        url: str,
        profile: Profile | str,
        robot_id: str,
        on_report: Callable[[str, Report], None],
        *,
        namespace: str | None = None,
        tls: TlsFiles = SYSTEM,
    ) -> None:
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.address = check_address(url, self.profile, tls)
        self._robot_id = robot_id
        self._on_report = on_report
        self._session = RobotSession(self.profile, robot_id, namespace=namespace)
        self._connection: Connection | None = None

    @property
    def robot_id(self) -> str:
        return self._robot_id

    def start(self) -> None:
        if self._connection is not None:
            return
        connection = _SWITCHBOARD.plug_in(self.address, self._robot_id)
        delivery = _SWITCHBOARD.delivery
        delivery.join()
        owner = self._on_report

        def sink(robot_id: str, report: Report) -> None:
            delivery.put(owner, robot_id, report)

        self._connection = connection
        connection.call(lambda: connection.add(self._session, sink))

    def stop(self) -> None:
        """The robot keeps its goal: leaving is not a stop."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        connection.run(lambda: connection.remove(self._robot_id))
        if _SWITCHBOARD.pull_out(self.address, self._robot_id):
            connection.run(connection.stop)
        _SWITCHBOARD.delivery.leave()

    def navigate(
        self,
        command_id: str,
        x: float,
        y: float,
        yaw: float = 0.0,
        *,
        frame: str | None = None,
        expires_at: float | None = None,
        maybe_sent_at: float | None = None,
        via: Sequence[tuple[float, float]] = (),
    ) -> None:
        maybe = None if maybe_sent_at is None else from_wall_s(maybe_sent_at)
        expires = self._expiry(expires_at)
        self._order(Navigate(command_id, x, y, yaw, expires, frame, maybe, tuple(via)))

    def cancel(self, command_id: str) -> None:
        self._order(Cancel(command_id))

    def permit(self, until_s: float) -> None:
        """Nothing is sent from this instant of the monotonic clock on."""
        self._order(Permit(steady_epoch_s() + until_s - time.monotonic()))

    def pause(self) -> None:
        self._order(Pause())

    def resume(self) -> None:
        self._order(Resume())

    def action(
        self,
        command_id: str,
        name: str,
        args: Mapping[str, Any] | None = None,
        *,
        expires_at: float | None = None,
    ) -> None:
        self._order(
            Action(command_id, name, self._expiry(expires_at), dict(args or {}))
        )

    def snapshot(self) -> Snapshot:
        connection = self._connection
        if connection is None:
            return self._session.snapshot(steady_epoch_s())
        taken: Snapshot = connection.run(
            lambda: self._session.snapshot(steady_epoch_s())
        )
        return taken

    def _expiry(self, expires_at: float | None) -> float:
        if expires_at is None:
            return steady_epoch_s() + self.profile.limits.expiry_s
        return from_wall_s(expires_at)

    def _order(self, event: Event) -> None:
        connection = self._connection
        if connection is None:
            raise RuntimeError(f"the client of {self._robot_id} is not started")
        connection.call(lambda: connection.feed(self._robot_id, event))
