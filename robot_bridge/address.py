"""Which addresses a robot may be spoken to at.

rosbridge has no usable authentication and a goal moves a machine. So an unencrypted
connection leaves this machine only where the profile names the host; everything
else goes over TLS with a certificate that is checked.
"""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from robot_bridge.profiles import Profile
from robot_bridge.tls import SYSTEM, TlsFiles, TlsUnusable


class UnsafeAddress(ValueError):
    """A robot's address that is malformed or may not be used."""


@dataclass(frozen=True, slots=True)
class Address:
    url: str
    files: TlsFiles = SYSTEM

    @property
    def secure(self) -> bool:
        return self.url.startswith("wss:")

    def tls(self) -> ssl.SSLContext | None:
        if not self.secure:
            return None
        return self.files.context()


def check_address(url: str, profile: Profile, tls: TlsFiles = SYSTEM) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as cause:
        raise UnsafeAddress(f"robot address {url!r}: {cause}") from None
    if parts.scheme not in ("ws", "wss") or not host:
        raise UnsafeAddress(
            f"robot address {url!r}: write ws://host:port or wss://host:port"
        )
    if port == 0:
        raise UnsafeAddress(f"robot address {url!r}: port 0 does not exist")
    if parts.scheme == "wss":
        check_files(tls)
        return Address(url, tls)
    if not is_loopback(host) and host not in profile.allow_plain_ws:
        raise UnsafeAddress(
            f"robot address {url!r} is not encrypted and leaves this machine; "
            f"use wss://, or name {host} under allow_plain_ws in profile {profile.name}"
        )
    return Address(url)


def check_files(tls: TlsFiles) -> None:
    """UnsafeAddress names what is wrong with them."""
    try:
        tls.check()
    except TlsUnusable as cause:
        raise UnsafeAddress(str(cause)) from None


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
