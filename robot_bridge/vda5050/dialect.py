"""Versions 2.1 and 3.0 of VDA 5050: the same things under other names.

Version 2.0 is read as 2.1, which only adds to it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    version: str
    root: str
    """The topics' beginning, before maker and serial number."""
    position: str
    localised: str
    power: str
    charge: str
    emergency_stop: str
    broken: str
    """The connection state of the last will."""
    edges_name_nodes: bool


V2 = Dialect(
    version="2.1.0",
    root="uagv/v2",
    position="agvPosition",
    localised="positionInitialized",
    power="batteryState",
    charge="batteryCharge",
    emergency_stop="eStop",
    broken="CONNECTIONBROKEN",
    edges_name_nodes=True,
)
V3 = Dialect(
    version="3.0.0",
    root="vda5050/v3",
    position="mobileRobotPosition",
    localised="localized",
    power="powerSupply",
    charge="stateOfCharge",
    emergency_stop="activeEmergencyStop",
    broken="CONNECTION_BROKEN",
    edges_name_nodes=False,
)


def dialect_of(version: str) -> Dialect | None:
    return {"2": V2, "3": V3}.get(version.partition(".")[0])
