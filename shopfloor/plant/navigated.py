"""A robot and a person of the plant behind the faces that the topics know."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.lasers import FRONT, REAR
from shopfloor.local.planner import rest_of
from shopfloor.pilot import Pilot, PilotStatus
from shopfloor.plant.laser_faults import LaserFault
from shopfloor.plant.plant import STEP_S
from shopfloor.plant.robots import PlantRobot, lasers_of
from shopfloor.plant.walkers import Walker as PlantWalker
from shopfloor.sim.clock import Every
from shopfloor.sim.driving import Drive
from shopfloor.sim.message_types import Message
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import ERROR, OK, SimRobot
from shopfloor.sim.sensors import FREE, INSCRIBED, LETHAL
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.sim.vehicle import Vehicle, first_metres
from shopfloor.sim.world import Person

ENDED = (PilotStatus.ARRIVED, PilotStatus.FAILED)
POSE_S = 0.2
STEP_ASIDE = "Please step aside."
LASERS = {"front": FRONT, "rear": REAR}


def _told(pose: Pose) -> SimPose:
    return SimPose(pose.x_m, pose.y_m, pose.yaw_rad)


class NavigatedVehicle(Vehicle):
    """Looks like a vehicle; the pilot of the plant drives it."""

    machine: PlantRobot | None = None
    _aimed: SimPose | None = None
    _considered = False
    """The pilot has decided something since it was given this target."""

    @property
    def _status(self) -> PilotStatus | None:
        """What the pilot says of the present target."""
        if self.target is None or self.target != self._aimed or self.machine is None:
            return None
        return self.machine.command.status if self._considered else None

    @property
    def arrived(self) -> bool:
        return self._status is PilotStatus.ARRIVED

    @property
    def failure(self) -> str | None:
        if self.machine is None or self._status is not PilotStatus.FAILED:
            return None
        cause = self.machine.command.cause
        return cause.value if cause is not None else "unknown"

    @property
    def laser_faults(self) -> dict[str, str]:
        """What is wrong with which laser, as the robot itself has found out."""
        return {} if self.machine is None else self.machine.pilot.lasers.faults

    @property
    def under_way(self) -> bool:
        return self.target is not None and self._status not in ENDED

    def tick(self, dt_s: float, rng: random.Random) -> None:
        self._use_battery(dt_s)

    def aim(self) -> None:
        """Hand a new target to the pilot, or take the old one away."""
        machine = self.machine
        if machine is None:
            return
        machine.stop_pressed = self.held
        machine.by_hand = self.by_hand
        if self.target == self._aimed:
            return
        self._aimed = self.target
        self._considered = False
        if self.target is None:
            machine.pilot.cancel()
        else:
            goal = Pose(self.target.x_m, self.target.y_m, self.target.yaw_rad)
            machine.drive_to(goal)

    def take_pose(self, pose: SimPose) -> str | None:
        """The localiser is told; where the robot stands does not change."""
        if self.machine is None:
            return "the plant does not run"
        return self.machine.take_pose(Pose(pose.x_m, pose.y_m, pose.yaw_rad))

    def consider(self) -> None:
        """The plant has made a step."""
        self._considered = True

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

        self._broken: dict[str, tuple[LaserFault, float]] = {}
        """Which laser, how, and until when."""

    take_ranges: Callable[[Message, int], Iterable[Message]]

    def _ranges(self) -> Iterable[Message]:
        return self.take_ranges(self._header(""), self.spec.tag)

    def _advertise_topics(self) -> None:
        super()._advertise_topics()
        self._advertise("scan_rear", "sensor_msgs/LaserScan")
        self._periodic.append((Every(0.2), "scan_rear", self._rear_scan))
        self._advertise("sound", "std_msgs/String")
        self._periodic.append((Every(2.0), "sound", self._sound))
        self._advertise("light", "std_msgs/ColorRGBA")
        self._periodic.append((Every(0.5), "light", self._light))

    @property
    def _asks(self) -> bool:
        machine = self.vehicle.machine
        return machine is not None and machine.command.asks

    def _sound(self) -> Message | None:
        """Spoken by whatever listens; silence says nothing."""
        return {"data": STEP_ASIDE} if self._asks else None

    def _light(self) -> Message:
        """Amber while somebody is asked to step aside, else green."""
        return {"r": 1.0 if self._asks else 0.0, "g": 0.7, "b": 0.0, "a": 1.0}

    def step(self) -> None:
        """Where it is before that it arrived: who hears the end compares the pose."""
        if self.vehicle.arrived:
            self._pose_due = Every(POSE_S)
            self._tell_pose(self._graph.clock.now())
        super().step()

    def give_up_if_failed(self) -> None:
        """A goal that the pilot cannot reach is answered, not forgotten."""
        cause, driver = self.vehicle.failure, self._wheel.driver
        if cause is not None and isinstance(driver, Drive) and driver.problem is None:
            driver.problem = f"Failed to find a valid plan: {cause}"
            self._wheel.release(driver)

    def clear_costmaps(self) -> None:
        super().clear_costmaps()
        machine = self.vehicle.machine
        if machine is not None and isinstance(machine.pilot, Pilot):
            machine.pilot.planner.window.clear()

    def mounts(self) -> list[Message]:
        known = {FRONT: "laser", REAR: "laser_rear"}
        return [
            self._mount(known[laser.name], _told(laser.mount))
            for laser in lasers_of(self.spec.radius_m)
        ]

    def break_laser(self, side: str, kind: str, until: float) -> bool:
        self._broken[LASERS[side]] = LaserFault(kind), until
        return True

    def mend_lasers(self) -> None:
        self._broken.clear()

    def spoil_lasers(self) -> None:
        """Let the faults of this moment reach the lasers."""
        now = self._graph.clock.now()
        self._broken = {n: b for n, b in self._broken.items() if now < b[1]}
        if self.vehicle.machine is not None:
            faults = {name: fault for name, (fault, _) in self._broken.items()}
            self.vehicle.machine.laser_faults.set(faults)

    @property
    def stopped(self) -> bool:
        return super().stopped or bool(self.vehicle.laser_faults)

    def _senses(self) -> list[Message]:
        machine, wrong = self.vehicle.machine, self.vehicle.laser_faults
        lasers = () if machine is None else machine.pilot.lasers.names
        return [
            self._part(name, ERROR if name in wrong else OK, wrong.get(name, "ready"))
            for name in lasers
        ]

    def state(self) -> dict[str, Any]:
        return super().state() | {"laser_faults": self.vehicle.laser_faults}

    def _scan(self) -> Message | None:
        return self._laser(FRONT, "laser")

    def _rear_scan(self) -> Message | None:
        return self._laser(REAR, "laser_rear")

    def _laser(self, name: str, frame: str) -> Message | None:
        machine = self.vehicle.machine
        if machine is None or machine.estimate is None:
            return super()._scan()  # before the first step
        scan = next((one for one in machine.scans if one.laser == name), None)
        if scan is None:
            return None
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
        return self._path(SimPose(float(x), float(y)) for x, y in route.xy)

    def _local_plan(self) -> Message:
        machine = self.vehicle.machine
        if self.vehicle.target is None or machine is None or machine.believed is None:
            return self._path(())
        pilot, here = machine.pilot, machine.believed
        if not isinstance(pilot, Pilot):
            return super()._local_plan()
        if pilot.local is None or not pilot.local.ok:
            return self._path(())
        rest = rest_of(pilot.local.xy, here.x_m, here.y_m)
        ahead = [SimPose(float(x), float(y)) for x, y in rest]
        return self._path(first_metres(ahead, 0.5 * pilot.planner.window.shape.size_m))

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
        cells_of_window: list[int] = costs.reshape(-1).tolist()
        return self._grid(
            grid.resolution_m, size, size, SimPose(left, low), cells_of_window
        )


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
