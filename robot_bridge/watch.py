"""Listens to robots for people who look at a map.

The worker that drives a robot has its own connection in another process; the pages
only look. So this connection is passive and light, shares nothing with driving, and
losing it harms nobody: it comes back by itself, and meanwhile ages tell the truth.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from robot_bridge.address import Address, check_address
from robot_bridge.floor_messages import PersonReading, Point
from robot_bridge.listening import Listener, Sighting, WatchedRobot
from robot_bridge.messages import BadMessage, decode_frame, encode_frame
from robot_bridge.profiles import Profile, load_profile
from robot_bridge.tls import SYSTEM, TlsFiles

LOGGER = logging.getLogger("robot_bridge.watch")
TICK_S = 0.2
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
CONNECT_TIMEOUT_S = 5.0
PING_S, PING_TIMEOUT_S = 2.0, 3.0
MAX_FRAME_BYTES = 16 * 1024 * 1024
FORGET_PEOPLE_S = 60.0

RobotToWatch = tuple[str, str, Profile | str, str | None]
"""robot id, url, profile, namespace (None: as the profile says)"""


@dataclass(frozen=True, slots=True)
class RobotWatched:
    """One robot as last heard; ages are taken at the moment of asking."""

    robot_id: str
    x: float | None
    y: float | None
    yaw: float | None
    pose_age_s: float | None
    heard_age_s: float | None
    speed_mps: float | None
    battery: float | None
    stopped: bool
    plan: tuple[Point, ...]
    scan: tuple[Point, ...]
    costmap: tuple[Point, ...]
    driven: tuple[Point, ...]
    local_plan: tuple[Point, ...] = ()
    global_costmap: tuple[Point, ...] = ()
    steering_rad: float | None = None


class FloorWatch:
    """Keeps the newest of what all robots say. Safe to ask from any thread.

    UnsafeAddress and BadProfile name a robot that cannot be listened to.
    """

    def __init__(
        self,
        robots: Iterable[RobotToWatch],
        *,
        tls: TlsFiles = SYSTEM,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        groups: dict[Address, list[WatchedRobot]] = {}
        for robot_id, url, given, namespace in robots:
            profile = load_profile(given) if isinstance(given, str) else given
            address = check_address(url, profile, tls)
            watched = WatchedRobot(robot_id, profile, namespace)
            groups.setdefault(address, []).append(watched)
        self._now = now
        self._lock = threading.Lock()
        self._listeners = {a: Listener(group) for a, group in groups.items()}
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is not None or not self._listeners:
            return
        self._thread = threading.Thread(
            target=self._run, name="floor-watch", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End the connections and wait; a second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            thread.join()
        if not self._loop.is_closed():
            self._loop.close()

    def want_layers(self, robot_id: str, *, whole_map: bool = False) -> None:
        """Listen to this robot's laser, costmap and local path for the next half
        minute; or to its costmap of the whole map."""
        with self._lock:
            for listener in self._listeners.values():
                listener.want_layers(self._now(), robot_id, whole_map=whole_map)

    def robots(self) -> Sequence[RobotWatched]:
        with self._lock:
            now = self._now()
            return [
                _watched(robot_id, sighting, now)
                for listener in self._listeners.values()
                for robot_id, sighting in listener.sightings.items()
            ]

    def robot(self, robot_id: str) -> RobotWatched | None:
        with self._lock:
            for listener in self._listeners.values():
                sighting = listener.sightings.get(robot_id)
                if sighting is not None:
                    return _watched(robot_id, sighting, self._now())
        return None

    def people(self) -> Sequence[tuple[PersonReading, float]]:
        """Everybody heard of lately, with the age of that word."""
        newest: dict[str, tuple[PersonReading, float]] = {}
        with self._lock:
            now = self._now()
            for listener in self._listeners.values():
                for tag, (person, at) in list(listener.people.items()):
                    if now - at > FORGET_PEOPLE_S:
                        del listener.people[tag]
                    elif tag not in newest or now - at < newest[tag][1]:
                        newest[tag] = (person, now - at)
        return [newest[tag] for tag in sorted(newest)]

    # --- on the thread ----------------------------------------------------------

    def _run(self) -> None:
        self._loop.run_until_complete(self._listen_to_all())

    async def _listen_to_all(self) -> None:
        tasks = [
            asyncio.create_task(self._keep_listening(address, listener))
            for address, listener in self._listeners.items()
        ]
        await self._stop.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_listening(self, address: Address, listener: Listener) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                async with connect(
                    address.url,
                    ssl=address.tls(),
                    compression=None,
                    open_timeout=CONNECT_TIMEOUT_S,
                    ping_interval=PING_S,
                    ping_timeout=PING_TIMEOUT_S,
                    close_timeout=1.0,
                    max_size=MAX_FRAME_BYTES,
                    user_agent_header=None,
                    proxy=None,
                ) as socket:
                    pause_s = FIRST_PAUSE_S
                    await self._listen(socket, listener)
            except (OSError, WebSocketException, TimeoutError) as cause:
                LOGGER.debug("%s: %s", address.url, cause)
            finally:
                with self._lock:
                    listener.closed()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _listen(self, socket: ClientConnection, listener: Listener) -> None:
        with self._lock:
            frames = listener.opened(self._now())
        for frame in frames:
            await socket.send(encode_frame(frame))
        asking = asyncio.create_task(self._ask(socket, listener))
        try:
            async for text in socket:
                if isinstance(text, str):
                    self._take(listener, text)
        finally:
            asking.cancel()
            # A bare await with suppressed cancelling would swallow our own, too.
            await asyncio.gather(asking, return_exceptions=True)

    async def _ask(self, socket: ClientConnection, listener: Listener) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            with self._lock:
                frames = listener.tick(self._now())
            for frame in frames:
                await socket.send(encode_frame(frame))

    def _take(self, listener: Listener, text: str) -> None:
        try:
            frame = decode_frame(text)
            with self._lock:
                listener.heard(self._now(), frame)
        except BadMessage as cause:
            LOGGER.debug("a frame is %s", cause)


def _watched(robot_id: str, sighting: Sighting, now: float) -> RobotWatched:
    known = sighting.reckoning.now()
    place, at = known if known is not None else (None, now)
    heard_at = sighting.heard_at
    return RobotWatched(
        robot_id,
        None if place is None else place.x,
        None if place is None else place.y,
        None if place is None else place.yaw,
        None if place is None else now - at,
        None if heard_at is None else now - heard_at,
        sighting.speed_mps,
        sighting.battery,
        sighting.stopped,
        sighting.plan,
        sighting.scan,
        sighting.costmap,
        tuple(sighting.driven),
        sighting.local_plan,
        sighting.global_costmap,
        sighting.steering_rad,
    )
