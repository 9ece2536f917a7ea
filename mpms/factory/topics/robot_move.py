"""Drives: one robot a place, and nobody waits for a robot that has nothing to do there.

A goal is written only when its place is free, so an order that waits for a place has no
goal yet and its robot can still be moved aside. Everything is decided under one lock:
two workers would both find the place free.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from fleet.places import Body, Spot, aside, in_the_way, near
from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Deferred, Job, NotYet
from mpms.factory.domain.errors import RobotBusy
from mpms.factory.domain.goals import Goal, GoalState, Pose
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.jobs import RobotJob
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction
from mpms.factory.topics.robot_of import robot_of

PLACE_AGAIN_S = 1.0
ASIDE_AGAIN_S = 10.0
ASIDE = "aside/"
"""How the ids of goals begin that no task waits for."""
HOME = "home"


@dataclass(frozen=True)
class _Floor:
    """The robots of the world as the database knows them."""

    states: dict[str, RobotState]
    bodies: tuple[Body, ...]
    moves: tuple[RobotJob, ...]  # drives that are still to begin


class MoveRobot:
    """``robot.move``: write a goal; the robot's report completes the task."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        robot, place = job.inputs["robot"], job.inputs["place"]
        robot_of(self._world, robot)
        pose = self._world.pose_for(robot, place)
        if pose is None:
            raise BusinessError("PlaceUnknown", f"the world has no place {place!r}")
        tx.goals.decide_alone()
        floor = self._look(tx)
        other = in_the_way(robot, _spot(pose), floor.bodies)
        if other is not None and not self._is_shared(pose):
            return self._wait(tx, job, floor, other, pose)
        goal = Goal(
            id=job.idempotency_key,
            robot=robot,
            place=place,
            pose=pose,
            state=GoalState.NEW,
            task_id=job.task_id,
            instance_id=job.instance_id,
        )
        try:
            tx.goals.add(goal)
        except RobotBusy:
            # On its way aside, or the drive of a process that was cancelled.
            self._call_off_aside(tx, robot)
            return NotYet(PLACE_AGAIN_S, f"{robot} has not ended another drive yet")
        tx.incidents.resolve(by=robot, task_id=job.task_id, kind=STANDS)
        return Deferred()

    @staticmethod
    def _call_off_aside(tx: Transaction, robot: str) -> None:
        """Its place is free: nothing is left to make room for or to wait beside."""
        for goal in tx.goals.open():
            if goal.robot == robot and goal.id.startswith(ASIDE):
                tx.goals.call_off(goal.id)

    def _is_shared(self, pose: Pose) -> bool:
        """A home of several robots is an area and no spot for one."""
        homes = [self._world.pose_for(info.id, HOME) for info in self._world.robots]
        here = [h for h in homes if h is not None and near(_spot(h), _spot(pose))]
        return len(here) > 1

    def _look(self, tx: Transaction) -> _Floor:
        # Goals first: one that ends between the two questions has left its robot at
        # its place, and the later answer says so.
        goals = {goal.robot: goal for goal in tx.goals.open()}
        states = {state.robot: state for state in tx.robots.states()}
        out = tx.robots_out.listing()
        bodies = []
        for info in self._world.robots:
            state, goal = states.get(info.id), goals.get(info.id)
            # One that is out of service and silent may have been carried off.
            gone = state is None or (info.id in out and not state.heard)
            at = None if gone or state is None else _at(state)
            bodies.append(Body(info.id, at, None if goal is None else _spot(goal.pose)))
        return _Floor(
            states, tuple(bodies), tuple(tx.robot_jobs.waiting(["robot.move"]))
        )

    def _wait(
        self, tx: Transaction, job: Job, floor: _Floor, other: Body, pose: Pose
    ) -> Answer:
        robot, place = job.inputs["robot"], job.inputs["place"]
        why = f"{robot} waits for {other.robot}, which drives to {place}"
        if near(other.at, _spot(pose)):
            why = f"{robot} waits until {other.robot} has left {place}"
        told = [j.why or "" for j in floor.moves if j.task_id == job.task_id]
        if not any(other.robot in words.replace(",", "").split() for words in told):
            tx.events.append(
                "robot waits",
                actor="fleet",
                instance_id=job.instance_id,
                element=job.element,
                task_id=job.task_id,
                data={"robot": robot, "place": place, "other": other.robot},
            )
        self._send_home_if_idle(tx, job, floor, other)
        self._step_aside(tx, job, floor)
        return NotYet(PLACE_AGAIN_S, why)

    def _send_home_if_idle(
        self, tx: Transaction, job: Job, floor: _Floor, other: Body
    ) -> None:
        state = floor.states[other.robot]
        works = other.robot in tx.robot_holds.held() or other.heads_for is not None
        works = works or any(each.robot == other.robot for each in floor.moves)
        home = self._home_with_room(other.robot, floor)
        if works or not state.ready or home is None or near(other.at, _spot(home)):
            return
        self._add_aside(tx, job, floor, other.robot, HOME, home, None)

    def _home_with_room(self, robot: str, floor: _Floor) -> Pose | None:
        home = self._world.pose_for(robot, HOME)
        if home is None or self._is_shared(home):
            return home
        return None if in_the_way(robot, _spot(home), floor.bodies) else home

    def _step_aside(self, tx: Transaction, job: Job, floor: _Floor) -> None:
        robot, place = job.inputs["robot"], job.inputs["place"]
        body = next((each for each in floor.bodies if each.robot == robot), None)
        state = floor.states.get(robot)
        heads = body is None or body.heads_for is not None
        if body is None or heads or state is None or state.link != "up":
            return
        beside = self._world.waiting.get(place)
        home = self._home_with_room(robot, floor)
        spot = aside(
            robot,
            body.at,
            waiting_spot=None if beside is None else _spot(beside),
            home=None if home is None else _spot(home),
            wanted=[s for s in self._wanted(floor, robot) if s is not None],
            bodies=floor.bodies,
        )
        if spot is None:
            return
        if beside is not None and spot == _spot(beside):
            name = f"{place} (waiting)"
            self._add_aside(tx, job, floor, robot, name, beside, job.instance_id)
        elif home is not None:
            self._add_aside(tx, job, floor, robot, HOME, home, job.instance_id)

    def _wanted(self, floor: _Floor, robot: str) -> list[Spot | None]:
        """Where the drives of others are to lead."""
        return [
            None if pose is None else _spot(pose)
            for each in floor.moves
            if each.robot is not None and each.place is not None
            if each.robot != robot
            for pose in [self._world.pose_for(each.robot, each.place)]
        ]

    @staticmethod
    def _add_aside(
        tx: Transaction,
        job: Job,
        floor: _Floor,
        robot: str,
        place: str,
        pose: Pose,
        instance_id: str | None,
    ) -> None:
        """Once for what waits, and again after a while if the robot did not go."""
        waited_s = [j.waited_s for j in floor.moves if j.task_id == job.task_id]
        attempt = int(max(waited_s, default=0.0) // ASIDE_AGAIN_S)
        goal = Goal(
            id=f"{ASIDE}{job.idempotency_key}/{robot}/{attempt}",
            robot=robot,
            place=place,
            pose=pose,
            state=GoalState.NEW,
            instance_id=instance_id,
        )
        with suppress(RobotBusy):
            tx.goals.add(goal)


def _spot(pose: Pose) -> Spot:
    return pose.x_m, pose.y_m


def _at(state: RobotState) -> Spot | None:
    if state.x_m is None or state.y_m is None:
        return None
    return state.x_m, state.y_m
