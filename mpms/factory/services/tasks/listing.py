"""What a person sees of the work that waits: whose it is, where, how much, how old."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.factory.domain.decisions import asks_for_decision
from mpms.factory.domain.goals import Goal, GoalState
from mpms.factory.domain.orders import Order
from mpms.factory.domain.worlds import World
from mpms.factory.ports.floor import FloorSeen
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.ports.tasks.claims import Claim
from mpms.services.tasks.claim import name_of, require_doable

LATE_AFTER_S = 15 * 60.0
HERE_WITHIN_M = 1.0
OLD_POSE_S = 5.0
NEVER = datetime.max.replace(tzinfo=UTC)
URGENCY = {"urgent": 0, "high": 1, "normal": 2, "low": 3}


@dataclass(frozen=True)
class MaterialLine:
    """One raw material of the order."""

    code: str
    name: str
    required_kg: float
    place: str | None = None
    loaded_kg: float | None = None
    lot: str | None = None
    current: bool = False


@dataclass(frozen=True)
class RobotNear:
    """The robot that works for the order."""

    robot: str
    here: bool
    distance_m: float | None = None
    eta_s: float | None = None
    x_m: float | None = None
    y_m: float | None = None
    moved_away: bool = False
    """It had arrived for this task, and stands elsewhere now."""
    why_not: str | None = None
    """What keeps it from driving, while it has a goal or is silent."""


@dataclass(frozen=True)
class TaskView:
    """A task with everything that its card tells."""

    task: FormTask  # its inputs are all that its form can show
    claim: Claim | None
    claimed_by: str | None  # the name of the one who has it
    order: Order | None
    lines: tuple[MaterialLine, ...]
    place: str | None
    robot: RobotNear | None
    age_s: float
    late: bool
    later: bool = False  # its follow-up date is to come
    owner: str | None = None  # the names of who asked for help, and who helps
    helper: str | None = None

    @property
    def decision(self) -> bool:
        """An order has stopped and somebody must say what becomes of it."""
        return asks_for_decision(self.task.form)

    @property
    def order_number(self) -> str | None:
        number = self.task.inputs.get("order_number")
        return self.task.business_key or (number if isinstance(number, str) else None)

    @property
    def product(self) -> str:
        if self.order is not None:
            return self.order.product
        return str(self.task.inputs.get("product") or "")

    @property
    def material(self) -> MaterialLine | None:
        """The one that this task is about."""
        return next((line for line in self.lines if line.current), None)

    def belongs_to(self, person: Person) -> bool:
        return self.claim is not None and self.claim.claimed_by == person.login


def tasks_for(
    uow: UnitOfWork,
    person: Person,
    *,
    now: datetime,
    world: World,
    floor: FloorSeen | None = None,
) -> Sequence[TaskView]:
    """Everything that this person may do, the most urgent first."""
    with uow() as tx:
        mine = [
            task
            for task in tx.tasks.open()
            if person.may_do(task) and (person.leads or not _comes_later(task, now))
        ]
        return sorted(_views(tx, mine, now, world, floor), key=_urgency)


def task_for(
    uow: UnitOfWork,
    person: Person,
    task_id: str,
    *,
    now: datetime,
    world: World,
    floor: FloorSeen | None = None,
) -> TaskView:
    """One of them. TaskGone, NotYourTask."""
    with uow() as tx:
        task = require_doable(tx, task_id, person)
        return _views(tx, [task], now, world, floor)[0]


def next_of(
    views: Sequence[TaskView],
    person: Person,
    *,
    instance_id: str | None = None,
    shown: str | None = None,
) -> TaskView | None:
    """What to do next: what one has begun, then the same order, then the queue.
    ``shown``: a finger may be on its way to it, so it stays while it is free."""
    open_to_do = [view for view in views if not (view.task.on_hold or view.later)]
    mine = [view for view in open_to_do if view.belongs_to(person)]
    free = [view for view in open_to_do if view.claim is None]
    same = [view for view in free if view.task.instance_id == instance_id]
    kept = [view for view in free if view.task.task_id == shown]
    return next(iter([*mine, *kept, *same, *free]), None)


def _urgency(view: TaskView) -> tuple[Any, ...]:
    priority = "normal" if view.order is None else view.order.priority
    urgency = URGENCY.get(priority, URGENCY["normal"])
    task = view.task
    return (
        view.later,
        not view.decision,
        urgency,
        -task.priority,
        task.due_at or NEVER,
        task.created_at,
        task.task_id,
    )


def _comes_later(task: FormTask, now: datetime) -> bool:
    return task.follow_up_at is not None and task.follow_up_at > now


def _is_late(task: FormTask, order: Order | None, now: datetime, age_s: float) -> bool:
    """Its own due date counts, else the order's; what has none is late when old."""
    if task.due_at is not None:
        return task.due_at <= now
    due = None if order is None else order.due
    return (due is not None and due < now.date()) or age_s > LATE_AFTER_S


