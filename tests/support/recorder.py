"""A proxy between workers and robots."""

from __future__ import annotations

import ssl
import threading
from contextlib import suppress

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve


class Recorder:
    """A proxy that remembers every frame between the workers and the simulator."""

    def __init__(self, upstream: str, tls: ssl.SSLContext | None = None) -> None:
        self._upstream = upstream
        self.frames: list[tuple[str, str]] = []  # (direction, frame), as they came
        self._server = serve(self._relay, "127.0.0.1", 0, compression=None, ssl=tls)
        port = self._server.socket.getsockname()[1]
        scheme = "ws" if tls is None else "wss"
        self.url = f"{scheme}://127.0.0.1:{port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def _relay(self, client: ServerConnection) -> None:
        with connect(self._upstream, compression=None) as robot:

            def answers() -> None:
                with suppress(ConnectionClosed):
                    for frame in robot:
                        self.frames.append(("from robot", str(frame)))
                        client.send(frame)

            back = threading.Thread(target=answers)
            back.start()
            with suppress(ConnectionClosed):
                for frame in client:
                    self.frames.append(("to robot", str(frame)))
                    robot.send(frame)
            robot.close()
            back.join()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
