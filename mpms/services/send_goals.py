"""Hand new goals to the robots, one open goal a robot; written before sending."""

from __future__ import annotations

from collections.abc import Iterable

from mpms.domain.goals import GoalReport, GoalState
from mpms.ports.plant import Robots
from mpms.ports.store import UnitOfWork


def send_goals(uow: UnitOfWork, robots: Robots, mine: Iterable[str]) -> int:
    """Mark new goals of this worker's robots as sent, commit, then hand them over.

    A crash between the two leaves a goal that may or may not have been sent; the
    robot's next owner hands it over as ``maybe_sent``.
    """
    mine = sorted(mine)
    if not mine:
        return 0
    with uow() as tx:
        goals = tx.goals.to_send(mine)
        for goal in goals:
            tx.goals.mark_sent(goal.id)
            tx.events.append(
                "goal sent",
                actor="mpms",
                instance_id=goal.instance_id,
                task_id=goal.task_id,
                data={"goal": goal.id, "robot": goal.robot, "place": goal.place},
            )
        orphans = [g for g in tx.goals.orphans(mine) if g not in goals]
        for goal in orphans:
            if goal.state is GoalState.NEW:
                report = GoalReport(goal.id, GoalState.CANCELLED, "no longer needed")
                tx.goals.settle(report)
    for goal in goals:
        robots.navigate(goal, maybe_sent=False)
    for goal in orphans:
        if goal.state is GoalState.SENT:
            robots.cancel(goal)
    return len(goals)