def _views(
    tx: Transaction,
    tasks: Sequence[FormTask],
    now: datetime,
    world: World,
    floor: FloorSeen | None,
) -> list[TaskView]:
    if not tasks:
        return []
    ids = {task.instance_id for task in tasks}
    variables = tx.tasks.variables(ids)
    goals: dict[str, list[Goal]] = {instance_id: [] for instance_id in ids}
    for goal in tx.goals.of_instances(ids):
        goals[goal.instance_id or ""].append(goal)
    orders = tx.orders.some({t.business_key for t in tasks if t.business_key})
    claims = tx.claims.of([task.task_id for task in tasks])
    logins = {claim.claimed_by for claim in claims.values()}
    logins |= {name for task in tasks for name in (task.owner, task.helper) if name}
    names = {login: name_of(tx, login) for login in logins}
    seen = _positions(tx, floor)
    states = {state.robot: state for state in tx.robots.states()}
    views = []
    for bare in tasks:
        known = variables.get(bare.instance_id, {})
        task = replace(bare, inputs={**known, **bare.inputs})
        order = orders.get(task.business_key or "")
        claim = claims.get(task.task_id)
        place = _place(task, goals[task.instance_id], world)
        age_s = max(0.0, (now - task.created_at).total_seconds())
        views.append(
            TaskView(
                task,
                claim,
                None if claim is None else names[claim.claimed_by],
                order,
                _lines(task, order),
                place,
                _told_why(
                    _robot(task, goals[task.instance_id], place, world, seen),
                    goals[task.instance_id],
                    states,
                ),
                age_s,
                _is_late(task, order, now, age_s),
                _comes_later(task, now),
                names.get(task.owner or ""),
                names.get(task.helper or ""),
            )
        )
    return views


def _lines(task: FormTask, order: Order | None) -> tuple[MaterialLine, ...]:
    """Of the process, which knows places; else of the order."""
    current = _mapping(task.inputs.get("material"))
    loaded = [_mapping(line) for line in _sequence(task.inputs.get("loaded"))]
    materials = [_mapping(line) for line in _sequence(task.inputs.get("materials"))]
    if not materials and order is not None:
        materials = [
            {"code": o.material, "name": o.name, "required_kg": o.required_kg}
            for o in order.lines
        ]
    if not materials and current:
        materials = [current]
    index = task.inputs.get("index")
    lines = []
    for number, material in enumerate(materials):
        done = loaded[number] if number < len(loaded) else {}
        here = number == index if isinstance(index, int) else material == current
        place = material.get("place")
        lines.append(
            MaterialLine(
                str(material.get("code") or ""),
                str(material.get("name") or ""),
                _number(material.get("required_kg")) or 0.0,
                None if place is None else str(place),
                _number(done.get("loaded_kg")),
                str(done["lot"]) if done.get("lot") else None,
                bool(current) and here,
            )
        )
    return tuple(lines)


def _place(task: FormTask, goals: Sequence[Goal], world: World) -> str | None:
    """Where to go: what the model says, else where the robot was sent with a load.

    A robot on its way home takes nobody along.
    """
    if asks_for_decision(task.form):
        return None
    told = task.inputs.get("place")
    if isinstance(told, str) and told:
        return told
    homes = {"home", *(robot.home for robot in world.robots)}
    sent = [goal.place for goal in goals if goal.place not in homes]
    if sent:
        return sent[-1]
    material = _mapping(task.inputs.get("material"))
    place = material.get("place")
    return str(place) if place else None


def _robot(
    task: FormTask,
    goals: Sequence[Goal],
    place: str | None,
    world: World,
    seen: Mapping[str, tuple[float, float]],
) -> RobotNear | None:
    robot = task.inputs.get("robot")
    if not isinstance(robot, str) or not robot:
        return None
    at, pose = seen.get(robot), world.pose_for(robot, place) if place else None
    last = goals[-1] if goals else None
    arrived = (
        last is not None and last.place == place and last.state is GoalState.REACHED
    )
    if at is None or pose is None:
        return RobotNear(robot, here=arrived, x_m=at and at[0], y_m=at and at[1])
    distance_m = math.hypot(pose.x_m - at[0], pose.y_m - at[1])
    here = distance_m < HERE_WITHIN_M
    comes = last is not None and last.place == place and not last.state.ended
    info = world.robot(robot)
    eta_s = None
    if comes and not here and info is not None and info.max_speed_mps > 0:
        eta_s = distance_m / info.max_speed_mps
    gone = arrived and not here
    return RobotNear(robot, here, distance_m, eta_s, at[0], at[1], moved_away=gone)


def _told_why(
    near: RobotNear | None,
    goals: Sequence[Goal],
    states: Mapping[str, RobotState],
) -> RobotNear | None:
    """A robot that does not answer, or that has a goal and does not drive."""
    state = None if near is None else states.get(near.robot)
    if near is None or state is None or state.ready:
        return near
    drives = any(g.robot == near.robot and not g.state.ended for g in goals)
    if not drives and state.heard:
        return near
    return replace(near, why_not=state.why_not)


def _positions(
    tx: Transaction, floor: FloorSeen | None
) -> dict[str, tuple[float, float]]:
    """As seen this moment; as last written down where nobody looks."""
    known = {
        state.robot: (state.x_m, state.y_m)
        for state in tx.robots.states()
        if state.x_m is not None and state.y_m is not None
    }
    for robot in () if floor is None else floor.robots:
        fresh = robot.pose_age_s is None or robot.pose_age_s < OLD_POSE_S
        if fresh and robot.x_m is not None and robot.y_m is not None:
            known[robot.robot] = (robot.x_m, robot.y_m)
    return known


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    """Process variables hold what models write; only numbers are amounts."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
