"""What people, detectors and programs tell the fleet: words in, events of the core out.

One table says for each kind what it takes, for the inbox, the pages and the API alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fleet import events as ev
from fleet.model.world import Level
from mpms.domain.errors import MpmsError

Make = Callable[[Mapping[str, Any]], ev.Event]


class FleetToldNonsense(MpmsError):
    """What the fleet was told cannot be understood."""


def _corners(data: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in data["corners"])


KINDS: dict[str, Make] = {
    "detected": lambda d: ev.Detected(str(d["place"]), bool(d["present"])),
    "zone closed": lambda d: ev.ZoneClosed(str(d["zone"]), _corners(d)),
    "zone opened": lambda d: ev.ZoneOpened(str(d["zone"])),
    "lane locked": lambda d: ev.LaneLocked(str(d["lane"]), bool(d["locked"])),
    "door shut": lambda d: ev.DoorShut(str(d["door"]), bool(d["shut"])),
    "robot paused": lambda d: ev.RobotPaused(str(d["robot"]), bool(d["paused"])),
    "robot failed": lambda d: ev.Failed(str(d["robot"]), str(d["why"])),
    "robot recovered": lambda d: ev.Recovered(str(d["robot"])),
    "robot level": lambda d: ev.LevelSet(str(d["robot"]), Level(d["level"])),
    "load lost": lambda d: ev.LoadLost(str(d["robot"])),
    "task withdrawn": lambda d: ev.Withdrawn(str(d["task"]), bool(d.get("now", False))),
    "task paused": lambda d: ev.TaskPaused(str(d["task"]), bool(d["paused"])),
    "pulled over": lambda d: ev.PulledOver(bool(d["over"])),
    "stopped": lambda d: ev.Stopped(bool(d["stopped"])),
    "seen": lambda d: ev.Seen(
        str(d["id"]),
        float(d.get("x_m", 0.0)),
        float(d.get("y_m", 0.0)),
        float(d.get("radius_m", 0.3)),
        Level(d.get("level", Level.RESPECTED.value)),
    ),
}


def event_of(kind: str, data: Mapping[str, Any]) -> ev.Event:
    """FleetToldNonsense names what is wrong."""
    make = KINDS.get(kind)
    if make is None:
        known = ", ".join(KINDS)
        raise FleetToldNonsense(f"The fleet hears {known}, not {kind!r}.")
    try:
        return make(data)
    except KeyError as missing:
        raise FleetToldNonsense(f"{kind!r} lacks {missing}.") from None
    except (TypeError, ValueError) as wrong:
        raise FleetToldNonsense(f"{kind!r} cannot be understood: {wrong}.") from None
