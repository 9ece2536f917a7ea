"""What robots do: fetch a pod, bring it to a station, bring it back, rest.

TA, PPS and PSA are asked here. A task is a row of steps; each ends when the robot is
where it was sent, or done with what it was busy with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fleet.rmfs.orders import Station
from fleet.rmfs.warehouse import EXTRACT, INSERT, PARK, REST, Robot, Warehouse
from shopfloor.experiments.rmfs.batteries import Batteries
from shopfloor.experiments.rmfs.deciders import Deciders
from shopfloor.experiments.rmfs.fleet_on_floor import FleetOnFloor
from shopfloor.experiments.rmfs.order_desk import OrderDesk, Say
from shopfloor.experiments.rmfs.tally import Tally

TO_POD, LIFTING, TO_STATION, SERVED = "to pod", "PickupPod", "to station", "served"
PICKING, FILLING, TO_PLACE, LOWERING = "GetItems", "PutItems", "to place", "SetdownPod"
TO_REST, RESTING = "to rest", "Rest"
STATES = {TO_POD: "Move", TO_STATION: "Move", TO_PLACE: "Move", TO_REST: "Move"}


class RobotWork:
    """The tasks of all robots."""

    def __init__(
        self,
        warehouse: Warehouse,
        floor: FleetOnFloor,
        desk: OrderDesk,
        deciders: Deciders,
        tally: Tally,
        say: Say,
        rest_places: Callable[[Robot], int],
        batteries: Batteries,
    ) -> None:
        self._warehouse = warehouse
        self._floor = floor
        self._desk = desk
        self._deciders = deciders
        self._tally = tally
        self._say = say
        self._rest_place = rest_places
        self._batteries = batteries
        self._idle: dict[int, None] = {robot.number: None for robot in warehouse.robots}
        self._task_began = [0.0] * len(warehouse.robots)
        self._next: dict[str, Callable[[Robot], None]] = {
            TO_POD: self._at_pod,
            LIFTING: self._lifted,
            TO_STATION: self._at_station,
            PICKING: self._picked,
            FILLING: self._filled,
            TO_PLACE: self._at_place,
            LOWERING: self._lowered,
            TO_REST: self._rests,
        }

    def go_on(self, number: int) -> None:
        """A robot is where it was sent, or done."""
        robot = self._warehouse.robots[number]
        robot.cell = self._floor.cell(number)
        self._next[robot.step](robot)

    def wake(self) -> None:
        """Robots that rest are asked again when there is work."""
        if self._desk.new_work and self._idle:
            self._desk.new_work = False
            for number in list(self._idle):
                if number not in self._idle:
                    continue
                robot = self._warehouse.robots[number]
                robot.cell = self._floor.cell(number)
                if not self._begin_work(robot) and not self._low(robot):
                    break

    def _low(self, robot: Robot) -> bool:
        """It rests for want of charge, not of work."""
        return not self._batteries.may_work(robot.number, self._warehouse.now)

    # Steps and tasks

    def _step(self, robot: Robot, step: str) -> None:
        now = self._warehouse.now
        self._tally.state_s[STATES.get(robot.step, robot.step)] += now - robot.since
        if robot.step in STATES:
            self._tally.trips += 1
            self._tally.trip_s += now - robot.since
            self._tally.trips_to[robot.cell] += 1
        robot.step, robot.since = step, now

    def _task(self, robot: Robot, task: str) -> None:
        now = self._warehouse.now
        self._tally.task_s[robot.task] += now - self._task_began[robot.number]
        self._task_began[robot.number] = now
        self._tally.tasks[task] += 1
        robot.task = task
        facts = {"robot": robot.number, "task": task, "pod": robot.pod}
        self._say("task", facts)

    def _drive(self, robot: Robot, goal: int, step: str) -> None:
        self._step(robot, step)
        robot.goal = goal
        facts = {"robot": robot.number, "goal": goal, "carries": robot.carries}
        self._say("new destination", facts)
        self._floor.send(robot.number, goal, robot.carries, self._warehouse.now)

    def _busy(self, robot: Robot, step: str, until: float) -> None:
        self._step(robot, step)
        self._floor.occupy(robot.number, until)

    def _free(self, robot: Robot) -> None:
        """A robot without pod and task looks for the next one."""
        self._idle[robot.number] = None
        if self._begin_work(robot):
            return
        self._rest(robot)

    def _rest(self, robot: Robot) -> None:
        goal = self._rest_place(robot)
        self._task(robot, REST)
        self._warehouse.place_free[goal] = False
        self._drive(robot, goal, TO_REST)

    def _rests(self, robot: Robot) -> None:
        self._step(robot, RESTING)
        self._batteries.rest(robot.number, self._warehouse.now)

    def _begin_work(self, robot: Robot) -> bool:
        warehouse, deciders = self._warehouse, self._deciders
        if robot.broken or not self._batteries.may_work(robot.number, warehouse.now):
            return False
        self._say("robot needs a new task", {"robot": robot.number})
        for station in deciders.ask("ta", "stations_for", warehouse, robot):
            if station.picks:
                pod = deciders.ask("pps", "pod_for", warehouse, robot, station)
                if pod is not None:
                    chosen = self._below(pod, robot)
                    self._fetch(chosen, station, pod, EXTRACT)
                    self._desk.promise_all(station, chosen)
                    chosen.task_units = sum(each.units for each in chosen.requests)
                    return chosen is robot or self._begin_work(robot)
            else:
                pod = self._fullest_request(robot, station)
                if pod is not None:
                    chosen = self._below(pod, robot)
                    chosen.bundles = station.bundles.pop(pod)
                    chosen.task_units = len(chosen.bundles)
                    self._fetch(chosen, station, pod, INSERT)
                    return chosen is robot or self._begin_work(robot)
        return False

    def _below(self, pod: int, robot: Robot) -> Robot:
        """Who rests below the pod fetches it: nobody else could get there."""
        place = int(self._warehouse.stock.place[pod])
        for number in self._idle:
            other = self._warehouse.robots[number]
            free = other is not robot and not other.broken
            free = free and self._batteries.may_work(number, self._warehouse.now)
            if free and self._floor.cell(number) == place:
                other.cell = place
                return other
        return robot

    def _fullest_request(self, robot: Robot, station: Station) -> int | None:
        """The stored pod with most bundles for a station, the nearest among equals."""
        stock = self._warehouse.stock
        pods = [
            pod
            for pod in station.bundles
            if stock.place[pod] >= 0 and not stock.claimed[pod]
        ]
        if not pods:
            return None
        most = max(len(station.bundles[pod]) for pod in pods)
        pods = [pod for pod in pods if len(station.bundles[pod]) == most]
        if len(pods) == 1:
            return pods[0]
        ways = self._warehouse.manhattan(robot.cell, np.array(pods, np.int32))
        return pods[int(np.argmin(ways))]

    def _fetch(self, robot: Robot, station: Station, pod: int, task: str) -> None:
        warehouse = self._warehouse
        self._idle.pop(robot.number, None)
        self._leave_rest(robot)
        self._batteries.work(robot.number, warehouse.now)
        robot.pod, robot.station = pod, station.number
        self._task(robot, task)
        warehouse.stock.claimed[pod] = True
        warehouse.carriers[pod] = robot
        station.inbound.append(pod)
        station.robots += 1
        self._drive(robot, int(warehouse.stock.place[pod]), TO_POD)

    def _leave_rest(self, robot: Robot) -> None:
        """The place where a robot rests, or was to, is free again."""
        if robot.step in (TO_REST, RESTING) and robot.goal >= 0:
            self._warehouse.place_free[robot.goal] = self._may_store(robot.goal)

    def _may_store(self, place: int) -> bool:
        return not bool(np.any(self._warehouse.stock.place == place))

    # To the station

    def _at_pod(self, robot: Robot) -> None:
        self._busy(robot, LIFTING, self._warehouse.now + self._transfer_s)

    @property
    def _transfer_s(self) -> float:
        return self._warehouse.layout.pod_transfer_s

    def _lifted(self, robot: Robot) -> None:
        warehouse = self._warehouse
        place = int(warehouse.stock.place[robot.pod])
        warehouse.stock.place[robot.pod] = -1
        warehouse.place_free[place] = True
        robot.carries = True
        if robot.station < 0:
            self._park(robot)
            return
        self._drive(robot, warehouse.stations[robot.station].cell, TO_STATION)

    def _at_station(self, robot: Robot) -> None:
        station = self._warehouse.stations[robot.station]
        station.at_work = robot.number
        self._step(robot, SERVED)
        if station.picks:
            self._desk.promise_all(station, robot)
            self._desk.fill_fast_lane(station)
            self._pick_next(robot, station)
        else:
            self._fill_next(robot, station)

    # At a pick station

    def _pick_next(self, robot: Robot, station: Station) -> None:
        """A pod that is used again at the same station needs no trip."""
        if not robot.requests:
            self._desk.promise_all(station, robot)
        if not robot.requests:
            self._leave(robot, station)
            return
        if robot.task_units <= 0:
            robot.task_units = sum(each.units for each in robot.requests)
            self._task(robot, EXTRACT)
        start = max(self._warehouse.now, station.free_at)
        station.free_at = start + station.item_s
        station.busy_s += station.item_s
        until = start + min(self._warehouse.layout.item_pick_s, station.item_s)
        self._busy(robot, PICKING, until)

    def _picked(self, robot: Robot) -> None:
        station = self._warehouse.stations[robot.station]
        if robot.requests:
            request = robot.requests[0]
            robot.task_units -= 1
            request.units -= 1
            if request.units == 0:
                robot.requests.pop(0)
            self._desk.picked(request, station, robot.pod)
            self._desk.fill_fast_lane(station)
        self._pick_next(robot, station)

    # At a replenishment station

    def _fill_next(self, robot: Robot, station: Station) -> None:
        if not robot.bundles and station.open:
            robot.bundles = station.bundles.pop(robot.pod, [])
        if not robot.bundles:
            self._leave(robot, station)
            return
        if robot.task_units <= 0:
            robot.task_units = len(robot.bundles)
            self._task(robot, INSERT)
        start = max(self._warehouse.now, station.free_at)
        station.free_at = start + station.item_s
        station.busy_s += station.item_s
        self._busy(robot, FILLING, station.free_at)

    def _filled(self, robot: Robot) -> None:
        station = self._warehouse.stations[robot.station]
        if robot.bundles:
            robot.task_units -= 1
            self._desk.stored(robot.bundles.pop(0), station)
        self._fill_next(robot, station)

    # And back

    def _leave(self, robot: Robot, station: Station) -> None:
        self._quit(robot, station)
        station.at_work = -1
        station.pods_handled += 1
        self._tally.pods_handled += station.picks
        self._park(robot)

    def _quit(self, robot: Robot, station: Station) -> None:
        station.inbound.remove(robot.pod)
        station.robots -= 1
        robot.station = -1

    def _park(self, robot: Robot) -> None:
        warehouse = self._warehouse
        self._say("pod needs a place", {"pod": robot.pod, "robot": robot.number})
        place = self._deciders.ask("psa", "place_for", warehouse, robot.pod, robot.cell)
        warehouse.place_free[place] = False
        self._task(robot, PARK)
        self._drive(robot, place, TO_PLACE)

    def _at_place(self, robot: Robot) -> None:
        self._busy(robot, LOWERING, self._warehouse.now + self._transfer_s)

    def _lowered(self, robot: Robot) -> None:
        stock = self._warehouse.stock
        stock.place[robot.pod] = robot.cell
        stock.claimed[robot.pod] = False
        del self._warehouse.carriers[robot.pod]
        robot.pod, robot.carries = -1, False
        self._desk.pod_is_back()
        self._free(robot)

    # Outages

    def drop_work(self, robot: Robot) -> None:
        """A robot gives its task back; it brings away what it carries."""
        warehouse, desk = self._warehouse, self._desk
        if robot.station < 0:
            return
        station = warehouse.stations[robot.station]
        desk.withdraw(robot, station)
        desk.give_back_bundles(station, robot.bundles)
        robot.bundles = []
        if robot.step in (TO_POD,):
            self._quit(robot, station)
            warehouse.stock.claimed[robot.pod] = False
            del warehouse.carriers[robot.pod]
            robot.pod = -1
            self._step(robot, RESTING)
            robot.goal = -1
            self._free(robot)
        elif robot.step == LIFTING:
            self._quit(robot, station)

    def switch_off_robot(self, robot: Robot) -> None:
        robot.broken = True
        self.drop_work(robot)

    def switch_on_robot(self, robot: Robot) -> None:
        robot.broken = False
        self._desk.new_work = True

    def switch_off_station(self, station: Station) -> None:
        station.broken = True
        for pod in list(station.inbound):
            self.drop_work(self._warehouse.carriers[pod])
        self._desk.give_back(station)
        for bundles in station.bundles.values():
            self._desk.give_back_bundles(station, bundles)
        station.bundles = {}
        self._desk.assign_orders()
        self._desk.assign_bundles()

    def close_books(self) -> None:
        """At the end of a run: what is going on counts so far."""
        self._batteries.close_books(self._warehouse.now)
        for robot in self._warehouse.robots:
            now = self._warehouse.now
            step = STATES.get(robot.step, robot.step)
            self._tally.state_s[step] += now - robot.since
            if robot.step in STATES:
                self._tally.trip_s += now - robot.since
            robot.since = now
            began = self._task_began[robot.number]
            self._tally.task_s[robot.task] += now - began
            self._task_began[robot.number] = now

    def facts(self) -> list[dict[str, Any]]:
        """Each robot, for a view."""
        return [
            {
                "robot": robot.number,
                "task": robot.task,
                "step": robot.step,
                "carries": robot.carries,
                "pod": robot.pod,
            }
            for robot in self._warehouse.robots
        ]
