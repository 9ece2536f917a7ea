"""What a robot can do, empty and loaded.

The motors give the same force whatever is on the robot, so a load of the robot's own
mass halves the acceleration and doubles the braking distance. Speed limits follow
from that distance and never the other way round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Literal

from shopfloor.control.errors import LimitsRefused, PayloadRefused


@dataclass(frozen=True, slots=True)
class RobotLimits:
    """Of the empty robot; :meth:`loaded` says what a load leaves of them."""

    speed_mps: float = 0.8
    accel_mps2: float = 0.5
    braking_mps2: float = 1.0
    """Of an emergency; ordinary slowing keeps to the acceleration."""
    jerk_mps3: float = 2.0
    turn_radps: float = 1.2
    turn_accel_radps2: float = 2.0
    turn_jerk_radps3: float = 20.0
    radius_m: float = 0.3
    """Of the disc that the hull never leaves, whatever the heading."""
    latency_s: float = 0.075
    """From something appearing before a laser to the brakes biting."""
    mass_kg: float = 150.0
    max_payload_kg: float = math.inf
    drive: Literal["differential", "holonomic"] = "differential"

    def __post_init__(self) -> None:
        if self.drive not in ("differential", "holonomic"):
            raise LimitsRefused(
                f"a robot is differential or holonomic, not {self.drive!r}"
            )
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "drive":
                continue
            least_is_open = field.name not in ("latency_s", "max_payload_kg")
            endless = field.name == "max_payload_kg"
            bad = math.isnan(value) or (math.isinf(value) and not endless)
            if bad or value < 0.0 or (least_is_open and value == 0.0):
                raise LimitsRefused(f"{field.name} of a robot cannot be {value}")

    def loaded(self, payload_kg: float) -> RobotLimits:
        """The same robot with a load on it."""
        if not math.isfinite(payload_kg) or payload_kg < 0.0:
            raise PayloadRefused(f"a load is 0 kg or more, not {payload_kg}")
        if payload_kg > self.max_payload_kg:
            raise PayloadRefused(
                f"{payload_kg:g} kg is above the {self.max_payload_kg:g} kg "
                "that the robot carries"
            )
        share = self.mass_kg / (self.mass_kg + payload_kg)
        return replace(
            self,
            accel_mps2=self.accel_mps2 * share,
            braking_mps2=self.braking_mps2 * share,
            jerk_mps3=self.jerk_mps3 * share,
            turn_accel_radps2=self.turn_accel_radps2 * share,
            turn_jerk_radps3=self.turn_jerk_radps3 * share,
        )

    def braking_distance_m(self, speed_mps: float) -> float:
        """What the robot still travels, the time to react included."""
        return speed_mps * self.latency_s + speed_mps**2 / (2.0 * self.braking_mps2)

    def honest_speed_mps(self, free_m: float) -> float:
        """The highest speed that still stops within the distance seen free."""
        return speed_to_stop_within(free_m, self.braking_mps2, self.latency_s)


def speed_to_stop_within(
    free_m: float, braking_mps2: float, latency_s: float = 0.0
) -> float:
    """Without latency this is sqrt(2 a d)."""
    if free_m <= 0.0:
        return 0.0
    lost = braking_mps2 * latency_s
    return math.sqrt(lost * lost + 2.0 * braking_mps2 * free_m) - lost
