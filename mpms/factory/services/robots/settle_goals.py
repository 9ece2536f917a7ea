"""A robot reports the end of a goal: close it and move its process on."""

from __future__ import annotations

from mpms.domain.errors import DatabaseAway, TaskGone
from mpms.domain.instances.instances import Instance
from mpms.domain.instances.steps import Complete, Fail
from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.own import OwnRobots
from mpms.services.instances.advance import Advance


def settle_goals(
    uow: UnitOfWork, advance: Advance, robots: Robots, owned: OwnRobots | None = None
) -> int:
    """Settle every report that lies ready; a report is forgotten once committed.

    One that cannot be settled now stays for the next round and stops no other.
    """
    settled = 0
    failure: Exception | None = None
    for report in robots.reports():
        try:
            settle_goal(uow, advance, report, owned)
        except DatabaseAway:
            raise
        except Exception as failed:
            failure = failure or failed
            continue
        robots.acknowledge(report.goal_id)
        settled += 1
    if failure is not None:
        raise failure
    return settled


def settle_goal(
    uow: UnitOfWork,
    advance: Advance,
    report: GoalReport,
    owned: OwnRobots | None = None,
) -> bool:
    """Close one goal; False if it was closed before or is another worker's now.

    The next owner of a robot checks its open goal anew. What an earlier owner
    concluded meanwhile may contradict it, so it does not count.
    """
    with uow() as tx:
        goal = tx.goals.get(report.goal_id)
        if goal is None or goal.state.ended:
            return False
        instance = None
        if goal.instance_id is not None:
            instance = tx.instances.lock(goal.instance_id)
        if owned is not None and not owned.holds(tx, goal.robot):
            return False
        if tx.goals.settle(report) is None:
            return False
        if report.state is GoalState.REACHED:
            tx.robots.arrived(goal.robot, goal.pose)
            if owned is not None:
                owned.arrived(goal.robot, goal.pose)
        if goal.of_fleet:
            return True  # it looks at its goals itself; their rows are the history
        tx.events.append(
            "goal ended",
            actor=goal.robot,
            instance_id=goal.instance_id,
            task_id=goal.task_id,
            data={
                "goal": goal.id,
                "state": str(report.state),
                "place": goal.place,
                "inferred": report.inferred,
                "reason": report.reason,
            },
        )
        if instance is not None and goal.task_id is not None:
            _move_on(tx, advance, goal, goal.task_id, instance, report)
        return True


def _move_on(
    tx: Transaction,
    advance: Advance,
    goal: Goal,
    task_id: str,
    instance: Instance,
    report: GoalReport,
) -> None:
    if task_id not in tx.waits.known(instance.id):
        return
    tx.incidents.resolve(by=goal.robot, task_id=task_id, kind=STANDS)
    message = report.reason or f"{goal.robot} did not reach {goal.place}"
    held = True
    if report.state is GoalState.UNKNOWN:
        message = (
            f"Nobody can say whether {goal.robot} reached {goal.place}"
            f" ({report.reason or 'no trace of the goal'}). Look, then retry."
        )
    elif report.state is GoalState.CANCELLED:
        # The task still waits, so nobody here wanted that; the order can go on.
        message = (
            f"{goal.robot} did not reach {goal.place}: {report.reason or 'called off'}"
        )
    elif report.state is GoalState.REACHED:
        command = Complete(task_id, {"position": goal.place})
        held = not advanced(tx, advance, instance, goal.robot, command)
    else:
        failed = Fail(task_id, "RobotFailed", message)
        held = not advanced(tx, advance, instance, goal.robot, failed)
    if held:
        tx.incidents.open("goal", message, instance_id=instance.id, task_id=task_id)


def advanced(
    tx: Transaction,
    advance: Advance,
    instance: Instance,
    actor: str,
    command: Complete | Fail,
) -> bool:
    """Move a locked instance on, at once or when it is no longer suspended.

    False if the model does not catch the failure.
    """
    if instance.suspended is not None:
        _keep(tx, instance, command)
        return True
    try:
        return advance(tx, instance, command, actor=actor).caught
    except TaskGone:
        return True


def _keep(tx: Transaction, instance: Instance, command: Complete | Fail) -> None:
    """The robot is free; its suspended process hears of it when it goes on."""
    if isinstance(command, Complete):
        done = {"variables": command.variables}
        tx.deliveries.add(instance.id, "complete", task_id=command.task_id, data=done)
        return
    failed = {"code": command.code, "message": command.message, "incident": "goal"}
    tx.deliveries.add(instance.id, "fail", task_id=command.task_id, data=failed)
