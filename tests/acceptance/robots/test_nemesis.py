"""Links are cut, frozen and delayed and workers killed at random, from a seed.

However it goes, every goal ends in one truthful state, no robot has two goals at once
and no goal id is started twice. An independent checker compares both sides' records.
"""

from __future__ import annotations

import random
import signal
import time
from typing import Any

import pytest

from tests.support.robot_checker import violations
from tests.support.robot_plant import RobotPlant
from tests.support.waiting import until

STOPS = ("A", "B", "C", "tank")
LEASE_S = 3.0
FORGOTTEN_S = 7.0
"""A drive of about a second, and the 5 s for which an action server remembers it."""

PATROL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="test">
  <process id="patrol" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="again"/>
    <exclusiveGateway id="again"/>
    <sequenceFlow id="f2" sourceRef="again" targetRef="next"/>
    <scriptTask id="next" scriptFormat="mpms"><script>place = places[index]
index += 1</script></scriptTask>
    <sequenceFlow id="f3" sourceRef="next" targetRef="drive"/>
    <serviceTask id="drive" camunda:type="external" camunda:topic="robot.move">
      <extensionElements><camunda:inputOutput>
        <camunda:inputParameter name="robot">${robot}</camunda:inputParameter>
        <camunda:inputParameter name="place">${place}</camunda:inputParameter>
      </camunda:inputOutput></extensionElements>
    </serviceTask>
    <sequenceFlow id="f4" sourceRef="drive" targetRef="all"/>
    <exclusiveGateway id="all" default="f5"/>
    <sequenceFlow id="f5" sourceRef="all" targetRef="again"/>
    <sequenceFlow id="f6" sourceRef="all" targetRef="end">
      <conditionExpression>${index == len(places)}</conditionExpression>
    </sequenceFlow>
    <endEvent id="end"/>
  </process>
