"""The simulator on the network: a rosbridge server on WebSockets.

All protocol lives in the sessions; here is only what needs sockets: a reader and
a writer per connection, one ticker, and the faults that concern connections.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, TypeVar

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from shopfloor.sim.links import EVERYTHING
from shopfloor.sim.session import Session
from shopfloor.sim.simulation import Simulation

TICK_S = 0.02
LARGEST_FRAME_BYTES = 64 * 1024 * 1024
CLOSE_TIMEOUT_S = 1.0

_QUIET = logging.getLogger("shopfloor.sim.websocket")
_QUIET.propagate = False
_QUIET.setLevel(logging.CRITICAL + 1)

T = TypeVar("T")


class RosbridgeServer:
    def __init__(
        self,
        simulation: Simulation,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        deflate: bool = False,
    ) -> None:
        self.simulation = simulation
        self._host = host
        self._port = port
        self._deflate = deflate
        self._server: Server | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._thawed = asyncio.Event()
        self._thawed.set()
        self._open: dict[ServerConnection, Session] = {}
        simulation.on_fault = self._apply_link_faults

    @property
    def port(self) -> int:
        if self._server is None:
            raise RuntimeError("the server does not listen yet")
        return int(next(iter(self._server.sockets)).getsockname()[1])

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"ws://{host}:{self.port}"

    async def start(self) -> None:
        """Listen. Raises OSError if the address cannot be had."""
        self._server = await serve(
            self._converse,
            self._host,
            self._port,
            compression="deflate" if self._deflate else None,
            max_size=LARGEST_FRAME_BYTES,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            process_request=self._admit,
            logger=_QUIET,
            server_header=None,
        )
        self._ticker = asyncio.create_task(self._tick())

    async def wait(self) -> None:
        """Until the simulation fails; normally for ever."""
        if self._ticker is not None:
            await self._ticker

    async def stop(self) -> None:
        self._thawed.set()
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
        for connection in self._open:
            connection.transport.resume_reading()
        if self._server is not None:
            self._server.close()
            closed = asyncio.ensure_future(self._server.wait_closed())
            await asyncio.wait([closed], timeout=CLOSE_TIMEOUT_S)
            for connection in list(self._open):
                connection.transport.abort()
            await closed

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            self._apply_link_faults()
            self.simulation.step()
            due = max(due + TICK_S, loop.time())
            await asyncio.sleep(due - loop.time())

    def _apply_link_faults(self) -> None:
        links = self.simulation.links
        if links.frozen(EVERYTHING):
            self._thawed.clear()
            for connection in self._open:
                connection.transport.pause_reading()
        elif not self._thawed.is_set():
            self._thawed.set()
            for connection in self._open:
                connection.transport.resume_reading()
        for connection, session in list(self._open.items()):
            touched = session.touched
            if links.cut(EVERYTHING) or (touched and all(map(links.cut, touched))):
                connection.transport.abort()

    async def _admit(
        self, connection: ServerConnection, _request: Request
    ) -> Response | None:
        await self._thawed.wait()
        if self.simulation.links.cut(EVERYTHING):
            connection.transport.abort()
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "link cut\n")
        return None

    async def _converse(self, connection: ServerConnection) -> None:
        session = self.simulation.connect(str(connection.remote_address[0]))
        self._open[connection] = session
        room = asyncio.Event()
        writer = asyncio.create_task(self._write(connection, session, room))
        try:
            while True:
                frame = await connection.recv()
                await self._thawed.wait()
                session.receive(frame)
                while session.outbox.full and not writer.done():
                    room.clear()
                    await room.wait()
        except ConnectionClosed:
            pass
        finally:
            writer.cancel()
            del self._open[connection]
            self.simulation.disconnect(session)
            with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                await writer

    async def _write(
        self, connection: ServerConnection, session: Session, room: asyncio.Event
    ) -> None:
        outbox = session.outbox
        filled = asyncio.Event()
        outbox.wake = filled.set
        try:
            while True:
                frame = outbox.peek()
                if frame is None:
                    filled.clear()
                    await filled.wait()
                    continue
                await self._thawed.wait()
                if connection.transport.is_closing():
                    return  # cut; the reader hears of it next
                await connection.send(frame)
                outbox.sent()
                if not outbox.full:
                    room.set()
        finally:
            room.set()


class RunningSimulator:
    """A simulator on a thread of its own, for tests and notebooks."""

    def __init__(self, simulation: Simulation, **options: Any) -> None:
        self.simulation = simulation
        self.url = ""
        self.port = 0
        self._options = options
        self._loop = asyncio.new_event_loop()
        self._ready: Future[None] = Future()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(
            target=self._run, name="rosbridge-simulator", daemon=True
        )

    def start(self) -> None:
        self._thread.start()
        self._ready.result()

    def stop(self) -> None:
        """End it and wait; a second call does nothing."""
        if self._stop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self.simulation.trace.close()

    def fault(self, command: str) -> str:
        return self.do(lambda: self.simulation.fault(command))

    def state(self) -> dict[str, Any]:
        return self.do(self.simulation.state)

    def robot(self, robot_id: str) -> dict[str, Any]:
        listed = self.state()["robots"]
        return dict(next(robot for robot in listed if robot["id"] == robot_id))

    def do(self, action: Callable[[], T]) -> T:
        """Run something where the simulation lives and wait for the answer."""

        async def run() -> T:
            return action()

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result()

    def _run(self) -> None:
        try:
            with contextlib.closing(self._loop):
                self._loop.run_until_complete(self._serve())
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = RosbridgeServer(self.simulation, **self._options)
        await server.start()
        self.url, self.port = server.url, server.port
        self._ready.set_result(None)
        await until_first(self._stop.wait(), server.wait())
        await server.stop()


async def until_first(*waits: Awaitable[Any]) -> None:
    """Until one ends; its failure is raised."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()


@contextlib.contextmanager
def running(
    simulation: Simulation | None = None, **options: Any
) -> Iterator[RunningSimulator]:
    """``with running(Simulation(world)) as sim: connect(sim.url)``."""
    simulator = RunningSimulator(simulation or Simulation(), **options)
    simulator.start()
    try:
        yield simulator
    finally:
        simulator.stop()
