"""The closed loop behind the topics of the simulator: real navigation, same faces.

Goals come in as they always do. What drives is the pilot on a body with mass, from
noisy lasers and drifting wheels, and what the topics tell is what the robot believes.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.geometry import Scan as Swept
from shopfloor.grid import Grid
from shopfloor.pilot import Pilot, PilotStatus
from shopfloor.plant.plant import STEP_S, Plant
from shopfloor.plant.robots import PlantRobot
from shopfloor.plant.walkers import Manners
from shopfloor.plant.walkers import Walker as PlantWalker
from shopfloor.sim.driving import Drive, pose_message
from shopfloor.sim.message_types import Message
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import MAP_FRAME, SimRobot
from shopfloor.sim.sensors import FREE, INSCRIBED, LETHAL
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.sim.vehicle import Vehicle
from shopfloor.sim.world import Person


def _told(pose: Pose) -> SimPose:
    return SimPose(pose.x_m, pose.y_m, pose.yaw_rad)


class NavigatedVehicle(Vehicle):
    """Looks like a vehicle; the pilot of the plant drives it."""

    machine: PlantRobot | None = None
    _aimed: SimPose | None = None

    @property
    def arrived(self) -> bool:
        return (
            self.target is not None
            and self.target == self._aimed
            and self.machine is not None
            and self.machine.command.status is PilotStatus.ARRIVED
        )

    @property
    def failure(self) -> str | None:
        command = self.machine.command if self.machine is not None else None
        if command is None or command.status is not PilotStatus.FAILED:
            return None
        if self.target is None or self.target != self._aimed:
            return None
        return command.cause.value if command.cause is not None else "unknown"

    def tick(self, dt_s: float, rng: random.Random) -> None:
        self._use_battery(dt_s)

    def aim(self) -> None:
        """Hand a new target to the pilot, or take the old one away."""
        machine = self.machine
        if machine is None:
            return
        machine.stop_pressed = self.held
        if self.target == self._aimed:
            return
        self._aimed = self.target
        if self.target is None:
            machine.pilot.cancel()
        else:
            goal = Pose(self.target.x_m, self.target.y_m, self.target.yaw_rad)
            machine.drive_to(goal)

    def follow(self) -> None:
        """Tell what the robot believes after the plant has moved it."""
        machine = self.machine
        if machine is None:
            return
        if machine.believed is not None:
            standing = machine.body.speed_mps < 1e-3 and machine.command.still
            if not standing or self.pose.distance_to(_told(machine.believed)) > 0.02:
                self.pose = _told(machine.believed)
        self.speed_mps = machine.body.speed_mps
        self.turn_radps = machine.body.wz_radps
        self.odometer_m = machine.body.travelled_m
        self.odometry = _told(machine.odometry.pose)


class NavigatedRobot(SimRobot):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        plain = self.vehicle
        self.vehicle: NavigatedVehicle = NavigatedVehicle(
            plain.pose, plain.limits, charger=plain.charger, battery=plain.battery
        )
        self._wheel.vehicle = self.vehicle

    def _advertise_topics(self) -> None:
        super()._advertise_topics()
        self._advertise("scan_rear", "sensor_msgs/LaserScan")
        due = type(self._periodic[0][0])(0.2)
        self._periodic.append((due, "scan_rear", self._rear_scan))

    def give_up_if_failed(self) -> None:
        """A goal that the pilot cannot reach is answered, not forgotten."""
        cause, driver = self.vehicle.failure, self._wheel.driver
        if cause is not None and isinstance(driver, Drive) and driver.problem is None:
            driver.problem = f"Failed to find a valid plan: {cause}"
            self._wheel.release(driver)

    def _scan(self) -> Message:
        return self._laser(0, "laser")

    def _rear_scan(self) -> Message:
        return self._laser(1, "laser_rear")

    def _laser(self, index: int, frame: str) -> Message:
        machine = self.vehicle.machine
        if machine is None or len(machine.scans) <= index:
            return super()._scan()
        scan: Swept = machine.scans[index]
        reach = scan.angle_step_rad * (len(scan.ranges_m) - 1)
        return {
            "header": self._header(f"{self._frame}{frame}"),
            "angle_min": scan.angle_min_rad,
            "angle_max": scan.angle_min_rad + reach,
            "angle_increment": scan.angle_step_rad,
            "scan_time": STEP_S,
            "range_min": 0.0,
            "range_max": scan.range_max_m,
            "ranges": [float(r) for r in scan.ranges_m],
        }

    def _plan(self) -> Message:
        machine = self.vehicle.machine
        route = machine.pilot.route if machine is not None else None
        if self.vehicle.target is None or route is None:
            return super()._plan()
        header = self._header(MAP_FRAME)
        points = [SimPose(float(x), float(y)) for x, y in route.xy]
        poses = [{"header": header, "pose": pose_message(p)} for p in points]
        return {"header": header, "poses": poses}

    def _costmap(self) -> Message:
        machine = self.vehicle.machine
        if machine is None or not isinstance(machine.pilot, Pilot):
            return super()._costmap()
        window, grid = machine.pilot.planner.window, machine.pilot.grid
        size = window.cells
        cells = np.ones((size, size), np.uint8)
        rows = np.arange(size) + window.low
        columns = np.arange(size) + window.left
        on_r = (rows >= 0) & (rows < grid.height)
        on_c = (columns >= 0) & (columns < grid.width)
        cells[np.ix_(on_r, on_c)] = grid.cells[np.ix_(rows[on_r], columns[on_c])]
        cells[window.seen_at >= 0.0] = 1
        near = Grid.of(cells, grid.resolution_m).inflated(machine.limits.radius_m)
        costs = np.where(near.cells != 0, INSCRIBED, FREE)
        costs[cells != 0] = LETHAL
        left = grid.origin[0] + window.left * grid.resolution_m
        low = grid.origin[1] + window.low * grid.resolution_m
        return {
            "header": self._header(MAP_FRAME),
            "info": {
                "map_load_time": self._registry.time(self.clock.now()),
                "resolution": grid.resolution_m,
                "width": size,
                "height": size,
                "origin": {
                    "position": {"x": left, "y": low},
                    "orientation": {"w": 1.0},
                },
            },
            "data": [int(cost) for cost in costs.reshape(-1)],
        }


class FollowedWalker(Walker):
    """Shows where a person of the plant is."""

    shown: PlantWalker | None = None

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.shown = None

    @property
    def velocity(self) -> tuple[float, float]:
        if self.shown is None:
            return (0.0, 0.0)
        return (self.shown.vx_mps, self.shown.vy_mps)

    def tick(self, dt_s: float, rng: random.Random) -> None:
        if self.shown is not None:
            vx, vy = self.velocity
            yaw = math.atan2(vy, vx) if vx or vy else self.pose.yaw_rad
            self.pose = SimPose(self.shown.x_m, self.shown.y_m, yaw)


class FullSimulation(Simulation):
    """A simulation whose robots navigate for themselves."""

    robot_type = NavigatedRobot
    walker_type = FollowedWalker

    def __init__(self, *args: Any, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, seed=seed, **kwargs)
        self.plant = Plant(self.world, seed)
        self._owed_s = 0.0
        for machine in self.plant.robots:
            self._robot(machine.id).vehicle.machine = machine
        for index, (name, walker) in enumerate(self.walkers.items()):
            rounds = [(pose.x_m, pose.y_m) for pose in walker.person.path]
            speed = walker.person.speed_mps
            shown = PlantWalker(
                name,
                *rounds[0],
                np.random.default_rng((seed, 1000 + index)),
                Manners((0.9 * speed, 1.1 * speed), approach_share=0.0),
                rounds,
            )
            self.plant.add_walker(shown)
            if isinstance(walker, FollowedWalker):
                walker.shown = shown

    def _robot(self, name: str) -> NavigatedRobot:
        robot = self.robots[name]
        if not isinstance(robot, NavigatedRobot):
            raise TypeError(f"robot {name} does not navigate")
        return robot

    def tick(self, dt_s: float, rng: random.Random) -> None:
        navigated = [self._robot(machine.id) for machine in self.plant.robots]
        super().tick(dt_s, rng)
        for robot in navigated:
            robot.vehicle.aim()
        self._owed_s += dt_s
        while self._owed_s >= STEP_S - 1e-9:
            self._owed_s -= STEP_S
            self.plant.step()
        for robot in navigated:
            robot.vehicle.follow()
            robot.give_up_if_failed()

    def state(self) -> dict[str, Any]:
        """The truth, which the robots themselves do not know."""
        found = super().state()
        truth = {machine.id: machine.body.pose for machine in self.plant.robots}
        for facts in found["robots"]:
            pose = truth[facts["id"]]
            facts.update(x_m=pose.x_m, y_m=pose.y_m, yaw_rad=pose.yaw_rad)
        if self.plant.doors:
            doors = self.plant.doors.items()
            found["doors"] = {name: not door.closed for name, door in doors}
        found["contacts"] = sum(watch.contacts for watch in self.plant.watches)
        return found
