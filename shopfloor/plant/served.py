"""The closed loop behind the topics of the simulator: real navigation, same faces.

Goals come in as they always do. What drives is the pilot on a body with mass, from
noisy lasers and drifting wheels, and what the topics tell is what the robot believes.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.local.warming import warm_up as warm_local
from shopfloor.localisation import warm_up as warm_localisation
from shopfloor.planning import warm_up as warm_planning
from shopfloor.plant.boxes import Box, NoRoomForBoxes, scatter_boxes
from shopfloor.plant.floor_map import grid_of
from shopfloor.plant.navigated import FollowedWalker, NavigatedRobot
from shopfloor.plant.plant import STEP_S, Plant
from shopfloor.plant.recording import Recorder
from shopfloor.plant.robots import Localisation
from shopfloor.plant.walkers import Manners
from shopfloor.plant.walkers import Walker as PlantWalker
from shopfloor.sim.message_types import Message
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import SimRobot, range_message
from shopfloor.sim.simulation import Simulation, person_message
from shopfloor.sim.vehicle import Pose as SimPose
from shopfloor.sim.world import Person, World, WorldRefused
from shopfloor.tracking import Range

MOST_STEPS = 40
"""Of one robot's plant in a tick. Who asks for more speed than the machine has gets a
slower plant, never one that drives in leaps or does not answer."""
FIRST_TAG = 900
WARMING_S = 0.5


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
        self._numbers_of_anchors = {a.id: a.number for a in self.world.anchors}
        self._taken: dict[str, dict[str, Range]] = {}
        """By tag and anchor, until they are told."""
        self.plant.tags.on_range = self._take_range
        for machine in self.plant.robots:
            robot = self._robot(machine.id)
            robot.vehicle.machine = machine
            robot.take_ranges = partial(self._told_ranges, machine.id)
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

    # Tags: what is told is what the plant measured and the tracker makes of it.

    def _take_range(self, taken: Range) -> None:
        self._taken.setdefault(taken.tag, {})[taken.anchor] = taken

    def _told_ranges(self, name: str, header: Message, tag: int) -> list[Message]:
        variance = self.plant.tags.noise.noise_m**2
        return [
            range_message(
                header, tag, self._numbers_of_anchors[anchor], one.range_m, variance
            )
            for anchor, one in self._taken.pop(name, {}).items()
        ]

    def _ranges(self, header: Message, walker: Walker) -> Iterable[Message]:
        return self._told_ranges(walker.person.id, header, walker.person.tag)

    def _person(self, walker: Walker) -> Message | None:
        found = self.plant.tags.seen(walker.person.id, self.plant.now_s)
        if found is None:
            return None
        velocity = found.vx_mps, found.vy_mps
        return person_message(walker, (found.x_m, found.y_m), velocity, found.sigma_m)

    def _silence_lost_tags(self) -> None:
        now = self.clock.now()
        everybody: dict[str, SimRobot | Walker] = {**self.robots, **self.walkers}
        self.plant.tags.silent = {
            name for name, one in everybody.items() if now < one.tag_lost_until
        }

    def tick(self, dt_s: float, rng: random.Random) -> None:
        self._silence_lost_tags()
        navigated = [self._robot(machine.id) for machine in self.plant.robots]
        super().tick(dt_s, rng)
        for robot in navigated:
            robot.spoil_lasers()
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
