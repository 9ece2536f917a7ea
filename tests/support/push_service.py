"""A push service that does what those of the browsers do, and a browser's keys."""

from __future__ import annotations

import base64
import http.server
import os
import threading
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mpms.ports.alerts import Subscription


class Browser:
    """Its keys, and what it can read with them."""

    def __init__(self, endpoint: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._secret = os.urandom(16)
        self.point = self._key.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        self.subscription = Subscription(
            endpoint, _text(self.point), _text(self._secret)
        )

    def read(self, body: bytes) -> bytes:
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        theirs, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(body) <= size
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        shared = self._key.exchange(ec.ECDH(), sender)
        info = b"WebPush: info\0" + self.point + theirs
        ikm = _derived(shared, self._secret, info, 32)
        key = _derived(ikm, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(ikm, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, sealed, None)
        text, mark, padding = padded.rpartition(b"\x02")
        assert mark
        assert not padding.strip(b"\0")
        return text


class PushService:
    """Keeps what is posted, after checking who posts; answers as it is told."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, Mapping[str, str], bytes]] = []
        self.status = 201
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.posts.append((self.path, headers, body))
                self.send_response(service.status)
                if 300 <= service.status < 400:
                    self.send_header("Location", f"{service.address}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                return

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def browser(self, name: str = "one") -> Browser:
        return Browser(f"{self.address}/push/{name}")

    def claims(self, post: int = 0) -> dict[str, Any]:
        """Who posted, proven by the key that the post names."""
        words = self.posts[post][1]["authorization"]
        assert words.startswith("vapid t=")
        token, _, key = words.removeprefix("vapid t=").partition(", k=")
        point = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        return {
            "k": key,
            **jwt.decode(token, public, algorithms=["ES256"], audience=self.address),
        }

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
