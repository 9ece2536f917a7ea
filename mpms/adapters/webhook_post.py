"""Posts to addresses that somebody else chose.

Where a name leads is looked at when it is called, and the connection goes to the very
address that was looked at: a name that is public today may lead into the plant
tomorrow. Redirects are not followed, proxies not used, and a receiver that trickles
its answer is cut off.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from mpms.domain.addresses import Ip, ip_address, is_public
from mpms.domain.webhooks import PostFailed

LIMIT_S = 10.0


@dataclass(frozen=True)
class HttpPoster:
    """Hands one post over; ``private_allowed`` also inside the plant."""

    private_allowed: bool = False
    limit_s: float = LIMIT_S
    ca_file: Path | None = None

    def __call__(self, url: str, body: bytes, headers: dict[str, str]) -> None:
        """PostFailed names the cause."""
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            with self._connected(host, port, secure=secure) as link:
                connection = HTTPConnection(host, port, timeout=self.limit_s)
                connection.sock = link
                named = host if ":" not in host else f"[{host}]"
                usual = port == (443 if secure else 80)
                headers = {"Host": named if usual else f"{named}:{port}", **headers}
                headers["User-Agent"] = "mpms-webhooks"
                headers["Connection"] = "close"
                connection.request("POST", target, body, headers)
                status = connection.getresponse().status
        except TimeoutError:
            raise PostFailed(f"no answer within {self.limit_s:g} seconds") from None
        except ssl.SSLError as failure:
            raise PostFailed(f"no safe connection: {failure.reason}") from failure
        except (OSError, HTTPException) as failure:
            told = str(failure) or type(failure).__name__
            raise PostFailed(f"no connection: {told}") from failure
        if 300 <= status < 400:
            raise PostFailed(f"answered {status}; redirects are not followed")
        if not 200 <= status < 300:
            raise PostFailed(f"answered {status}")

    @contextmanager
    def _connected(
        self, host: str, port: int, *, secure: bool
    ) -> Iterator[socket.socket]:
        plain = socket.create_connection(
            (str(self._address(host, port)), port), self.limit_s
        )
        cut = threading.Timer(self.limit_s, _shut, (plain,))
        cut.daemon = True
        cut.start()
        link: socket.socket = plain
        try:
            if secure:
                context = ssl.create_default_context(
                    cafile=None if self.ca_file is None else str(self.ca_file)
                )
                link = context.wrap_socket(plain, server_hostname=host)
            yield link
        finally:
            cut.cancel()
            link.close()

    def _address(self, host: str, port: int) -> Ip:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(entry[4][0])) for entry in found]
        if not self.private_allowed:
            for address in addresses:
                if not is_public(address):
                    raise PostFailed(
                        f"{host} leads to {address}, which is no address of the"
                        " internet"
                    )
        return addresses[0]


def _shut(link: socket.socket) -> None:
    """Whoever waits for it in another thread is told that it has ended."""
    with suppress(OSError):
        link.shutdown(socket.SHUT_RDWR)
