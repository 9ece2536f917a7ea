"""Trials of the whole fleet in virtual time, with everything that goes wrong."""

from __future__ import annotations

from functools import cache

from fleet import events as ev
from fleet.fleet import Fleet
from fleet.roads import Roadmap, make_roadmaps
from fleet.traffic import FreeTraffic
from fleet.virtual import Trial
from fleet.virtual.trial import new_trial
from tests.support.warehouses import shipped

ZONE = ((9.0, 6.0), (11.0, 6.0), (11.0, 8.0), (9.0, 8.0))


@cache
def roads_of(name: str) -> dict[str, Roadmap]:
    """Roads of a shipped world, made once for all tests."""
    return make_roadmaps(shipped(name))


def warehouse_trial(
    seed: int, *, rate_per_s: float = 0.05, step_s: float = 1.0
) -> Trial:
    world = shipped("warehouse_small")
    fleet = Fleet(world, roadmaps=roads_of("warehouse_small"))
    trial = new_trial(fleet, seed, rate_per_s, step_s)
    for number, robot in enumerate(trial.plant.robots.values()):
        robot.percent = 22.0 + 8.0 * number
    return trial


def traffic_of(trial: Trial) -> FreeTraffic:
    assert isinstance(trial.fleet.traffic, FreeTraffic)
    return trial.fleet.traffic


def run_disturbed(trial: Trial, for_s: float) -> None:
    """Delays, a dead robot, a closed zone, a dropped package, a blocked lane."""
    span_s = for_s / 10
    plant, robots = trial.plant, trial.plant.robots
    robots["tug3"].slow = 0.5
    trial.run(span_s)
    robots["tug1"].dead = True
    trial.tell(ev.Failed("tug1", "does not answer"))
    robots["lifter2"].slow = 0.7
    trial.run(span_s)
    trial.tell(ev.ZoneClosed("spill", ZONE))
    trial.run(span_s)
    robots["tug1"].dead = False
    trial.tell(ev.Recovered("tug1"))
    plant.drop_next.update(("tug2", "lifter1"))
    trial.run(span_s)
    trial.tell(ev.ZoneOpened("spill"))
    boxes = {"box": (3.6, 7.0, 0.3), "crate": (5.0, 12.0, 0.3), "bin": (3.5, 9.5, 0.3)}
    plant.obstacles.update(boxes)
    trial.run(2 * span_s)
    plant.drop_next.clear()
    bring_back(trial)
    plant.obstacles.clear()
    robots["tug3"].slow = 1.0
    trial.run(4 * span_s)
    settle(trial)


def settle(trial: Trial) -> None:
    """No new demands, and time enough to do what is left."""
    assert trial.generator is not None
    trial.generator.stop()
    fallen = trial.plant.fallen
    for _ in range(30):
        bring_back(trial)
        trial.run(60.0, until=lambda: trial.idle() and not fallen)
        if trial.idle() and not fallen:
            break


def check_delivered(trial: Trial) -> None:
    """Everything delivered, nothing lost, nobody touched, stranded or stuck."""
    assert trial.idle()
    assert trial.plant.contacts == []
    assert trial.fleet.traffic.deadlocks == 0
    assert trial.lowest_percent > 5.0
    gone = [package for _, package in trial.delivered]
    everywhere = sorted([*trial.plant.packages(), *gone])
    assert everywhere == sorted(set(everywhere))
    again = sum(alert.kind == "package lost" for alert in trial.alerts)
    world = trial.fleet.world
    assert len(everywhere) == len(world.stock) + trial.came - again
    waiting = sum(1 for place in trial.plant.lying if place in world.outputs)
    without_stock = trial.fleet.storage.held
    assert not {kind for _, kind in without_stock} & set(trial.fleet.storage.stock())
    assert len(trial.delivered) + waiting + len(without_stock) == trial.wanted
    for zone in world.charging.values():
        assert trial.plant.max_charging.get(zone.id, 0) <= zone.capacity
    for robot in trial.plant.robots.values():
        assert robot.top_mps <= robot.type.speed_mps + 1e-9


def bring_back(trial: Trial) -> None:
    """A person carries what has fallen to an input that is free."""
    for package in list(trial.plant.fallen):
        kind, _, _ = trial.fleet.dropped[package]
        free = trial.fleet.storage.information().free_input
        if free:
            del trial.plant.fallen[package]
            trial.demand(ev.InputComing(free[0], package, kind))
