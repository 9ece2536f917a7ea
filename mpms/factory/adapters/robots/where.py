"""Where a robot is spoken to: at the address of the settings, or at one of its own.

The world file says it where it differs: ``url`` of a robot that is not behind the
common server, ``namespace`` of one whose topics are not below its id ("" for the
root).
"""

from __future__ import annotations

from mpms.factory.domain.worlds import RobotInfo


def address_of(info: RobotInfo, url: str) -> str:
    return (info.url or url).replace("{robot}", info.id)


def namespace_of(info: RobotInfo, url: str) -> str | None:
    """None: as the profile says, because the server is the robot's own."""
    if info.namespace is not None:
        return info.namespace
    if info.url is not None or "{robot}" in url:
        return None
    return info.id
