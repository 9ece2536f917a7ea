"""Car-like vehicles behind the topics of the simulator.

Goals come in as for any robot; Hybrid A* and a local planner drive. Whoever sends
velocities drives by hand: the turn rate of ``cmd_vel`` becomes the steering that gives
it, and a vehicle that hears nothing for half a second stops.
"""

from __future__ import annotations

import math
import random
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleet.bodies.file import load_vehicle
from shopfloor.geometry import Pose
from shopfloor.localisation.odometry import Encoders
from shopfloor.maneuvers.local import PERIOD_S, local_planner
from shopfloor.maneuvers.scene import Command
from shopfloor.plant.navigated import FollowedWalker
from shopfloor.sim import sensors
from shopfloor.sim.clock import Every
from shopfloor.sim.driving import Drive
from shopfloor.sim.encoding import Payload
from shopfloor.sim.message_types import Message
from shopfloor.sim.robot import SimRobot
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import NoWay, Vehicle
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.streets.drive import (
    BeginSearch,
    Driver,
    at_once,
    body_discs,
    walkers_of,
)
from shopfloor.streets.passability import guide_of
from shopfloor.streets.world import StreetWorld
from shopfloor.vehicles.errors import CommandWrong, VehicleRefused
from shopfloor.vehicles.joints import JointState, joint_states, true_joint_states
from shopfloor.vehicles.motion import checked, steering_of
from shopfloor.vehicles.sensors import (
    CURRENTS,
    Surroundings,
    depth_picture,
    motor_currents,
    read_gnss,
    read_imu,
    rear_axle,
)

PLANNER = "teb"
COMMAND_S = 0.5
"""A velocity counts for so long."""
ARRIVED_M = 0.3
FLOATS = 7
"""The number of the type in point clouds."""
FIX, GPS = 0, 1
TRUE_JOINTS = "true_joint_states"
ENCODERS = "wheel_encoders"
"""Of the rear wheels, as they count: whole ticks, with wear and slip."""
ENCODED = ("rl_axle", "rr_axle")
OBSTACLES = "obstacles"
"""What a vehicle has met that no map shows; the others hear it and drive around."""
CELL_M = 0.05


class StreetVehicle(Vehicle):
    """Looks like a vehicle; a driver drives it."""

    driver: Driver | None = None
    encoders: Encoders | None = None
    sent: tuple[Command, float] | None = None
    """A velocity that somebody sent, and until when it counts, in plant time."""
    rolled_m: float = 0.0
    turned_rad: float = 0.0
    speeds_mps: tuple[float, float] = (0.0, 0.0)
    _owed_s: float = 0.0

    @property
    def arrived(self) -> bool:
        driver = self.driver
        if driver is None or driver.going is None or self.target is None:
            return False
        return driver.going.reached and self.standing

    @property
    def failure(self) -> str | None:
        driver = self.driver
        return None if driver is None or driver.going is None else driver.going.why

    def head_for(self, target: SimPose | None) -> None:
        driver = self.driver
        if driver is None:
            return
        if target is None:
            driver.stop()
        else:
            try:
                driver.head_for(Pose(target.x_m, target.y_m, target.yaw_rad))
            except VehicleRefused as error:
                raise NoWay(str(error)) from error
            self.sent = None
        self.target = target

    def take_pose(self, pose: SimPose) -> str | None:
        return "this vehicle knows where it is"

    def way(self) -> list[SimPose]:
        driver = self.driver
        if driver is None or self.target is None:
            return []
        ahead = driver.planner.ahead(math.inf)[::5, :3]
        return [self.pose, *(SimPose(*map(float, at)) for at in ahead), self.target]

    def tick(self, dt_s: float, rng: random.Random) -> None:
        driver = self.driver
        if driver is None:
            return
        self._owed_s += dt_s
        while self._owed_s >= PERIOD_S - 1e-9:
            self._owed_s -= PERIOD_S
            self._period(driver)
        self._use_battery(dt_s)

    def _period(self, driver: Driver) -> None:
        x, y, yaw, speed, _ = (float(v) for v in driver.state[0])
        if self.held:
            driver.step(Command(0.0, float(driver.state[0, 4])))
        elif self.sent is not None and driver.now_s < self.sent[1]:
            driver.step(self.sent[0])
        else:
            driver.period(ARRIVED_M)
        now_x, now_y, now_yaw, now_speed, _ = (float(v) for v in driver.state[0])
        if self.encoders is not None:
            self.encoders.advance(Pose(x, y, yaw), Pose(now_x, now_y, now_yaw))
        moved = math.hypot(now_x - x, now_y - y)
        self.turned_rad = math.remainder(now_yaw - yaw, math.tau)
        self.speeds_mps = speed, now_speed
        self.rolled_m += math.copysign(moved, now_speed or speed)
        self.odometer_m += moved
        self.pose = SimPose(now_x, now_y, math.remainder(now_yaw, math.tau))
        self.odometry = self.pose
        self.speed_mps, self.turn_radps = now_speed, self.turned_rad / PERIOD_S

    @property
    def standing(self) -> bool:
        return self.speed_mps == 0.0


