"""What lasers see: exact rays on a map and among shapes, and simulated scans."""

from shopfloor.lasers.casting import box_segments, cast, cast_many, cast_segments
from shopfloor.lasers.errors import (
    LaserRefused,
    UnusableLaser,
    UnusablePose,
    UnusableScan,
    UnusableShapes,
)
from shopfloor.lasers.scanner import (
    FRONT,
    REAR,
    Laser,
    check_scan,
    front_and_rear,
    simulate_scan,
)

__all__ = [
    "FRONT",
    "REAR",
    "Laser",
    "LaserRefused",
    "UnusableLaser",
    "UnusablePose",
    "UnusableScan",
    "UnusableShapes",
    "box_segments",
    "cast",
    "cast_many",
    "cast_segments",
    "check_scan",
    "front_and_rear",
    "simulate_scan",
]
