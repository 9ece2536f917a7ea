"""The keys of web push: who we are (RFC 8292) and what only one browser can read (RFC
8291). Apart from the post, because only a plant that alerts devices needs cryptography.
"""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Mapping

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mpms.ports.alerts import Subscription

RECORD_BYTES = 4096
CURVE = ec.SECP256R1()


def new_key() -> bytes:
    return _scalar(ec.generate_private_key(CURVE))


def public_key(private_key: bytes) -> str:
    return _text(_point(_private(private_key).public_key()))


def vapid(private_key: bytes, claims: Mapping[str, object]) -> str:
    """What a push service is told about us, and that it is true."""
    head = {"typ": "JWT", "alg": "ES256"}
    signed = ".".join(_text(json.dumps(part).encode()) for part in (head, claims))
    key = _private(private_key)
    signature = key.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(signature)
    token = f"{signed}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    return f"vapid t={token}, k={_text(_point(key.public_key()))}"


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
