"""A robot reports the end of a goal: close it and move its process on."""

from __future__ import annotations

from mpms.domain.errors import TaskGone
from mpms.domain.goals import Goal, GoalReport, GoalState
from mpms.domain.steps import Complete, Fail
from mpms.ports.plant import Robots
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.advance_instance import Advance


def settle_goals(uow: UnitOfWork, advance: Advance, robots: Robots) -> int:
    """Settle every report that lies ready; a report is forgotten once committed."""
    reports = robots.reports()
    for report in reports:
        settle_goal(uow, advance, report)
        robots.acknowledge(report.goal_id)
    return len(reports)


def settle_goal(uow: UnitOfWork, advance: Advance, report: GoalReport) -> bool:
    """Close one goal; False if it was closed before."""
    with uow() as tx:
        goal = tx.goals.settle(report)
        if goal is None:
            return False
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
        if goal.instance_id is not None and goal.task_id is not None:
            _move_on(tx, advance, goal, report)
        return True


def _move_on(tx: Transaction, advance: Advance, goal: Goal, report: GoalReport) -> None:
    task_id, instance_id = goal.task_id or "", goal.instance_id or ""
    if report.state is GoalState.UNKNOWN:
        tx.incidents.open(
            "goal",
            f"Nobody can say whether {goal.robot} reached {goal.place}"
            f" ({report.reason or 'no trace of the goal'}). Look, then retry.",
            instance_id=instance_id,
            task_id=task_id,
        )
        return
    instance = tx.instances.lock(instance_id, wait_s=30.0)
    try:
        if report.state is GoalState.REACHED:
            command = Complete(task_id, {"position": goal.place})
            advance(tx, instance, command, actor=goal.robot)
            return
        message = report.reason or f"{goal.robot} did not reach {goal.place}"
        step = advance(
            tx, instance, Fail(task_id, "RobotFailed", message), actor=goal.robot
        )
    except TaskGone:
        return
    if not step.caught:
        tx.incidents.open("goal", message, instance_id=instance_id, task_id=task_id)
