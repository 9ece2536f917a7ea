"""How many robots one fleet decides for in real time, with all in memory.

Every robot reports twice a second and has something to do; the time of the simulated
plant is not counted. ``realtime.py`` is the same with a worker and its database.
"""

from __future__ import annotations

import random
import time
from typing import Any

from bench.fleet_parts.floors import warehouse
from fleet import events as ev
from fleet.commands import Record
from fleet.fleet import Fleet
from fleet.tasks import Kind, Leg, Task
from fleet.virtual import Plant

STEP_S = 0.5
FOR_S = 60.0
WARM_S = 20.0
COUNTS = (50, 100, 150)
KEY = "robots_realtime_in_memory"


def measure() -> dict[str, Any]:
    """The largest number for which a second takes no more than a second."""
    figures: dict[str, Any] = {KEY: 0}
    for robots in COUNTS:
        share, longest_ms, done = busy_share(robots)
        figures |= {
            f"{KEY}_busy_{robots}": round(share, 3),
            f"{KEY}_longest_step_ms_{robots}": round(longest_ms),
            f"{KEY}_tasks_per_h_{robots}": round(3600.0 * done / FOR_S),
        }
        if share > 1.0:
            break
        figures[KEY] = robots
    return figures


def busy_share(robots: int) -> tuple[float, float, int]:
    """Share of the time that the fleet works, its longest step, and tasks done."""
    world = warehouse(90.0, 60.0, robots=robots, per_rack=3)
    fleet, plant = Fleet(world), Plant(world)
    draw = random.Random(2)
    number, now, spent_s, longest_s, done = 0, 0.0, 0.0, 0.0, 0
    events: list[ev.Event] = [robot.report() for robot in plant.robots.values()]
    while now < WARM_S + FOR_S:
        now += STEP_S
        busy = sum(1 for task in fleet.pool.open() if not task.dispensable)
        for _ in range(int(1.5 * robots) - busy):
            number += 1
            legs = [Leg(place) for place in draw.sample(world.storage, 2)]
            events.append(ev.Submitted(Task(f"m{number}", Kind.MOVE, legs)))
        began = time.process_time()
        records: list[Record] = []
        commands = []
        for event in (*events, ev.Tick()):
            answer = fleet.handle(now, event)
            commands += answer.commands
            records += answer.records
        took_s = time.process_time() - began
        if now > WARM_S:
            spent_s += took_s
            longest_s = max(longest_s, took_s)
            done += sum(getattr(record, "state", "") == "done" for record in records)
        plant.obey(now, commands)
        events = list(plant.step(now, STEP_S))
    assert not plant.contacts, plant.contacts
    return spent_s / FOR_S, 1000.0 * longest_s, done
