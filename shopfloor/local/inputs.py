"""What a pilot is given, checked before it is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shopfloor.control.commands import Cause
from shopfloor.geometry import Odometry, Scan, TagSeen
from shopfloor.lasers import LaserRefused, check_scan
from shopfloor.local.errors import PersonRefused
from shopfloor.local.people import check_people


def fault_of(
    odometry: Odometry | None, scans: Sequence[Scan], people: Sequence[TagSeen]
) -> tuple[Cause, str] | None:
    """The first thing that cannot be used, by name and in words."""
    if not scans:
        return Cause.NO_SCAN, "no laser was read"
    for scan in scans:
        try:
            check_scan(scan)
        except LaserRefused as error:
            named = f"{scan.laser}: " if scan.laser else ""
            return Cause.SCAN_UNUSABLE, f"{named}{error}"
    try:
        check_people(people)
    except PersonRefused as error:
        return Cause.TAG_UNUSABLE, str(error)
    if odometry is not None:
        speeds = (odometry.vx_mps, odometry.vy_mps, odometry.wz_radps)
        if not all(map(math.isfinite, speeds)):
            return Cause.ODOMETRY_UNUSABLE, f"the wheels report {speeds}"
    return None
