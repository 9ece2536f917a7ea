"""What the sensors of a vehicle report, with noise, repeatable from a seed.

The laser is exact ray casting; the depth picture is a stand-in made from the same rays
(no colours, no lens), the motor currents a plain model of torque and friction: their
numbers are for programs that must cope with such topics, not for measuring motors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.model import Sensor, Vehicle
from shopfloor.geometry import Pose, Scan
from shopfloor.lasers import shape_kernels
from shopfloor.localisation.odometry import DifferentialBase
from shopfloor.vehicles.joints import true_joint_states
from shopfloor.vehicles.lidar_kernels import cast_lines

GRAVITY_MPS2 = 9.81
ROLLING = 0.015
"""Friction of tyres on stone, a share of the weight."""
NM_PER_A = 0.9
"""Of a wheel, behind its gear."""
IDLE_A, NOISE_A = 0.4, 0.05
METRES_PER_DEGREE = 111_320.0
PERSON_HEIGHT_M = 1.75
CURRENTS = ("steering", "left_drive", "right_drive", "supply")


@dataclass(frozen=True)
class Surroundings:
    """What there is to see: walls and round bodies, with heights."""

    walls: NDArray[np.float64]
    heights_m: NDArray[np.float64]
    discs: NDArray[np.float64]

    @cached_property
    def disc_heights_m(self) -> NDArray[np.float64]:
        return np.full(len(self.discs), PERSON_HEIGHT_M)


@dataclass(frozen=True)
class Lidar:
    """Several lines of beams over a full turn, one above the other."""

    at: tuple[float, float, float]
    lines: int
    lowest_rad: float
    highest_rad: float
    beams: int
    range_m: float
    noise_m: float

    @staticmethod
    def of(vehicle: Vehicle) -> Lidar:
        sensor = _sensor(vehicle, "lidar")
        given = {"lines": 16.0, "lowest_deg": -15.0, "highest_deg": 15.0}
        given |= {"beams": 360.0, "range_m": 30.0, "noise_m": 0.02, **sensor.settings}
        return Lidar(
            sensor.at,
            int(given["lines"]),
            math.radians(given["lowest_deg"]),
            math.radians(given["highest_deg"]),
            int(given["beams"]),
            given["range_m"],
            given["noise_m"],
        )

    @cached_property
    def elevations_rad(self) -> NDArray[np.float64]:
        return np.linspace(self.lowest_rad, self.highest_rad, self.lines)

    @property
    def step_rad(self) -> float:
        return math.tau / self.beams

    @cached_property
    def azimuths_rad(self) -> NDArray[np.float64]:
        angles = np.arange(self.beams, dtype=np.float64) * self.step_rad
        return np.asarray(angles - math.pi)

    def cloud(
        self, pose: Pose, around: Surroundings, random: np.random.Generator | None
    ) -> NDArray[np.float64]:
        """Ranges along the rays, a row per line from the lowest; infinite for none."""
        slopes = np.tan(self.elevations_rad)
        level = _level(self, pose, around, self.azimuths_rad, slopes, self.range_m)
        stretch = np.cos(self.elevations_rad)[:, None]
        ranges = np.asarray(level / stretch, np.float64)
        if random is not None:
            ranges = ranges + self.noise_m * random.standard_normal(ranges.shape)
        return np.asarray(np.maximum(ranges, 0.0), np.float64)

    def points_m(self, ranges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows x, y, z of what came back, in the frame of the vehicle."""
        line, beam = np.nonzero(np.isfinite(ranges))
        seen, up = ranges[line, beam], self.elevations_rad[line]
        azimuth, flat = self.azimuths_rad[beam], seen * np.cos(up)
        return np.stack(
            [
                self.at[0] + flat * np.cos(azimuth),
                self.at[1] + flat * np.sin(azimuth),
                self.at[2] + seen * np.sin(up),
            ],
            axis=1,
        )

    def cut(
        self,
        pose: Pose,
        walls: NDArray[np.float64],
        discs: NDArray[np.float64],
        random: np.random.Generator | None,
        taken_at_s: float | None = None,
    ) -> Scan:
        """The level plane alone, as planners and localisation use it."""
        eye = pose.plus(Pose(self.at[0], self.at[1]))
        ranges = np.full(self.beams, math.inf)
        shape_kernels.sweep_shapes(
            walls, discs, eye.x_m, eye.y_m, eye.yaw_rad, -math.pi, self.step_rad, ranges
        )
        ranges[ranges > self.range_m] = math.inf
        if random is not None:
            noise = self.noise_m * random.standard_normal(self.beams)
            ranges = np.maximum(ranges + noise, 0.0)
        mount = Pose(self.at[0], self.at[1])
        return Scan(
            ranges, -math.pi, self.step_rad, self.range_m, mount, "lidar", taken_at_s
        )


