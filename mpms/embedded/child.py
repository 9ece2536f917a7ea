"""What both embedded mail servers do as child processes.

They serve on a socket that the supervisor opened, say ``ready``, and end when the
supervisor does: its end of their standard input closes, however it died.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable

Serve = Callable[[socket.socket], Awaitable[asyncio.Server]]


async def serve_until_told(serve: Serve, listening: int) -> None:
    """Serve on an inherited socket until the supervisor or a signal ends it."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    loop.add_reader(sys.stdin.fileno(), told.set)
    with socket.socket(fileno=listening) as sock:
        server = await serve(sock)
        print("ready", flush=True)
        await told.wait()
        server.close()
