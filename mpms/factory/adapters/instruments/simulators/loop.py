"""Servers on an event loop of their own, in a thread, so that anybody can play."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any

from mpms.factory.adapters.instruments.extra import library

Serving = Callable[[], AbstractAsyncContextManager[int]]


@contextmanager
def served(serving: Serving) -> Iterator[int]:
    """The port that it listens on, as long as the block runs."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def run(what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, loop).result(30)

    manager = serving()
    try:
        port = run(manager.__aenter__())
        try:
            yield port
        finally:
            run(manager.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


Answering = Callable[[str], str | None]


def lines_served(answer: Answering, port: int = 0) -> Serving:
    """Lines in, lines out; None hangs up without a word."""

    @asynccontextmanager
    async def serving() -> Any:
        writers: set[asyncio.StreamWriter] = set()

        async def talk(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writers.add(writer)
            try:
                while line := await reader.readline():
                    said = answer(line.decode("ascii", "replace").strip())
                    if said is None:
                        return
                    writer.write(said.encode("ascii") + b"\r\n")
                    await writer.drain()
            except OSError:
                return
            finally:
                writers.discard(writer)
                writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", port)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for writer in list(writers):
                writer.close()

    return serving


Words = Callable[[], list[int]]
Written = Callable[[int, list[int]], None]


def registers_served(words: Words, written: Written, port: int = 0) -> Serving:
    """Holding registers from 0, made anew for each question."""

    @asynccontextmanager
    async def serving() -> Any:
        simulator = library("pymodbus.simulator")
        made = library("pymodbus.server").ModbusTcpServer
        count = len(words())

        async def play(
            _function: int,
            _start: int,
            address: int,
            _count: int,
            registers: list[int],
            values: list[int] | None,
        ) -> None:
            if values:
                written(address, list(values))
            registers[:] = words()

        data = simulator.SimData(
            0, count=count, values=0, datatype=simulator.DataType.REGISTERS
        )
        device = simulator.SimDevice(id=1, simdata=[data], action=play)
        server = made(device, address=("127.0.0.1", port))
        await server.serve_forever(background=True)
        try:
            yield server.transport.sockets[0].getsockname()[1]
        finally:
            await server.shutdown()

    return serving
