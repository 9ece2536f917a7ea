"""What people may ask of a trial warehouse, and its state as pages draw it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import MpmsError, NotFound
from mpms.factory.ports.trial_warehouse import PRESETS, TrialWarehouse

NEAR_M = 0.3


class PresetUnknown(NotFound):
    """There is no such preset: small, medium and large are there."""


class NothingToLift(MpmsError):
    """There is no storage unit where the robot stands."""


class NothingCarried(MpmsError):
    """The robot carries nothing."""


class OrderUnclear(MpmsError):
    """Say where the robot should drive, in metres."""


def launch_trial(trial: TrialWarehouse, preset: str) -> str:
    """PresetUnknown, TrialFailed."""
    if preset not in PRESETS:
        raise PresetUnknown
    return trial.launch(preset)


def line_of(state: Mapping[str, Any], act: str, robot: str, x: str, y: str) -> str:
    """A button of the page as a command of the warehouse.

    OrderUnclear, NothingToLift, NothingCarried.
    """
    if act in ("cw", "ccw"):
        return f"rot {act} {robot}"
    known = next((each for each in state["robots"] if each["id"] == robot), None)
    if known is None:
        raise OrderUnclear(f"There is no robot {robot}.")
    if act == "lift":
        here = (known["x_m"], known["y_m"])
        for unit in state["storage_units"]:
            if math.dist(here, (unit["x_m"], unit["y_m"])) < NEAR_M:
                return f"lift 1 {robot} {unit['id']}"
        raise NothingToLift
    if act == "drop":
        if not known["carries"]:
            raise NothingCarried
        return f"lift 0 {robot} {known['carries']}"
    try:
        spot = float(x.replace(",", ".")), float(y.replace(",", "."))
    except ValueError:
        raise OrderUnclear from None
    if not all(map(math.isfinite, spot)):
        raise OrderUnclear
    return f"mov {spot[0]:g} {spot[1]:g} {robot}"
