"""Six robots that drive freely, in two worlds: what planning their traffic is worth.

The same fleet without planning either stops for whoever is in front of it, or for
nobody; the plant counts contacts.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import Any

from fleet.fleet import Fleet
from fleet.model import World
from fleet.model.reading import read_world
from fleet.roads import make_roadmaps
from fleet.traffic import FreeTraffic
from fleet.virtual import Plant, Trial
from fleet.virtual.load import Draw, between_halls, keep_busy, to_tanks
from fleet.virtual.twins import with_more_robots

WORLDS = Path(__file__).resolve().parents[2] / "worlds"
ROBOTS = 6
ENDS: dict[str, Draw] = {"narrow_corridor": between_halls, "paint_factory": to_tanks}
HOURS = 1.0


def measure(hours: float = HOURS) -> dict[str, Any]:
    """Transports an hour, contacts, deadlocks; and how much faster than real time."""
    figures: dict[str, Any] = {"free_hours": hours}
    for name, ends in ENDS.items():
        world = world_of(name)
        began = time.process_time()
        planned, trial = run(world, ends, hours)
        taken_s = time.process_time() - began
        traffic = trial.fleet.traffic
        assert isinstance(traffic, FreeTraffic)
        careful, _ = run(world, ends, hours, planned=False)
        careless, hit = run(world, ends, hours, planned=False, careful=False)
        figures |= {
            f"free_{name}_transports_per_h": round(planned / hours, 1),
            f"free_{name}_contacts": len(trial.plant.contacts),
            f"free_{name}_deadlocks": traffic.deadlocks,
            f"free_{name}_times_real_time": round(3600.0 * hours / taken_s),
            f"free_{name}_unplanned_transports_per_h": round(careful / hours, 1),
            f"free_{name}_careless_transports_per_h": round(careless / hours, 1),
            f"free_{name}_careless_contacts": len(hit.plant.contacts),
        }
    return figures


def world_of(name: str) -> World:
    files = sorted((WORLDS / name).glob("*.yaml"))
    world = read_world({f.name: f.read_text(encoding="utf-8") for f in files})
    return with_more_robots(world, ROBOTS)


def run(
    world: World,
    ends: Draw,
    hours: float,
    *,
    planned: bool = True,
    careful: bool = True,
) -> tuple[int, Trial]:
    roadmaps = make_roadmaps(world)
    traffic = FreeTraffic(world, roadmaps, planned=planned)
    fleet = Fleet(world, roadmaps=roadmaps, traffic=traffic)
    plant = Plant(world, careful=careful and not planned)
    trial = Trial(fleet, plant, step_s=1.0 if planned else 0.5)
    return keep_busy(trial, 3600.0 * hours, random.Random(4), ends), trial


if __name__ == "__main__":
    print(measure(float(sys.argv[1]) if len(sys.argv) > 1 else HOURS))
