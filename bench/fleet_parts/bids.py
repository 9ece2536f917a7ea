"""How many bids a second one process answers."""

from __future__ import annotations

import random
import time

from bench.fleet_parts.floors import warehouse
from fleet.charging import Energy, Stations
from fleet.dispatch import Bidder, Bids
from fleet.model import World
from fleet.roads import make_roadmaps
from fleet.storage import Storage
from fleet.tasks import Task, transport_task


def floor(world: World) -> Bids:
    """The parts that answer, with all driving times known."""
    roadmaps = make_roadmaps(world)
    energy = Energy(world, roadmaps, Stations(world))
    for roadmap in roadmaps.values():
        for name in roadmap.names:
            roadmap.times_from(name)
    return Bids(world, roadmaps, Storage(world), energy)


def bidders_of(world: World, draw: random.Random) -> list[Bidder]:
    places = list(world.places)
    return [
        Bidder(
            id=robot,
            type=world.type_of(robot),
            place=draw.choice(places),
            ready_at=draw.random() * 60.0,
            percent=16.0 + draw.random() * 84.0,
        )
        for robot in world.robots
    ]


def tasks_of(world: World, count: int, draw: random.Random) -> list[Task]:
    places = (*world.storage, *world.inputs)
    ends = (*world.storage, *world.outputs)
    return [
        transport_task(
            f"t{number}",
            draw.choice(places),
            draw.choice(ends),
            package_type=draw.choice(("box", "box", "pallet")),
        )
        for number in range(count)
    ]


def measure() -> dict[str, float]:
    """``bids_per_s``: full bids with storage, battery and charging, one by one."""
    draw = random.Random(1)
    world = warehouse(80.0, 50.0, robots=50, per_rack=3)
    bids = floor(world)
    bidders, tasks = bidders_of(world, draw), tasks_of(world, 200, draw)
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        offers = [bids.ask(bidder, task) for task in tasks for bidder in bidders]
        taken_s = time.process_time() - start
        best = max(best, len(offers) / taken_s)
    assert any(offer.zone for offer in offers)
    assert any(offer.why_not for offer in offers)
    return {"bids_per_s": round(best)}