def depth_picture(
    vehicle: Vehicle, pose: Pose, around: Surroundings
) -> NDArray[np.float32]:
    """Metres ahead of the camera by row and column; a stand-in, without colours."""
    sensor = _sensor(vehicle, "camera")
    given = {"columns": 64.0, "rows": 36.0, "width_deg": 87.0, "height_deg": 58.0}
    given |= {"range_m": 6.0, **sensor.settings}
    columns, rows = int(given["columns"]), int(given["rows"])
    wide = math.tan(math.radians(given["width_deg"]) / 2.0)
    high = math.tan(math.radians(given["height_deg"]) / 2.0)
    aside = wide * (1.0 - (2.0 * np.arange(columns) + 1.0) / columns)
    up = high * (1.0 - (2.0 * np.arange(rows) + 1.0) / rows)
    depth = np.empty((rows, columns), np.float32)
    eye = _Eye(sensor.at)
    for column, tangent in enumerate(aside):
        azimuth = np.array([math.atan(tangent)])
        stretch = math.hypot(1.0, tangent)
        # A pixel's slope counts per metre ahead, a ray's per metre over the ground.
        reach = given["range_m"] * stretch * math.hypot(1.0, high)
        level = _level(eye, pose, around, azimuth, up / stretch, reach)
        ahead = level[:, 0] / stretch
        depth[:, column] = np.where(ahead <= given["range_m"], ahead, 0.0)
    return depth


@dataclass(frozen=True)
class _Eye:
    at: tuple[float, float, float]


def _level(
    eye: Lidar | _Eye,
    pose: Pose,
    around: Surroundings,
    azimuths: NDArray[np.float64],
    slopes: NDArray[np.float64],
    most_m: float,
) -> NDArray[np.float64]:
    at = pose.plus(Pose(eye.at[0], eye.at[1]))
    level = np.empty((slopes.size, azimuths.size))
    cast_lines(
        around.walls,
        around.heights_m,
        around.discs,
        around.disc_heights_m,
        at.x_m,
        at.y_m,
        eye.at[2],
        at.yaw_rad,
        azimuths,
        slopes,
        most_m,
        level,
    )
    return level


@dataclass(frozen=True, slots=True)
class ImuReading:
    wz_radps: float
    ax_mps2: float
    ay_mps2: float


def read_imu(
    vehicle: Vehicle,
    speeds_mps: tuple[float, float],
    turned_rad: float,
    dt_s: float,
    random: np.random.Generator | None,
) -> ImuReading:
    """From the speeds before and after a step, and how far it turned in it."""
    settings = _sensor(vehicle, "imu").settings
    wz = turned_rad / dt_s
    ahead = (speeds_mps[1] - speeds_mps[0]) / dt_s
    aside = wz * 0.5 * (speeds_mps[0] + speeds_mps[1])
    if random is None:
        return ImuReading(wz, ahead, aside)
    rate = settings.get("rate_noise_radps", 0.005)
    accel = settings.get("accel_noise_mps2", 0.05)
    noise = random.standard_normal(3)
    return ImuReading(
        wz + rate * noise[0], ahead + accel * noise[1], aside + accel * noise[2]
    )


def read_gnss(
    vehicle: Vehicle, pose: Pose, random: np.random.Generator | None
) -> tuple[float, float, float]:
    """Latitude and longitude in degrees, and the standard deviation in metres."""
    settings = _sensor(vehicle, "gnss").settings
    noise_m = settings.get("noise_m", 1.0)
    east, north = pose.x_m, pose.y_m
    if random is not None:
        east, north = (v + noise_m * random.standard_normal() for v in (east, north))
    latitude = settings.get("latitude_deg", 0.0)
    longitude = settings.get("longitude_deg", 0.0)
    narrower = math.cos(math.radians(latitude))
    return (
        latitude + north / METRES_PER_DEGREE,
        longitude + east / (METRES_PER_DEGREE * narrower),
        noise_m,
    )


def rear_axle(vehicle: Vehicle) -> DifferentialBase:
    """The rear wheels as encoders count them: they roll without being steered."""
    size = vehicle.dimensions
    return DifferentialBase(size.wheel_radius_m, size.track_m)


def motor_currents(
    vehicle: Vehicle,
    load_kg: float,
    speed_mps: float,
    accel_mps2: float,
    steering_rad: float,
    steering_radps: float,
    random: np.random.Generator | None,
) -> dict[str, float]:
    """Amperes by motor and of the supply; a stand-in, see above."""
    mass_kg = vehicle.masses.empty_kg + load_kg
    friction = ROLLING * GRAVITY_MPS2 * math.copysign(1.0, speed_mps)
    force = mass_kg * (accel_mps2 + (friction if speed_mps else 0.0))
    torque = force * vehicle.dimensions.wheel_radius_m / 2.0
    rolling = {
        each.name: each.velocity_radps
        for each in true_joint_states(vehicle, speed_mps, steering_rad)
    }
    mean = speed_mps / vehicle.dimensions.wheel_radius_m
    found = {"steering": IDLE_A + 3.0 * abs(steering_radps)}
    for side, wheel in (("left", "rl_axle"), ("right", "rr_axle")):
        share = rolling.get(wheel, mean) / mean if mean else 1.0
        found[f"{side}_drive"] = IDLE_A + abs(torque * share) / NM_PER_A
    found["supply"] = sum(found.values())
    if random is not None:
        noise = NOISE_A * random.standard_normal(len(found))
        found = {
            k: v + float(n) for (k, v), n in zip(found.items(), noise, strict=True)
        }
    return found


class SensorMissing(ValueError):
    """The vehicle's file names no sensor of this kind."""


def _sensor(vehicle: Vehicle, kind: str) -> Sensor:
    found = vehicle.sensor(kind)
    if found is None:
        raise SensorMissing(f"{vehicle.name} has no {kind}")
    return found
