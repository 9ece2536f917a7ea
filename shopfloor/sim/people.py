"""Simulated people: they walk their round and carry a position tag."""

import math
import random

from shopfloor.sim.vehicle import Pose
from shopfloor.sim.world import Person


class Walker:
    def __init__(self, person: Person) -> None:
        self.person = person
        self.pose = person.path[0]
        self.tag_lost_until = -math.inf
        self._next = 1 % len(person.path)

    @property
    def velocity(self) -> tuple[float, float]:
        target = self.person.path[self._next]
        if self.pose.distance_to(target) == 0.0:
            return (0.0, 0.0)
        speed, bearing = self.person.speed_mps, self.pose.bearing_to(target)
        return (speed * math.cos(bearing), speed * math.sin(bearing))

    def tick(self, dt_s: float, rng: random.Random) -> None:
        left_m = self.person.speed_mps * rng.uniform(0.9, 1.1) * dt_s
        for _ in range(len(self.person.path) + 1):
            target = self.person.path[self._next]
            distance_m = self.pose.distance_to(target)
            bearing = self.pose.bearing_to(target)
            if distance_m > left_m:
                self.pose = Pose(
                    self.pose.x_m + left_m * math.cos(bearing),
                    self.pose.y_m + left_m * math.sin(bearing),
                    bearing,
                )
                return
            left_m -= distance_m
            self.pose = Pose(target.x_m, target.y_m, self.pose.yaw_rad)
            self._next = (self._next + 1) % len(self.person.path)
