"""The closed loop behind the topics of the simulator: real navigation, same faces.

Goals come in as they always do. What drives is the pilot on a body with mass, from
noisy lasers and drifting wheels, and what the topics tell is what the robot believes.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.geometry import Scan as Swept
from shopfloor.grid import Grid
from shopfloor.local.warming import warm_up as warm_local
from shopfloor.localisation import warm_up as warm_localisation
from shopfloor.pilot import Pilot, PilotStatus
from shopfloor.planning import warm_up as warm_planning
from shopfloor.plant.boxes import Box, NoRoomForBoxes, scatter_boxes
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.plant import STEP_S, Plant
from shopfloor.plant.recording import Recorder
from shopfloor.plant.robots import Localisation, PlantRobot
from shopfloor.plant.walkers import Manners
from shopfloor.plant.walkers import Walker as PlantWalker
from shopfloor.sim.clock import Every
from shopfloor.sim.driving import Drive, pose_message
from shopfloor.sim.message_types import Message
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import MAP_FRAME, SimRobot
from shopfloor.sim.sensors import FREE, INSCRIBED, LETHAL
from shopfloor.sim.simulation import Simulation
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.sim.vehicle import Vehicle
from shopfloor.sim.world import Person, World, WorldRefused

MOST_STEPS = 40
"""Of one robot's plant in a tick. Who asks for more speed than the machine has gets a
slower plant, never one that drives in leaps or does not answer."""
ENDED = (PilotStatus.ARRIVED, PilotStatus.FAILED)
FIRST_TAG = 900
POSE_S = 0.2
WARMING_S = 0.5


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
        if self.target == self._aimed:
            return
        self._aimed = self.target
        self._considered = False
        if self.target is None:
            machine.pilot.cancel()
        else:
            goal = Pose(self.target.x_m, self.target.y_m, self.target.yaw_rad)
            machine.drive_to(goal)

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

    def _advertise_topics(self) -> None:
        super()._advertise_topics()
        self._advertise("scan_rear", "sensor_msgs/LaserScan")
        self._periodic.append((Every(0.2), "scan_rear", self._rear_scan))

    def step(self) -> None:
        """Where it is before that it arrived: who hears the end judges by the pose."""
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
    """A simulation whose robots navigate for themselves.

    ``wait_for_goals``: time passes in the plant only while a robot has a goal, so a
    mission is the same on a fast machine and on a busy one.
    """

    robot_type = NavigatedRobot
    walker_type = FollowedWalker

    def __init__(
        self,
        *args: Any,
        seed: int = 0,
        boxes: int = 0,
        people: int = 0,
        localisation: Localisation = "amcl",
        wait_for_goals: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, seed=seed, **kwargs)
        self.plant = _plant(self.world, seed, boxes, people, localisation)
        self.on_plant_step: Callable[[Plant], None] = lambda plant: None
        self._wait_for_goals = wait_for_goals
        self._owed_s = 0.0
        for machine in self.plant.robots:
            robot = self._robot(machine.id)
            robot.vehicle.machine = machine
            robot.scale.cell.on_load = machine.carry
        for index, (name, walker) in enumerate(self.walkers.items()):
            rounds = [(pose.x_m, pose.y_m) for pose in walker.person.path]
            speed = walker.person.speed_mps
            shown = PlantWalker(
                name,
                *rounds[0],
                np.random.default_rng((seed, 2000 + index)),
                Manners((0.9 * speed, 1.1 * speed), approach_share=0.0),
                rounds,
            )
            self.plant.add_walker(shown)
            if isinstance(walker, FollowedWalker):
                walker.shown = shown
        for index, visitor in enumerate(self.plant.walkers[:people]):
            here = (SimPose(visitor.x_m, visitor.y_m),)
            person = Person(visitor.name, here, tag=FIRST_TAG + index)
            if person.id in self.walkers:
                raise WorldRefused(f"the world has a {person.id} of its own")
            followed = self.walkers[person.id] = FollowedWalker(person)
            followed.shown = visitor

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
        left = max(1, MOST_STEPS // max(1, len(navigated)))
        while self._owed_s >= STEP_S - 1e-9:
            idle = not any(robot.vehicle.under_way for robot in navigated)
            if left == 0 or (idle and self._wait_for_goals):
                self._owed_s = 0.0
                break
            left -= 1
            self._owed_s -= STEP_S
            self.plant.step()
            for robot in navigated:
                robot.vehicle.consider()
            self.on_plant_step(self.plant)
        for robot in navigated:
            robot.vehicle.follow()
            robot.give_up_if_failed()

    def state(self) -> dict[str, Any]:
        """The truth, which the robots themselves do not know."""
        found = super().state()
        account = account_of(self.plant)
        for facts in found["robots"]:
            facts.update(account["robots"][facts["id"]])
        if self.plant.doors:
            doors = self.plant.doors.items()
            found["doors"] = {name: not door.closed for name, door in doors}
        found["plant_s"] = account["plant_s"]
        found["contacts"] = account["contacts"]
        return found


def account_of(plant: Plant) -> dict[str, Any]:
    """What happened so far, by the truth."""
    robots = {}
    for machine, watch in zip(plant.robots, plant.watches, strict=True):
        pose = machine.body.pose
        robots[machine.id] = {
            "x_m": pose.x_m,
            "y_m": pose.y_m,
            "yaw_rad": pose.yaw_rad,
            "odometer_m": machine.body.travelled_m,
            "contacts": watch.contacts,
            "nearest_wall_m": watch.nearest_wall_m,
            "nearest_box_m": watch.nearest_box_m if plant.boxes else None,
            "nearest_person_m": watch.nearest_person_m if plant.walkers else None,
        }
    return {
        "plant_s": round(plant.now_s, 3),
        "contacts": sum(watch.contacts for watch in plant.watches),
        "robots": robots,
    }


def _plant(
    world: World, seed: int, boxes: int, people: int, localisation: Localisation
) -> Plant:
    grid = grid_of(world.map)
    places = [Pose(p.x_m, p.y_m, p.yaw_rad) for p in world.places.values()]
    try:
        found = scatter_boxes(grid, boxes, np.random.default_rng((seed, 5)), places)
    except NoRoomForBoxes as error:
        raise WorldRefused(str(error)) from None
    return Plant(
        world, seed, boxes=found, people=people, localisation=localisation, grid=grid
    )


def warm_up(world: World) -> None:
    """Compile what a drive needs: nobody answers while that happens, so it is done
    before anybody listens."""
    warm_planning()
    warm_localisation()
    warm_local()
    plant = Plant(world, 0, boxes=(Box(-9.0, -9.0),), people=1)
    goals = list(world.places.values()) or [robot.home for robot in world.robots]
    for machine in plant.robots:
        machine.drive_to(Pose(goals[0].x_m, goals[0].y_m, goals[0].yaw_rad))
    plant.run(WARMING_S)


@contextlib.contextmanager
def recorded(simulation: FullSimulation, file: Path) -> Iterator[None]:
    """Write the run into a file, and its account as the last line."""
    plant = simulation.plant
    with Recorder(plant, file, keep=False) as recorder:
        simulation.on_plant_step = recorder.note
        try:
            yield
        finally:
            recorder.finish(account_of(plant))
