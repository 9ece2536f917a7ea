"""Where a vehicle is: the broker, its maker and its serial number.

``mqtt://broker:1883/<maker>/<serial>``, or ``mqtts://`` with a certificate that is
checked. MQTT without encryption leaves this machine only where the profile names the
broker: whoever reaches it drives the vehicles.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from robot_bridge.address import UnsafeAddress, check_files, is_loopback
from robot_bridge.tls import SYSTEM, TlsFiles
from robot_bridge.vda5050.profile import VehicleProfile

SCHEMES = ("mqtt://", "mqtts://")


def is_vehicle(url: str) -> bool:
    return url.startswith(SCHEMES)


def without_password(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@dataclass(frozen=True, slots=True)
class VehicleAddress:
    host: str
    port: int
    secure: bool
    maker: str
    serial: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    files: TlsFiles = SYSTEM

    def tls(self) -> ssl.SSLContext | None:
        if not self.secure:
            return None
        return self.files.context()


def check_vehicle_address(
    url: str, profile: VehicleProfile, tls: TlsFiles = SYSTEM
) -> VehicleAddress:
    """UnsafeAddress names what is wrong; it never shows a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as cause:
        raise UnsafeAddress(f"vehicle address: {cause}") from None
    shown = without_password(url)
    steps = [unquote(step) for step in parts.path.strip("/").split("/")]
    if not is_vehicle(url) or not host or len(steps) != 2 or not all(steps):
        raise UnsafeAddress(
            f"vehicle address {shown!r}: write mqtt://broker:1883/<maker>/<serial>"
        )
    if any(sign in step for step in steps for sign in "+#/$"):
        raise UnsafeAddress(f"vehicle address {shown!r}: +, #, / and $ are no names")
    secure = parts.scheme == "mqtts"
    if not secure and not is_loopback(host) and host not in profile.allow_plain_mqtt:
        raise UnsafeAddress(
            f"vehicle address {shown!r} is not encrypted and leaves this machine; use "
            f"mqtts://, or name {host} under allow_plain_mqtt in profile {profile.name}"
        )
    if secure:
        check_files(tls)
    return VehicleAddress(
        host,
        port or (8883 if secure else 1883),
        secure,
        steps[0],
        steps[1],
        unquote(parts.username) if parts.username else None,
        unquote(parts.password) if parts.password else None,
        tls,
    )
