"""A program of somebody else that is told of events."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """A program of somebody else; ``status`` is what it answers next."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        self.hang = threading.Event()
        self.hang.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                receiver.hang.wait(60)
                self.send_response(receiver.status)
                if 300 <= receiver.status < 400:
                    self.send_header("Location", f"{receiver.url}/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def kinds(self) -> list[str]:
        return [json.loads(body)["type"] for _, body in self.got]

    @property
    def ids(self) -> list[int]:
        return [json.loads(body)["data"]["id"] for _, body in self.got]

    def close(self) -> None:
        self.hang.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
