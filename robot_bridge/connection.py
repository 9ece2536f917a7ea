"""One websocket to one rosbridge server, shared by every robot behind it.

roslibpy carries the frames; what it decides by itself is taken out of its hands,
because it was measured to be dangerous or slow for moving machines:

- It queues publications while disconnected and sends them on reconnect, so a robot
  drives off later. Here a frame without an open connection is dropped; the session
  knows that it is in doubt.
- It waits up to an hour between attempts; here 0.5 to 5 s.
- It takes an open socket for a living peer; here pings end a frozen one.
- Its topics, services and actions keep state over reconnects. Here the session
  subscribes anew on every connect, and incoming frames go to it as they are.
- It ends the connection on a binary frame and logs a trace for operations it does
  not know; here both are ignored.

Everything runs on roslibpy's one loop thread: no locks in sessions, and a callback
here never waits for anything.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

import roslibpy
from roslibpy.comm.comm_asyncio import (
    AsyncioRosBridgeClientFactory,
    AsyncioRosBridgeProtocol,
)

from robot_bridge.address import Address
from robot_bridge.clock import steady_epoch_s
from robot_bridge.messages import BadMessage, Frame, absolute, decode_frame
from robot_bridge.reasons import LOST, MAY_ASK, NOT_MADE, words_for
from robot_bridge.reports import (
    Ended,
    Event,
    FrameIn,
    GoalLine,
    LinkClosed,
    LinkOpened,
    Report,
    Send,
    Tick,
)
from robot_bridge.session import RobotSession

LOGGER = logging.getLogger("robot_bridge")
TICK_S = 0.1
CONNECT_TIMEOUT_S = 5.0
MAX_FRAME_BYTES = 64 * 1024 * 1024

ReportSink = Callable[[str, Report], None]


def silence_disconnects() -> None:
    """A robot out of radio range is no error; the link report says it. A level holds
    for the loggers below as well, a filter does not."""
    for name in ("roslibpy", "autobahn", "txaio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


class Listener(Protocol):
    """Who is told what becomes of a websocket."""

    def on_open(self) -> None: ...
    def on_close(self, reason: str) -> None: ...
    def on_refused(self, reason: str) -> None: ...
    def on_payload(self, payload: bytes) -> None: ...


class _Protocol(AsyncioRosBridgeProtocol):  # type: ignore[misc]
    def _send(self, payload: bytes) -> None:
        """roslibpy queues frames; the connection may break before their turn. Without
        this check a burst of them is written into nothing, and the log fills."""
        if self.transport is not None and not self.transport.is_closing():
            super()._send(payload)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: N802, N803
        if not isBinary:
            self.factory.on_payload(self, payload)

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:  # noqa: N802, N803
        LOGGER.debug("a connection was closed: %s", reason)
        self.factory.on_closed()
        super().onClose(wasClean, code, reason)


class _Factory(AsyncioRosBridgeClientFactory):  # type: ignore[misc]
    protocol = _Protocol
    initialDelay = 0.5  # noqa: N815
    maxDelay = 5.0  # noqa: N815
    factor = 2.0
    compression = "none"

    def __init__(self, address: Address, owner: Listener) -> None:
        super().__init__(address.url)
        self._address = address
        self._owner = owner
        self.setProtocolOptions(
            autoPingInterval=2,
            autoPingTimeout=3,
            openHandshakeTimeout=CONNECT_TIMEOUT_S,
            closeHandshakeTimeout=1,
            maxMessagePayloadSize=MAX_FRAME_BYTES,
            tcpNoDelay=True,
        )

    def ready(self, proto: _Protocol) -> None:
        if self._stop:
            proto.send_close()
            return
        super().ready(proto)
        self._owner.on_open()

    def on_payload(self, proto: _Protocol, payload: bytes) -> None:
        if proto is self._proto:
            self._owner.on_payload(payload)

    def on_closed(self) -> None:
        if self._proto is not None:
            self._owner.on_close(LOST)
        else:
            # Servers that ask for a certificate of ours end the connection like so.
            asks = self._address.secure and self._address.files.cert_file is None
            self._owner.on_refused(MAY_ASK if asks else NOT_MADE)

    def send(self, frame: Frame) -> None:
        """Dropped without an open connection."""
        proto = self._proto
        if proto is not None:
            proto.send_ros_message(roslibpy.Message(frame))

    def stop(self) -> None:
        """Called on the loop thread; no reconnect happens afterwards."""
        self._stop = True
        proto = self._proto
        if proto is not None:
            proto.send_close()

    def _open_connection(self) -> None:
        if not self._stop:
            super()._open_connection()

    async def _connect_async(self) -> None:
        loop = self.manager.loop
        try:
            await asyncio.wait_for(
                loop.create_connection(
                    self,
                    self.host,
                    self.port,
                    ssl=self._address.tls(),
                    server_hostname=self.host if self._address.secure else None,
                ),
                CONNECT_TIMEOUT_S,
            )
        except (OSError, ValueError, TimeoutError) as cause:
            LOGGER.debug("%s: %s", self._address.url, cause)
            self._owner.on_refused(words_for(cause))
            self._schedule_reconnect()


class _Ros(roslibpy.Ros):  # type: ignore[misc]
    """roslibpy's connection with our factory; the asyncio transport always."""

    def __init__(self, factory: _Factory) -> None:
        self._id_counter = 0
        self.factory = factory
        self.is_connecting = False
        self.connect()


