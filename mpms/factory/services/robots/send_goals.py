"""Hand new goals to the robots, one open goal a robot; written before sending."""

from __future__ import annotations

from mpms.factory.domain.goals import Goal, GoalReport, GoalState
from mpms.factory.ports.robots.robots import Robots
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.robots.own import OwnRobots


def send_goals(uow: UnitOfWork, robots: Robots, owned: OwnRobots) -> int:
    """Mark new goals of this worker's robots as sent, commit, then hand them over.

    A crash between the two leaves a goal that may or may not have been sent; the
    robot's next owner hands it over as ``maybe_sent``. What no process waits for any
    more is cancelled, and not sent if it has not been yet. A robot that is not ready
    gets nothing: its goal stays new, and the history says "sent" of what was sent.
    """
    mine = sorted(owned.mine)
    if not mine:
        return 0
    unready = {state.robot for state in robots.states() if not state.ready}
    able = [robot for robot in mine if robot not in unready]
    with uow() as tx:
        orphans = {goal.id: goal for goal in tx.goals.orphans(mine)}
        goals = [g for g in tx.goals.to_send(able) if g.id not in orphans]
        for goal in goals:
            tx.goals.mark_sent(goal.id)
            if goal.of_fleet:
                continue  # its rows are the history
            tx.events.append(
                "goal sent",
                actor="mpms",
                instance_id=goal.instance_id,
                task_id=goal.task_id,
                data={"goal": goal.id, "robot": goal.robot, "place": goal.place},
            )
        for goal in orphans.values():
            if goal.state is GoalState.NEW:
                _never_send(tx, goal)
    for goal in goals:
        robots.navigate(goal, maybe_sent=False)
        owned.handed[goal.id] = goal.robot
    for goal in orphans.values():
        if goal.id in owned.handed:
            robots.cancel(goal)
    return len(goals)


def _never_send(tx: Transaction, goal: Goal) -> None:
    report = GoalReport(goal.id, GoalState.CANCELLED, "no longer needed")
    if tx.goals.settle(report) is None or goal.of_fleet:
        return
    tx.events.append(
        "goal ended",
        actor="mpms",
        instance_id=goal.instance_id,
        task_id=goal.task_id,
        data={
            "goal": goal.id,
            "state": str(report.state),
            "place": goal.place,
            "inferred": False,
            "reason": report.reason,
        },
    )
