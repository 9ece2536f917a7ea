"""Robots that do not work, and things in the way: what the fleet does about them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fleet import events as ev
from fleet.commands import Stop
from fleet.model.world import Level
from fleet.roads.make import KEEP_M
from fleet.tasks.pool import TaskRefused
from fleet.traffic.free import FreeTraffic

if TYPE_CHECKING:
    from fleet.fleet import Fleet

OBSTACLE_M = 0.3
OBSTACLE_S = 120.0
"""How long something that blocked a robot is believed to be there."""


class Trouble:
    """Failures, pauses, levels, obstacles, locked lanes, shut doors, emergencies."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def fail(self, event: ev.Failed, now: float) -> None:
        vehicle = self._fleet.vehicle(event.robot)
        if vehicle.failed:
            return
        vehicle.failed = event.why
        self._fleet.alert("robot failed", vehicle.id, event.why)
        if vehicle.known and vehicle.level in (Level.USED, Level.RESPECTED):
            self._fleet.traffic.freeze(vehicle.id)
        self._fleet.stations.end_all(vehicle.id)
        self._fleet.course.clear_queue(vehicle, event.why, now)
        self._fleet.work.break_off(vehicle, now)
        if vehicle.load:
            text = f"{vehicle.load} is on board"
            self._fleet.alert("package on a failed robot", vehicle.id, text)

    def recover(self, event: ev.Recovered) -> None:
        vehicle = self._fleet.vehicle(event.robot)
        vehicle.failed = ""
        self._fleet.answer.commands.append(Stop(vehicle.id))
        if vehicle.known and vehicle.level is Level.USED and not vehicle.paused:
            self._fleet.traffic.thaw(vehicle.id)

    def pause_robot(self, event: ev.RobotPaused) -> None:
        vehicle = self._fleet.vehicle(event.robot)
        vehicle.paused = event.paused
        if not vehicle.known or vehicle.failed:
            return
        if event.paused:
            self._fleet.answer.commands.append(Stop(vehicle.id))
            self._fleet.traffic.freeze(vehicle.id)
        else:
            self._fleet.work.act_again(vehicle)
            if vehicle.level is Level.USED:
                self._fleet.traffic.thaw(vehicle.id)

    def set_level(self, event: ev.LevelSet, now: float) -> None:
        vehicle = self._fleet.vehicle(event.robot)
        if event.level is vehicle.level:
            return
        here = (Level.USED, Level.RESPECTED)
        if vehicle.level is Level.USED:
            self._fleet.course.clear_queue(vehicle, f"is only {event.level}", now)
            self._fleet.work.break_off(vehicle, now)
            if vehicle.known:
                self._fleet.answer.commands.append(Stop(vehicle.id))
        was, vehicle.level = vehicle.level, event.level
        self._fleet.whereabouts.expect(vehicle)
        if not vehicle.known or vehicle.x_m is None or vehicle.y_m is None:
            return
        if was in here and event.level not in here:
            self._fleet.traffic.remove_robot(vehicle.id)
            self._fleet.claims.release_all(vehicle.id)
            vehicle.place = ""
        elif was not in here and event.level in here:
            self._fleet.traffic.add_robot(
                vehicle.id, vehicle.type.id, vehicle.x_m, vehicle.y_m
            )
            self._fleet.whereabouts.find_place(vehicle)
        if event.level is Level.RESPECTED:
            self._fleet.traffic.freeze(vehicle.id)
        elif event.level is Level.USED and not vehicle.failed and not vehicle.paused:
            self._fleet.traffic.thaw(vehicle.id)

    def blocked(self, event: ev.Blocked, now: float) -> None:
        """Believe in an obstacle for a while and let everybody plan around it."""
        vehicle = self._fleet.vehicle(event.robot)
        if vehicle.x_m is None or vehicle.y_m is None or vehicle.failed:
            return
        away_m = math.hypot(event.x_m - vehicle.x_m, event.y_m - vehicle.y_m)
        # So small that the robot itself can still drive away from it.
        radius_m = min(OBSTACLE_M, away_m - vehicle.type.radius_m - KEEP_M - 0.02)
        name = f"blocked/{event.x_m:.1f}/{event.y_m:.1f}"
        robot = self._robot_at(event.x_m, event.y_m)
        if name not in self._fleet.obstacles:
            by = f" by {robot}" if robot else ""
            text = f"at {event.x_m:.1f}, {event.y_m:.1f}{by}"
            self._fleet.alert("path blocked", vehicle.id, text)
        self._fleet.work.act_again(vehicle)  # it has stopped with all it did
        self._fleet.traffic.freeze(vehicle.id)
        if not robot:  # traffic knows of robots; an obstacle would lock it in
            self._fleet.obstacles[name] = now + OBSTACLE_S
            self._fleet.traffic.put_obstacle(name, event.x_m, event.y_m, radius_m)
        if not vehicle.paused and vehicle.level is Level.USED:
            self._fleet.traffic.thaw(vehicle.id)

    def _robot_at(self, x_m: float, y_m: float) -> str:
        """Who stands at a spot that another robot found taken."""
        for vehicle in self._fleet.vehicles.values():
            if vehicle.x_m is None or vehicle.y_m is None:
                continue
            away_m = math.dist((x_m, y_m), (vehicle.x_m, vehicle.y_m))
            if away_m < vehicle.type.radius_m:
                return vehicle.id
        return ""

    def see(self, event: ev.Seen) -> None:
        """People and things: noticed ones are only remembered."""
        if event.radius_m <= 0.0 or event.level is Level.IGNORED:
            self._fleet.entities.pop(event.id, None)
            self._fleet.traffic.take_obstacle(event.id)
            return
        spot = (event.x_m, event.y_m, event.radius_m)
        if event.level is Level.NOTICED:
            self._fleet.traffic.take_obstacle(event.id)
        elif self._fleet.entities.get(event.id) != (*spot, event.level.value):
            self._fleet.traffic.put_obstacle(event.id, *spot)
        self._fleet.entities[event.id] = (*spot, event.level.value)

    def shut(self, event: ev.LaneLocked | ev.DoorShut) -> None:
        traffic = self._fleet.traffic
        if not isinstance(traffic, FreeTraffic):
            raise TaskRefused("a grid has no lanes and doors")
        if isinstance(event, ev.LaneLocked):
            if event.lane not in {lane.id for lane in self._fleet.world.lanes}:
                raise TaskRefused(f"there is no lane {event.lane!r}")
            change = traffic.lock_lane if event.locked else traffic.unlock_lane
            change(event.lane)
            return
        if event.door not in self._fleet.world.doors:
            raise TaskRefused(f"there is no door {event.door!r}")
        (traffic.close_door if event.shut else traffic.open_door)(event.door)

    def pull_over(self, over: bool, now: float) -> None:
        """Everybody drives to the nearest free place and stays; then all goes on."""
        self._fleet.pulled_over = over
        for vehicle in self._fleet.vehicles.values():
            if vehicle.fit and vehicle.level is Level.USED:
                self._fleet.work.pull_over(
                    vehicle, now
                ) if over else self._fleet.work.resume(vehicle)
