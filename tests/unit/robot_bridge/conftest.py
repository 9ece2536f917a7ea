"""A robot and its session by a made-up clock, and a robot behind a real socket."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator

import pytest

from tests.support.actionlib import ActionlibRobot, Rig, make_rig
from tests.support.rosbridge import RosbridgeServer


@pytest.fixture
def rig() -> Rig:
    return make_rig()


@pytest.fixture
def bridge() -> Iterator[Callable[..., RosbridgeServer]]:
    """Return a function that serves robots, each under a prefix of its own."""
    opened: list[RosbridgeServer] = []

    def serve(
        prefixes: tuple[str, ...] = ("",),
        port: int = 0,
        robots: dict[str, ActionlibRobot] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> RosbridgeServer:
        robots = robots or {each: ActionlibRobot(speed_mps=4.0) for each in prefixes}
        opened.append(RosbridgeServer(robots, port, tls))
        return opened[-1]

    yield serve
    for each in opened:
        each.close()
