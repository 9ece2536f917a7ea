"""Web push: a message that only one browser can read, posted to its push service.

RFC 8030 is the post; ``push_keys`` has the rest and is loaded with the first device,
because most workers never meet one. The usual library brings an HTTP client that
follows redirects and resolves names by itself; here the address that was checked is the
address that is connected to, because a browser says where to post and our worker stands
inside the plant's network.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from urllib.parse import urlsplit

from mpms.domain.addresses import ip_address, is_public
from mpms.domain.alerts.push_endpoints import EndpointRefused, check_endpoint
from mpms.ports.alerts import PushGone, PushRefused, PushUnavailable, Subscription

TIMEOUT_S = 15.0
TTL_S = 6 * 3600  # an alert of yesterday's shift helps nobody
SIGNED_S = 12 * 3600
MOST_BYTES = 3900  # of a message, so that every push service takes it
GONE = (404, 410)


class WebPusher:
    """Implements Pusher. ``contact``: a mailto: or https: address of the plant."""

    def __init__(
        self,
        contact: str,
        *,
        timeout_s: float = TIMEOUT_S,
        allow_loopback: bool = False,
    ) -> None:
        self._contact = contact
        self._timeout_s = timeout_s
        self._allow_loopback = allow_loopback  # a push service of a test

    def new_key(self) -> bytes:
        from mpms.adapters import push_keys

        return push_keys.new_key()

    def public_key(self, private_key: bytes) -> str:
        from mpms.adapters import push_keys

        return push_keys.public_key(private_key)

    def send(self, private_key: bytes, to: Subscription, message: bytes) -> None:
        """PushUnavailable, PushGone, PushRefused."""
        from mpms.adapters import push_keys

        try:
            body = push_keys.encrypt(message[:MOST_BYTES], to)
        except ValueError as error:
            raise PushRefused(f"the keys of the browser cannot be used: {error}") from (
                error
            )
        who = push_keys.vapid(private_key, self._claims(to))
        status, reason = self._post(to.endpoint, body, who)
        if 200 <= status < 300:
            return
        if status in GONE:
            raise PushGone(f"the push service answered {status}")
        told = f"the push service answered {status} {reason}".strip()
        if status == 429 or status >= 500:
            raise PushUnavailable(told)
        raise PushRefused(told)

    def _claims(self, to: Subscription) -> dict[str, object]:
        parts = urlsplit(to.endpoint)
        return {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(time.time()) + SIGNED_S,
            "sub": self._contact,
        }

    def _post(self, endpoint: str, body: bytes, who: str) -> tuple[int, str]:
        """One request, no redirects: the answer is all that counts."""
        parts = urlsplit(endpoint)
        connection = self._connect(endpoint)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        headers = {
            "Authorization": who,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(TTL_S),
            "Urgency": "high",
        }
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read(1 << 16)
        except (OSError, http.client.HTTPException) as error:
            raise PushUnavailable(f"{parts.hostname}: {error}") from error
        finally:
            connection.close()
        return answer.status, answer.reason

    def _connect(self, endpoint: str) -> http.client.HTTPConnection:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
        inside = self._allow_loopback and host in ("127.0.0.1", "localhost")
        if not inside:
            try:
                check_endpoint(endpoint)
            except EndpointRefused as refused:
                raise PushRefused(str(refused)) from refused
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        connection = http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        try:
            wire = self._dial(host, port, inside)
            if secure:
                context = ssl.create_default_context()
                wire = context.wrap_socket(wire, server_hostname=host)
        except OSError as error:
            raise PushUnavailable(f"{host}: {error}") from error
        connection.sock = wire
        return connection

    def _dial(self, host: str, port: int, inside: bool) -> socket.socket:
        """Connect to the very addresses that were checked: a name may be resolved to
        something else a moment later."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(each[4][0]) for each in found]
        if not inside and not all(is_public(ip_address(each)) for each in addresses):
            raise PushRefused(f"{host} lies inside a network; it is not posted to")
        failure: OSError | None = None
        for address in addresses:
            try:
                return socket.create_connection((address, port), self._timeout_s)
            except OSError as error:
                failure = error
        raise failure or OSError("no address")