class _GoalLine:
    """A second websocket to the same server, for the goals of one robot.

    A server may read nothing more from a connection until a goal of it has ended, and
    for a goal that it never answers that is for ever. So nothing else goes this way,
    and after a goal whose end was not told here the websocket is made anew: what the
    server still had unread of the old one it drops, and no goal starts later.
    """

    def __init__(self, address: Address, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._unanswered: set[str] = set()
        self._over = False
        self._factory = _Factory(address, self)
        _Ros(self._factory)

    def send(self, frame: Frame) -> None:
        self._unanswered.add(frame["id"])
        self._factory.send(frame)

    def is_stuck_by(self, command_id: str) -> bool:
        """The end of this goal was told otherwise, or not at all."""
        return command_id in self._unanswered

    def stop(self) -> None:
        self._over = True
        self._factory.stop()
        self._tell(GoalLine(False))

    def on_open(self) -> None:
        if not self._over:
            self._tell(GoalLine(True))

    def on_close(self, reason: str) -> None:
        self._unanswered.clear()
        self.on_refused(reason)

    def on_refused(self, reason: str) -> None:
        if not self._over:
            self._tell(GoalLine(False))

    def on_payload(self, payload: bytes) -> None:
        if self._over:
            return
        try:
            frame = decode_frame(payload)
        except BadMessage as cause:
            LOGGER.warning("a frame about a goal is %s", cause)
            return
        if frame["op"] == "action_result":
            self._unanswered.discard(str(frame.get("id")))
        self._tell(FrameIn(frame))


class Connection:
    """Routes frames between one websocket and the sessions of its robots."""

    def __init__(self, address: Address) -> None:
        silence_disconnects()
        self.address = address
        self.host = urlsplit(address.url).netloc
        self._robots: dict[str, tuple[RobotSession, ReportSink]] = {}
        self._by_topic: dict[str, list[str]] = {}
        self._by_call: dict[str, str] = {}
        self._goal_lines: dict[str, _GoalLine] = {}
        self._open = False
        self._reason = "not connected yet"
        self._ticking: asyncio.TimerHandle | None = None
        self._factory = _Factory(address, self)
        self._ros = _Ros(self._factory)
        self._loop: asyncio.AbstractEventLoop = self._factory.manager.loop
        self._loop.call_soon_threadsafe(self._tick)

    # --- from any thread ------------------------------------------------------

    def call(self, what: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(what)

    def run(self, what: Callable[[], Any], timeout_s: float = 10.0) -> Any:
        """Run on the loop thread and wait; never from the loop thread itself."""
        done = threading.Event()
        box: list[Any] = []
        failed: list[BaseException] = []

        def step() -> None:
            try:
                box.append(what())
            except BaseException as cause:
                failed.append(cause)
            finally:
                done.set()

        self._loop.call_soon_threadsafe(step)
        if not done.wait(timeout_s):
            raise TimeoutError(f"the robot loop did not answer for {timeout_s:g} s")
        if failed:
            raise failed[0]
        return box[0]

    # --- on the loop thread ---------------------------------------------------

    def add(self, session: RobotSession, sink: ReportSink) -> None:
        robot_id = session.robot_id
        self._robots[robot_id] = (session, sink)
        for topic in session.topics:
            self._by_topic.setdefault(topic, []).append(robot_id)
        if session.needs_goal_line:
            self.feed(robot_id, GoalLine(False))
            self._open_goal_line(robot_id)
        if self._open:
            self.feed(robot_id, LinkOpened())
        else:
            self.feed(robot_id, LinkClosed(self._reason))

    def remove(self, robot_id: str) -> None:
        session, _ = self._robots[robot_id]
        farewell = session.farewell()
        self.feed(robot_id, LinkClosed("stopped"))
        line = self._goal_lines.pop(robot_id, None)
        if line is not None:
            line.stop()
        del self._robots[robot_id]
        for topic in session.topics:
            self._by_topic[topic].remove(robot_id)
            if not self._by_topic[topic]:
                del self._by_topic[topic]
        for frame in farewell:
            self._factory.send(frame)

    def stop(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        self._factory.stop()

    def feed(self, robot_id: str, event: Event) -> None:
        entry = self._robots.get(robot_id)
        if entry is None:
            return
        session, sink = entry
        for output in session.handle(steady_epoch_s(), event):
            if isinstance(output, Send):
                frame = output.frame
                line = self._goal_lines.get(robot_id)
                if line is not None and frame["op"] == "send_action_goal":
                    line.send(frame)
                    continue
                if frame["op"] in ("call_service", "send_action_goal"):
                    self._by_call[frame["id"]] = robot_id
                self._factory.send(frame)
            else:
                if isinstance(output, Ended) and robot_id in self._goal_lines:
                    self._loop.call_soon(self._end_of_goal, robot_id, output.command_id)
                sink(robot_id, output)

    def _open_goal_line(self, robot_id: str) -> None:
        self._goal_lines[robot_id] = _GoalLine(
            self.address, lambda event: self.feed(robot_id, event)
        )

    def _end_of_goal(self, robot_id: str, command_id: str) -> None:
        line = self._goal_lines.get(robot_id)
        if line is not None and line.is_stuck_by(command_id):
            line.stop()
            self._open_goal_line(robot_id)

    def on_open(self) -> None:
        self._open = True
        self._by_call.clear()
        for robot_id in list(self._robots):
            self.feed(robot_id, LinkOpened())

    def on_close(self, reason: str) -> None:
        self._open = False
        self._reason = reason
        for robot_id in list(self._robots):
            self.feed(robot_id, LinkClosed(reason))

    def on_refused(self, reason: str) -> None:
        if reason != self._reason:
            self.on_close(reason)

    def on_payload(self, payload: bytes) -> None:
        try:
            frame = decode_frame(payload)
        except BadMessage as cause:
            LOGGER.warning("%s sent a frame that is %s", self.host, cause)
            return
        for robot_id in self._receivers(frame):
            self.feed(robot_id, FrameIn(frame))

    def _receivers(self, frame: Frame) -> list[str]:
        op, ident = frame["op"], str(frame.get("id"))
        if op == "publish":
            topic = absolute(str(frame.get("topic")))
            return list(self._by_topic.get(topic, ()))
        if op == "service_response":
            asker = self._by_call.pop(ident, None)
            return [] if asker is None else [asker]
        owner = self._by_call.get(ident)
        return list(self._robots) if owner is None else [owner]

    def _tick(self) -> None:
        if self._factory._stop:
            return
        for robot_id in list(self._robots):
            self.feed(robot_id, Tick())
        self._ticking = self._loop.call_later(TICK_S, self._tick)
