"""Web push: a message that only one browser can read, posted to its push service.

RFC 8030 (the post), RFC 8291 (the encryption) and RFC 8292 (who we are). The usual
library brings an HTTP client that follows redirects and resolves names by itself; here
the address that was judged is the address that is connected to, because a browser says
where to post and our worker stands inside the plant's network.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import ssl
import struct
import time
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mpms.domain.push_endpoints import EndpointRefused, check_endpoint, is_public
from mpms.ports.alerts import PushGone, PushRefused, PushUnavailable, Subscription

TIMEOUT_S = 15.0
TTL_S = 6 * 3600  # an alert of yesterday's shift helps nobody
SIGNED_S = 12 * 3600
RECORD_BYTES = 4096
MOST_BYTES = 3900  # of a message, so that every push service takes it
CURVE = ec.SECP256R1()
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
        return _scalar(ec.generate_private_key(CURVE))

    def public_key(self, private_key: bytes) -> str:
        return _text(_point(_private(private_key).public_key()))

    def send(self, private_key: bytes, to: Subscription, message: bytes) -> None:
        """PushUnavailable, PushGone, PushRefused."""
        try:
            body = encrypt(message[:MOST_BYTES], to)
        except ValueError as error:
            raise PushRefused(f"the keys of the browser cannot be used: {error}") from (
                error
            )
        status, reason = self._post(to.endpoint, body, self._vapid(private_key, to))
        if 200 <= status < 300:
            return
        if status in GONE:
            raise PushGone(f"the push service answered {status}")
        told = f"the push service answered {status} {reason}".strip()
        if status == 429 or status >= 500:
            raise PushUnavailable(told)
        raise PushRefused(told)

    def _vapid(self, private_key: bytes, to: Subscription) -> str:
        parts = urlsplit(to.endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(time.time()) + SIGNED_S,
            "sub": self._contact,
        }
        head = {"typ": "JWT", "alg": "ES256"}
        signed = ".".join(_text(json.dumps(part).encode()) for part in (head, claims))
        key = _private(private_key)
        signature = key.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = decode_dss_signature(signature)
        token = f"{signed}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
        return f"vapid t={token}, k={_text(_point(key.public_key()))}"

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
        """Connect to the very addresses that were judged: a name may be resolved to
        something else a moment later."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(each[4][0]) for each in found]
        if not inside and not all(is_public(address) for address in addresses):
            raise PushRefused(f"{host} lies inside a network; it is not posted to")
        failure: OSError | None = None
        for address in addresses:
            try:
                return socket.create_connection((address, port), self._timeout_s)
            except OSError as error:
                failure = error
        raise failure or OSError("no address")


def encrypt(message: bytes, to: Subscription) -> bytes:
    """One record of aes128gcm for this browser. ValueError: its keys are no keys."""
    browser = _bytes(to.p256dh)
    secret, salt = _bytes(to.auth), os.urandom(16)
    if len(secret) != 16:
        raise ValueError("the secret has not 16 bytes")
    once = ec.generate_private_key(CURVE)
    mine = _point(once.public_key())
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, browser)
    shared = once.exchange(ec.ECDH(), theirs)
    ikm = _derive(shared, secret, b"WebPush: info\0" + browser + mine, 32)
    key = _derive(ikm, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(ikm, salt, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(key).encrypt(nonce, message + b"\x02", None)
    return salt + struct.pack("!IB", RECORD_BYTES, len(mine)) + mine + sealed


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _private(scalar: bytes) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(scalar, "big"), CURVE)


def _scalar(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_numbers().private_value.to_bytes(32, "big")


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    plain = text.rstrip("=")
    return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))
