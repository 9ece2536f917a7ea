"""The past of an instance, to be played again: tokens, troubles and drives.

Tokens come from the history. Robots come from their tracks; where a drive has none, as
before tracks were kept, the robot is taken to have driven straight from where it was
to its goal, and the times of such drives are told, so that nobody takes a guess for a
fact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.instances.instances import Instance
from mpms.domain.models.definitions import ModelStep
from mpms.factory.domain.goals import Goal, GoalState
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.tracks import TrackPoint
from mpms.factory.ports.store import UnitOfWork
from mpms.ports.engine import Engine
from mpms.ports.instances.cockpit import IncidentRow, Line

MOST_MOVES = 20_000
MOST_TOLD = 2_000
MOST_POINTS = 50_000
SHORT_S = 3.0  # drives that may be over before anybody looked


@dataclass(frozen=True)
class Drive:
    """A robot on its way to a place."""

    robot: str
    place: str
    task_id: str | None
    began_at: datetime
    ended_at: datetime | None
    guessed: bool


@dataclass(frozen=True)
class Replay:
    """Everything in the order of time."""

    instance: Instance
    elements: Mapping[str, ModelStep]
    moves: Sequence[Line]  # entered, left, cancelled
    told: Sequence[Line]
    incidents: Sequence[IncidentRow]
    drives: tuple[Drive, ...]
    tracks: Mapping[str, Sequence[TrackPoint]]
    cut: bool  # there is more than is shown


def replay_instance(
    uow: UnitOfWork,
    engine: Engine,
    world: World,
    instance_id: str,
    *,
    kinds: Sequence[str],
) -> Replay:
    """``kinds``: lines of the history that are told in words. InstanceUnknown."""
    with uow() as tx:
        instance = tx.instances.get(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        moves = tx.cockpit_instance.moves(instance_id, limit=MOST_MOVES + 1)
        told = tx.cockpit_instance.lines(instance_id, kinds=kinds, limit=MOST_TOLD)
        incidents = tx.cockpit_instance.incidents(instance_id)
        goals = tx.goals.of_instance(instance_id)
        points = tx.tracks.of_instance(instance_id, limit=MOST_POINTS)
    drives, tracks = _robots(goals, points, world)
    return Replay(
        instance=instance,
        elements={step.id: step for step in engine.steps(definition)},
        moves=moves[:MOST_MOVES],
        told=sorted(told, key=lambda line: (line.at, line.line)),
        incidents=incidents,
        drives=drives,
        tracks=tracks,
        cut=len(moves) > MOST_MOVES or len(points) >= MOST_POINTS,
    )


def _robots(
    goals: Sequence[Goal], points: Sequence[TrackPoint], world: World
) -> tuple[tuple[Drive, ...], dict[str, list[TrackPoint]]]:
    tracks: dict[str, list[TrackPoint]] = {}
    for point in points:
        tracks.setdefault(point.robot, []).append(point)
    drives = []
    for goal in goals:
        began_at = goal.sent_at or goal.created_at
        if began_at is None:
            continue
        track = tracks.setdefault(goal.robot, [])
        guessed = goal.ended_at is not None and not _seen(track, began_at, goal)
        if guessed:
            track.insert(0, _start(track, began_at, goal, world))
        if goal.state is GoalState.REACHED and goal.ended_at is not None:
            x_m, y_m = goal.pose.x_m, goal.pose.y_m
            track.append(TrackPoint(goal.robot, goal.ended_at, x_m, y_m))
        track.sort(key=lambda point: point.at)
        drives.append(
            Drive(
                goal.robot, goal.place, goal.task_id, began_at, goal.ended_at, guessed
            )
        )
    return tuple(drives), {robot: track for robot, track in tracks.items() if track}


def _seen(track: Sequence[TrackPoint], began_at: datetime, goal: Goal) -> bool:
    """Whether there are points of this drive, or it was too short for any."""
    ended_at = goal.ended_at or began_at
    short = (ended_at - began_at).total_seconds() < SHORT_S
    return short or any(began_at <= point.at <= ended_at for point in track)


def _start(
    track: Sequence[TrackPoint], began_at: datetime, goal: Goal, world: World
) -> TrackPoint:
    """Where the robot was when it set off: where it was last, else at home."""
    before = [point for point in track if point.at <= began_at]
    if before:
        last = max(before, key=lambda point: point.at)
        return TrackPoint(goal.robot, began_at, last.x_m, last.y_m)
    info = world.robot(goal.robot)
    home = None if info is None else world.places.get(info.home)
    pose = home or goal.pose
    return TrackPoint(goal.robot, began_at, pose.x_m, pose.y_m)
