"""A vehicle as its file describes it: plain values in metres, radians and kilograms.

The frame of a vehicle lies on the ground below the middle of the rear axle, x forward:
the point whose motion the kinematic model describes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fleet.bodies.errors import OverLoaded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Corner = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Dimensions:
    wheel_radius_m: float
    shell_length_m: float
    shell_width_m: float
    shell_height_m: float
    total_height_m: float
    wheel_base_m: float
    track_m: float
    wheel_width_m: float
    rear_overhang_m: float
    """From the rear axle to the back of the shell."""

    @property
    def front_overhang_m(self) -> float:
        return self.shell_length_m - self.wheel_base_m - self.rear_overhang_m

    @property
    def shell_bottom_m(self) -> float:
        """Above the ground: wheels reach below the shell."""
        return self.total_height_m - self.shell_height_m

    @property
    def shell_middle_m(self) -> tuple[float, float, float]:
        ahead = self.shell_length_m / 2.0 - self.rear_overhang_m
        return ahead, 0.0, self.shell_bottom_m + self.shell_height_m / 2.0


@dataclass(frozen=True, slots=True)
class Masses:
    shell_kg: float
    wheel_kg: float
    steering_kg: float

    @property
    def empty_kg(self) -> float:
        return self.shell_kg + 4.0 * self.wheel_kg + 2.0 * self.steering_kg


@dataclass(frozen=True, slots=True)
class Limits:
    steering_rad: float
    steering_radps: float
    forward_mps: float
    reverse_mps: float
    accel_mps2: float
    braking_mps2: float
    lateral_mps2: float
    """In a curve; it limits the speed there."""


@dataclass(frozen=True, slots=True)
class Link:
    name: str
    description: str
    shape: str
    """shell, steering or wheel"""
    at: tuple[float, float, float]
    """Of its own frame, in the frame of the vehicle."""
    mesh: str = ""


@dataclass(frozen=True, slots=True)
class Joint:
    name: str
    kind: str
    """revolute: follows the steering; continuous: rolls"""
    parent: str
    child: str


@dataclass(frozen=True, slots=True)
class Sensor:
    name: str
    kind: str
    model: str
    at: tuple[float, float, float]
    urdf: str = ""
    package: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Component:
    name: str
    model: str
    quantity: int


@dataclass(frozen=True, slots=True)
class LoadPlace:
    id: str
    side: str
    at: tuple[float, float, float]
    max_kg: float


@dataclass(frozen=True, slots=True)
class Vehicle:
    name: str
    title: str
    description: str
    dimensions: Dimensions
    masses: Masses
    limits: Limits
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    sensors: tuple[Sensor, ...] = ()
    components: tuple[Component, ...] = ()
    load_places: tuple[LoadPlace, ...] = ()
    max_load_kg: float = 0.0
    software: Mapping[str, str] = field(default_factory=dict)
    prefers: tuple[str, ...] = ()
    """Kinds of ways in streets; others cost it more. None: all ground is alike."""
    assumed: tuple[str, ...] = ()
    """Keys of the file whose values no source gives."""
    file: Path | None = None

    @property
    def turning_radius_m(self) -> float:
        """Of the rear axle's middle, at full lock."""
        return self.dimensions.wheel_base_m / math.tan(self.limits.steering_rad)

    @property
    def half_width_m(self) -> float:
        """Of shell and wheels, steered as far as they go."""
        size, lock = self.dimensions, self.limits.steering_rad
        aside = size.wheel_radius_m * math.sin(lock)
        aside += size.wheel_width_m / 2.0 * max(math.cos(lock), 0.0)
        wheel = size.track_m / 2.0 + max(aside, size.wheel_width_m / 2.0)
        return max(size.shell_width_m / 2.0, wheel)

    @property
    def back_m(self) -> float:
        """How far anything reaches behind the rear axle; negative, as x is."""
        size = self.dimensions
        return -max(size.rear_overhang_m, size.wheel_radius_m)

    @property
    def front_m(self) -> float:
        size = self.dimensions
        return size.wheel_base_m + max(size.front_overhang_m, size.wheel_radius_m)

    @property
    def outline(self) -> NDArray[np.float64]:
        """Back, front and half width of the collision box, as kernels take it."""
        import numpy as np  # pages describe vehicles without it

        return np.array([self.back_m, self.front_m, self.half_width_m])

    def sensor(self, kind: str) -> Sensor | None:
        return next((each for each in self.sensors if each.kind == kind), None)

    def loaded(self, kilograms: Mapping[str, float]) -> float:
        """What it carries, by place. OverLoaded, or KeyError for no place of its."""
        places = {place.id: place for place in self.load_places}
        for name, weight in kilograms.items():
            if not 0.0 <= weight <= places[name].max_kg:
                raise OverLoaded(
                    f"{weight:g} kg do not go into {name} of {self.name},"
                    f" which takes {places[name].max_kg:g} kg"
                )
        total = sum(kilograms.values())
        if total > self.max_load_kg:
            raise OverLoaded(
                f"{self.name} carries {self.max_load_kg:g} kg at most, not {total:g}"
            )
        return total
