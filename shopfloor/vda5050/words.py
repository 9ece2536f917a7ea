"""The names of VDA 5050 that differ between versions 2.1 and 3.0, as a vehicle says
them."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Words:
    version: str
    root: str
    position: str
    localised: str
    power: str
    charge: str
    stop: str
    broken: str
    instant_apart: bool
    """Instant actions are told in a list of their own."""
    order_error: str
    update_error: str
    route_error: str
    no_order: str


VERSIONS = {
    "2.1.0": Words(
        version="2.1.0",
        root="uagv/v2",
        position="agvPosition",
        localised="positionInitialized",
        power="batteryState",
        charge="batteryCharge",
        stop="eStop",
        broken="CONNECTIONBROKEN",
        instant_apart=False,
        order_error="orderError",
        update_error="orderUpdateError",
        route_error="noRouteError",
        no_order="noOrderToCancel",
    ),
    "3.0.0": Words(
        version="3.0.0",
        root="vda5050/v3",
        position="mobileRobotPosition",
        localised="localized",
        power="powerSupply",
        charge="stateOfCharge",
        stop="activeEmergencyStop",
        broken="CONNECTION_BROKEN",
        instant_apart=True,
        order_error="INVALID_ORDER",
        update_error="OUTDATED_ORDER_UPDATE",
        route_error="NO_ROUTE_TO_TARGET",
        no_order="NO_ORDER_TO_CANCEL",
    ),
}
VERSIONS["2.0.0"] = replace(VERSIONS["2.1.0"], version="2.0.0")
