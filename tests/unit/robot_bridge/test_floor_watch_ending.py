"""Ending a connection that is being lost at the same moment."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from robot_bridge.listening import Listener, WatchedRobot
from robot_bridge.profiles import load_profile
from robot_bridge.watch import FloorWatch


class LostSocket:
    """Ends at once; what is being sent takes a moment to give up."""

    def __init__(self) -> None:
        self.sending = asyncio.Event()
        self.giving_up = asyncio.Event()

    async def send(self, frame: str) -> None:
        self.sending.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.giving_up.set()
            await asyncio.sleep(0.05)
            raise

    def __aiter__(self) -> LostSocket:
        return self

    async def __anext__(self) -> str:
        await self.sending.wait()
        raise StopAsyncIteration


def test_a_watch_ends_although_its_connection_is_lost_at_that_moment() -> None:
    async def lose_and_end() -> None:
        robot = WatchedRobot("r1", load_profile("move_base"), None)
        watch = FloorWatch([])
        socket: Any = LostSocket()
        listening = asyncio.create_task(watch._listen(socket, QuietStart([robot])))
        await socket.giving_up.wait()
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        watch.close()

    asyncio.run(lose_and_end())


class QuietStart(Listener):
    """Says nothing when a connection opens, and something at every tick."""

    def opened(self, now: float) -> list[dict[str, Any]]:
        return []

    def tick(self, now: float) -> list[dict[str, Any]]:
        return [{"op": "call_service", "service": "/rosapi/get_time"}]
