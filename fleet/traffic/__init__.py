"""Traffic: many robots on one floor without contact and without deadlock."""

from fleet.traffic.choosing import traffic_for
from fleet.traffic.free import FreeTraffic
from fleet.traffic.port import Arrived, Go, Stuck, Traffic, Waypoint

__all__ = [
    "Arrived",
    "FreeTraffic",
    "Go",
    "Stuck",
    "Traffic",
    "Waypoint",
    "traffic_for",
]
