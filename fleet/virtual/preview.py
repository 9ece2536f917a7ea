"""A world seen with some robots before it is used: do they get their work done?

Packages come and go where there is a storage; else robots carry loads between places.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from fleet.events import Submitted
from fleet.fleet import Fleet
from fleet.model.world import World
from fleet.tasks import transport_task
from fleet.virtual.plant import Plant
from fleet.virtual.trial import Trial, new_trial
from fleet.virtual.twins import NoRoom, with_more_robots

ROBOTS = 10
PREVIEW_S = 600.0
STEP_S = 0.5
FRAME_S = 2.0
RATE_PER_S = 0.08
OPEN_AT_ONCE = 8


@dataclass
class Preview:
    """Figures, and where every robot was, frame by frame."""

    robots: int
    simulated_s: float
    done: int = 0
    open: int = 0
    contacts: int = 0
    deadlocks: int = 0
    lowest_percent: float = 100.0
    driven_m: float = 0.0
    alerts: list[str] = field(default_factory=list)
    note: str = ""
    frame_s: float = FRAME_S
    names: list[str] = field(default_factory=list)
    radii_m: list[float] = field(default_factory=list)
    frames: list[list[float]] = field(default_factory=list)  # x, y of each robot

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def preview_world(
    world: World,
    *,
    robots: int = ROBOTS,
    for_s: float = PREVIEW_S,
    seed: int = 1,
    progress: Callable[[float], None] = lambda share: None,
) -> Preview:
    """With at least so many robots, where there is room for them."""
    note = ""
    try:
        world = with_more_robots(world, robots)
    except NoRoom as full:
        note = str(full)
    stores = bool(world.packages and world.storage and world.inputs and world.outputs)
    fleet = Fleet(world)
    if stores:
        trial = new_trial(fleet, seed, RATE_PER_S, STEP_S)
    else:
        trial = Trial(fleet, Plant(world), step_s=STEP_S)
    draw = random.Random(seed)  # noqa: S311
    bodies = list(trial.plant.robots.values())
    shown = Preview(len(bodies), for_s, note=note, names=[body.id for body in bodies])
    shown.radii_m = [body.type.radius_m for body in bodies]
    frame_at = number = 0
    while trial.now < for_s:
        if not stores:
            number = _keep_busy(trial, draw, number)
        trial.step()
        if trial.now >= frame_at * FRAME_S:
            frame_at += 1
            spots = [(round(body.x_m, 2), round(body.y_m, 2)) for body in bodies]
            shown.frames.append([value for spot in spots for value in spot])
            progress(trial.now / for_s)
    shown.done = sum(trial.done.get(k, 0) for k in ("store", "retrieve", "transport"))
    shown.open = sum(1 for task in fleet.pool.open() if not task.dispensable)
    shown.contacts = len(trial.plant.contacts)
    shown.deadlocks = int(getattr(fleet.traffic, "deadlocks", 0))
    shown.lowest_percent = round(trial.lowest_percent, 1)
    shown.driven_m = round(sum(body.driven_m for body in bodies), 1)
    told = [f"{each.about}: {each.kind} {each.text}".strip() for each in trial.alerts]
    shown.alerts = list(dict.fromkeys(told))[:20]
    return shown


def _keep_busy(trial: Trial, draw: random.Random, number: int) -> int:
    """Loads between places where nobody rests or charges."""
    world = trial.fleet.world
    used = {robot.home for robot in world.robots.values()}
    used |= {place for zone in world.charging.values() for place in zone.places}
    places = [place for place in world.places if place not in used]
    if len(places) < 2:
        places = list(world.places)
    while len(places) > 1:
        if sum(1 for t in trial.fleet.pool.open() if not t.dispensable) >= OPEN_AT_ONCE:
            break
        number += 1
        a, b = draw.sample(places, 2)
        if not trial.tell(Submitted(transport_task(f"transport/{number}", a, b))):
            break
    return number