</definitions>"""


class Nemesis:
    """Breaks one thing after the other; the same seed breaks the same things."""

    def __init__(self, plant: RobotPlant, robots: list[str], seed: int) -> None:
        self._plant = plant
        self._robots = robots
        self._dice = random.Random(seed)
        self._frozen: list[tuple[float, Any]] = []
        self._workers = 0
        self.done: list[str] = []
        self.start_worker()

    def start_worker(self) -> None:
        self._workers += 1
        self._plant.start_worker(f"worker{self._workers}", LEASE_S)

    def strike(self) -> None:
        dice = self._dice
        self._thaw()
        if len(self.done) % 40 == 6:
            self._black_out()
            return
        if dice.random() < 0.12:
            self._hurt_a_worker()
            return
        robot = dice.choice([*self._robots, *self._robots, "*"])
        short_s, long_s = dice.uniform(0.3, 1.5), dice.uniform(1.0, 6.0)
        fault = dice.choice(
            [
                f"cut {robot} {short_s:.2f}",
                f"freeze {robot} {long_s:.2f}",
                f"freeze {robot} {short_s:.2f}",
                f"delay {robot} {short_s:.2f} {long_s:.2f}",
                f"drop {robot} {short_s:.2f}",
                f"duplicate {robot} {long_s:.2f}",
                f"lost_result {robot} 1",
                f"reject {robot} 1",
                f"estop {robot} {short_s:.2f}",
            ]
        )
        self._plant.simulator.fault(fault)
        self.done.append(fault)

    def rest(self) -> None:
        """No more faults; everybody is alive again."""
        self._thaw(everybody=True)
        self._plant.simulator.fault("clear *")

    def pause(self) -> None:
        time.sleep(self._dice.uniform(0.1, 0.8))

    def _black_out(self) -> None:
        """No worker until the robots have driven and forgotten what they had."""
        self.done.append("black out")
        self._frozen.clear()
        self._plant.stop_workers()
        time.sleep(FORGOTTEN_S)
        self.start_worker()

    def _hurt_a_worker(self) -> None:
        name = self._dice.choice(sorted(self._plant.workers))
        if self._dice.random() < 0.5:
            self.done.append(f"kill {name}")
            self._plant.kill_worker(name)
            self.start_worker()
        elif not self._frozen:
            self.done.append(f"suspend {name}")
            worker = self._plant.workers[name]
            worker.signal(signal.SIGSTOP)
            self._frozen.append((time.monotonic() + 2 * LEASE_S, worker))
            if len(self._plant.workers) < 2:
                self.start_worker()

    def _thaw(self, *, everybody: bool = False) -> None:
        for thaw_at, worker in list(self._frozen):
            if everybody or time.monotonic() > thaw_at:
                self._frozen.remove((thaw_at, worker))
                if worker.process.poll() is None:
                    worker.signal(signal.SIGCONT)


def torment(
    plant: RobotPlant,
    *,
    robots: int,
    goals_each: int,
    strikes: int,
    seed: int,
) -> None:
    print(f"seed {seed}")
    plant.with_robots(robots)
    plant.deploy({"patrol.bpmn": PATROL.encode()})
    plant.start_simulator(speed=30.0)
    names = [f"robot{number}" for number in range(1, robots + 1)]
    nemesis = Nemesis(plant, names, seed)
    people = plant.start_people()
    dice = random.Random(seed)
    for name in names:
        places = [dice.choice(STOPS) for _ in range(goals_each)]
        plant.start("patrol", robot=name, places=places, index=0)

    def active() -> int:
        rows = plant.rows("SELECT count(*) FROM instances WHERE status = 'active'")
        return int(rows[0][0])

    while active() and len(nemesis.done) < strikes:
        nemesis.strike()
        nemesis.pause()
    nemesis.rest()
    under_way = "SELECT id FROM goals WHERE state IN ('new', 'sent')"
    try:
        until("every patrol has ended", lambda: not active())
        until("nobody makes room any more", lambda: not plant.rows(under_way))
    except AssertionError as stalled:
        raise AssertionError(f"{stalled}\n{_standing(plant, nemesis)}") from None
    plant.stop_workers()
    found = plant.goals(seconds=True)
    states: dict[str, int] = {}
    for goal in found:
        state = goal["state"] + (" (inferred)" if goal["inferred"] else "")
        states[state] = states.get(state, 0) + 1
    print(f"{len(found)} goals: {states}; retried {len(people.retried)}")
    print(f"{len(nemesis.done)} faults: {nemesis.done}")
    assert len(found) >= robots * goals_each
    reached = [g for g in found if g["state"] == "reached"]
    assert len(reached) == robots * goals_each
    history = plant.rows(
        "SELECT data ->> 'goal', data ->> 'state' FROM events"
        " WHERE kind = 'goal ended' ORDER BY id"
    )
    everything = plant.goals(seconds=True, aside=True)
    assert violations(plant.simulator.records(), everything, history) == []


def _standing(plant: RobotPlant, nemesis: Nemesis) -> str:
    """Where everything stands, to be read when a run does not end."""
    asked = [
        "SELECT robot, owner, lease_until - now(), ready, why_not, link FROM robots",
        "SELECT id, robot, state, now() - sent_at, reason FROM goals"
        " WHERE state IN ('new', 'sent', 'unknown') ORDER BY created_at",
        "SELECT topic, state, attempts, run_at - now(), last_error FROM jobs",
        "SELECT kind, message, opened_at FROM incidents WHERE resolved_at IS NULL",
        "SELECT kind, instance_id, failures FROM deliveries",
        "SELECT pid, state, wait_event_type, now() - xact_start, query"
        " FROM pg_stat_activity WHERE xact_start < now() - interval '1 s'",
    ]
    lines = [f"{query}\n  {plant.rows(query)}" for query in asked]
    return "\n".join([*lines, f"{nemesis.done}", f"{sorted(plant.workers)}"])


def test_six_goals_survive_the_nemesis(plant: RobotPlant) -> None:
    torment(plant, robots=2, goals_each=3, strikes=8, seed=20260302)


@pytest.mark.soak
def test_twenty_goals_survive_the_nemesis(plant: RobotPlant) -> None:
    torment(plant, robots=3, goals_each=7, strikes=20, seed=20260302)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_hundred_goals_survive_the_nemesis(plant: RobotPlant, seed: int) -> None:
    torment(plant, robots=5, goals_each=40, strikes=10_000, seed=seed)