class StreetRobot(SimRobot):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plain = self.vehicle
        self.vehicle: StreetVehicle = StreetVehicle(
            plain.pose, plain.limits, charger=plain.charger, battery=plain.battery
        )
        self._wheel.vehicle = self.vehicle
        self.noise = np.random.default_rng(self._rng.getrandbits(32))

    def _advertise_topics(self) -> None:
        super()._advertise_topics()
        for period_s, suffix, kind, build in (
            (0.1, "joint_states", "sensor_msgs/JointState", self._joint_states),
            (0.1, TRUE_JOINTS, "sensor_msgs/JointState", self._true_joint_states),
            (0.1, ENCODERS, "sensor_msgs/JointState", self._wheel_encoders),
            (0.1, "imu", "sensor_msgs/Imu", self._imu),
            (1.0, "fix", "sensor_msgs/NavSatFix", self._fix),
            (0.5, "points", "sensor_msgs/PointCloud2", self._points),
            (0.5, "depth", "sensor_msgs/Image", self._depth),
            (0.5, "motor_currents", "sensor_msgs/JointState", self._currents),
            (1.0, OBSTACLES, "nav_msgs/GridCells", self._obstacles),
        ):
            self._advertise(suffix, kind)
            self._periodic.append((Every(period_s), suffix, build))
        self._graph.subscribe(
            self,
            self._node,
            self.name("cmd_vel"),
            "geometry_msgs/Twist",
            self._on_velocity,
        )

    @property
    def _driver(self) -> Driver | None:
        return self.vehicle.driver

    def _on_velocity(self, payload: Payload) -> None:
        """Drives by hand and ends a goal. What is no number stops the vehicle."""
        driver, twist = self._driver, payload.message
        if driver is None:
            return
        speed, turn = float(twist["linear"]["x"]), float(twist["angular"]["z"])
        try:
            base_m = driver.vehicle.dimensions.wheel_base_m
            command = Command(*checked(speed, steering_of(turn, speed, base_m)))
        except CommandWrong as error:
            self._record("velocity refused", reason=str(error))
            command = Command(0.0, float(driver.state[0, 4]))
        goal = self._wheel.driver
        if isinstance(goal, Drive):
            goal.problem = "Somebody drives by cmd_vel"
            self._wheel.release(goal)
        self.vehicle.sent = command, driver.now_s + COMMAND_S

    def step(self) -> None:
        cause, goal = self.vehicle.failure, self._wheel.driver
        if cause and isinstance(goal, Drive) and goal.problem is None:
            goal.problem = f"Failed to find a valid plan: {cause}"
            self._wheel.release(goal)
        super().step()

    def _around(self, driver: Driver) -> Surroundings:
        world = driver.world
        return Surroundings(world.walls, world.heights_m, driver.bodies_m())

    def _here(self) -> Pose:
        pose = self.vehicle.pose
        return Pose(pose.x_m, pose.y_m, pose.yaw_rad)

    def _joint_states(self) -> Message | None:
        driver, vehicle = self._driver, self.vehicle
        if driver is None:
            return None
        steering = float(driver.state[0, 4])
        return self._joints(
            joint_states(driver.vehicle, vehicle.speed_mps, steering, vehicle.rolled_m)
        )

    def _wheel_encoders(self) -> Message | None:
        """How far each rear wheel says it has rolled since the vehicle was started."""
        encoders = self.vehicle.encoders
        if encoders is None:
            return None
        angle = encoders.base.rad_per_tick
        return {
            "header": self._header(""),
            "name": list(ENCODED),
            "position": [ticks * angle for ticks in encoders.ticks],
        }

    def _true_joint_states(self) -> Message | None:
        """Each wheel as a real axle turns it, beside the table's one angle for both."""
        driver = self._driver
        if driver is None:
            return None
        return self._joints(
            true_joint_states(
                driver.vehicle, self.vehicle.speed_mps, float(driver.state[0, 4])
            )
        )

    def _joints(self, states: list[JointState]) -> Message:
        return {
            "header": self._header(""),
            "name": [each.name for each in states],
            "position": [each.position_rad for each in states],
            "velocity": [each.velocity_radps for each in states],
        }

    def _imu(self) -> Message | None:
        driver, vehicle = self._driver, self.vehicle
        if driver is None or driver.vehicle.sensor("imu") is None:
            return None
        seen = read_imu(
            driver.vehicle, vehicle.speeds_mps, vehicle.turned_rad, PERIOD_S, self.noise
        )
        unknown = [-1.0] + [0.0] * 8
        return {
            "header": self._header(f"{self._frame}imu_link"),
            "orientation_covariance": unknown,
            "angular_velocity": {"z": seen.wz_radps},
            "linear_acceleration": {"x": seen.ax_mps2, "y": seen.ay_mps2},
        }

    def _fix(self) -> Message | None:
        driver = self._driver
        if driver is None or driver.vehicle.sensor("gnss") is None:
            return None
        north, east, sigma_m = read_gnss(driver.vehicle, self._here(), self.noise)
        variance = sigma_m**2
        return {
            "header": self._header(f"{self._frame}gnss_link"),
            "status": {"status": FIX, "service": GPS},
            "latitude": north,
            "longitude": east,
            "altitude": math.nan,
            "position_covariance": [variance, 0, 0, 0, variance, 0, 0, 0, variance],
            "position_covariance_type": 1,
        }

    def _scan(self) -> Message | None:
        driver = self._driver
        if driver is None or driver.lidar is None:
            return None
        cut = driver.lidar.cut(
            self._here(), driver.world.walls, driver.bodies_m(), self.noise
        )
        reach = cut.angle_step_rad * (len(cut.ranges_m) - 1)
        return {
            "header": self._header(f"{self._frame}lidar_link"),
            "angle_min": cut.angle_min_rad,
            "angle_max": cut.angle_min_rad + reach,
            "angle_increment": cut.angle_step_rad,
            "scan_time": 0.2,
            "range_min": 0.0,
            "range_max": cut.range_max_m,
            "ranges": [float(r) for r in cut.ranges_m],
        }

    def _points(self) -> Message | None:
        """All lines of the lidar, in the frame of the vehicle."""
        driver = self._driver
        if driver is None or driver.lidar is None:
            return None
        lidar = driver.lidar
        ranges = lidar.cloud(self._here(), self._around(driver), self.noise)
        points = lidar.points_m(ranges).astype("<f4")
        names = ("x", "y", "z")
        return {
            "header": self._header(f"{self._frame}base_link"),
            "height": 1,
            "width": len(points),
            "fields": [
                {"name": name, "offset": 4 * i, "datatype": FLOATS, "count": 1}
                for i, name in enumerate(names)
            ],
            "is_bigendian": False,
            "point_step": 12,
            "row_step": 12 * len(points),
            "data": points.tobytes(),
            "is_dense": True,
        }

    def _depth(self) -> Message | None:
        """A stand-in: metres ahead, without colours and without a lens."""
        driver = self._driver
        if driver is None or driver.vehicle.sensor("camera") is None:
            return None
        picture = depth_picture(driver.vehicle, self._here(), self._around(driver))
        rows, columns = picture.shape
        return {
            "header": self._header(f"{self._frame}camera_link"),
            "height": rows,
            "width": columns,
            "encoding": "32FC1",
            "is_bigendian": 0,
            "step": 4 * columns,
            "data": picture.astype("<f4").tobytes(),
        }

    def _costmap(self) -> Message:
        """Beside the walls of the map what stands on it, and what is on no map but was
        seen, by this vehicle or by another one that told it."""
        driver, pose = self._driver, self.vehicle.pose
        if driver is None:
            return super()._costmap()
        walls = [(a, b, c, d) for a, b, c, d in driver.world.known_walls.tolist()]
        reach_m = self.spec.radius_m
        size, corner, cells = sensors.costmap(pose, walls, reach_m)
        cell_m = sensors.COSTMAP_CELL_M
        middles = cell_m * (np.arange(size) + 0.5)
        x, y = np.meshgrid(corner.x_m + middles, corner.y_m + middles)
        far_m = np.full(x.shape, np.inf)
        for seen_x, seen_y in driver.seen_m:
            np.minimum(far_m, np.hypot(x - seen_x, y - seen_y), out=far_m)
        costs = np.array(cells).reshape(x.shape)
        costs = np.maximum(costs, sensors.INSCRIBED * (far_m <= reach_m))
        costs[far_m <= cell_m] = sensors.LETHAL
        return self._grid(cell_m, size, size, corner, costs.ravel().tolist())

    def _obstacles(self) -> Message | None:
        """What it knows of that the map does not show, in the frame of the map."""
        driver = self._driver
        if driver is None:
            return None
        return {
            "header": self._header("map"),
            "cell_width": CELL_M,
            "cell_height": CELL_M,
            "cells": [{"x": float(x), "y": float(y)} for x, y in driver.seen_m],
        }

    def hear_of(self, other: StreetRobot) -> None:
        """Take obstacles from another vehicle, as long as the network carries them."""
        self._graph.subscribe(
            (self, other),
            self._node,
            other.name(OBSTACLES),
            "nav_msgs/GridCells",
            self._on_obstacles,
        )

    def _on_obstacles(self, payload: Payload) -> None:
        driver, cells = self._driver, payload.message["cells"]
        points = [(float(cell["x"]), float(cell["y"])) for cell in cells]
        known = [p for p in points if math.isfinite(p[0]) and math.isfinite(p[1])]
        if driver is not None and known:
            driver.remember(np.array(known))

    def look_once(self) -> None:
        """With every sensor that casts rays."""
        for build in (self._scan, self._points, self._depth):
            build()

    def _currents(self) -> Message | None:
        """Amperes by motor, as efforts: a plain model, see ``motor_currents``."""
        driver, vehicle = self._driver, self.vehicle
        if driver is None:
            return None
        before, now = vehicle.speeds_mps
        found = motor_currents(
            driver.vehicle,
            self.scale.cell.load_kg,
            now,
            (now - before) / PERIOD_S,
            float(driver.state[0, 4]),
            0.0,
            self.noise,
        )
        return {
            "header": self._header(""),
            "name": list(CURRENTS),
            "effort": [found[name] for name in CURRENTS],
        }

    def state(self) -> dict[str, Any]:
        driver = self._driver
        if driver is None:
            return super().state()
        going = driver.going
        return super().state() | {
            "vehicle": driver.vehicle.name,
            "steering_rad": float(driver.state[0, 4]),
            "contacts": 0 if going is None else going.contacts,
        }


class StreetSimulation(Simulation):
    """A world out of doors: every robot that names a vehicle file is that vehicle."""

    robot_type = StreetRobot
    walker_type = FollowedWalker

    def __init__(
        self,
        streets: StreetWorld,
        *args: Any,
        seed: int = 0,
        planner: str = PLANNER,
        begin: BeginSearch = at_once,
        **kwargs: Any,
    ) -> None:
        """``begin``: how ways are looked for; at once, the same ticks give the same
        drives, but nobody is heard meanwhile."""
        super().__init__(streets.world, *args, seed=seed, **kwargs)
        self.streets = streets
        self._on_foot = walkers_of(streets, seed)
        self._floor = streets.true_grid.inflated(0.35) if self._on_foot else None
        self._plant_s = 0.0
        for shown, walker in zip(self._on_foot, self.walkers.values(), strict=True):
            if isinstance(walker, FollowedWalker):
                walker.shown = shown
        self.drivers: dict[str, Driver] = {}
        for number, (name, robot) in enumerate(self.robots.items()):
            vehicle = load_vehicle(robot.spec.vehicle or "zebrat")
            driver = Driver(
                streets,
                vehicle,
                local_planner(planner, vehicle, seed + number),
                guide_of("hybrid", vehicle, streets),
                seed + number,
                self._on_foot,
                others=partial(self._other_bodies, name),
                walks=False,
                begin=begin,
            )
            home = robot.spec.home
            driver.put(Pose(home.x_m, home.y_m, home.yaw_rad))
            self.drivers[name] = driver
            if isinstance(robot, StreetRobot):
                robot.vehicle.driver = driver
                robot.vehicle.encoders = Encoders(rear_axle(vehicle), robot.noise)
        vehicles = [r for r in self.robots.values() if isinstance(r, StreetRobot)]
        for robot in vehicles:
            for other in vehicles:
                if other is not robot:
                    robot.hear_of(other)

    def warm_up(self) -> None:
        """Nobody's first goal waits for the compiler."""
        for driver in self.drivers.values():
            driver.warm_up()
        for robot in self.robots.values():
            if isinstance(robot, StreetRobot):
                robot.look_once()

    def _other_bodies(self, name: str) -> NDArray[np.float64]:
        rows = []
        for other, driver in self.drivers.items():
            if other == name:
                continue
            pose, speed = driver.pose, float(driver.state[0, 3])
            vx, vy = speed * math.cos(pose.yaw_rad), speed * math.sin(pose.yaw_rad)
            for at, radius_m in body_discs(driver.vehicle, pose):
                rows.append((at.x_m, at.y_m, radius_m, vx, vy))
        return np.array(rows, np.float64).reshape(-1, 5)

    def tick(self, dt_s: float, rng: random.Random) -> None:
        if self._floor is not None:
            self._plant_s += dt_s
            bodies = [
                body
                for driver in self.drivers.values()
                for body in body_discs(driver.vehicle, driver.pose)
            ]
            for walker in self._on_foot:
                walker.step(self._plant_s, dt_s, self._floor, bodies)
        super().tick(dt_s, rng)
