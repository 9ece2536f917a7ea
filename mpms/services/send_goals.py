"""Hand new goals to the robots, one open goal a robot; written before sending."""

from __future__ import annotations

from mpms.domain.goals import GoalState
from mpms.ports.plant import Robots
from mpms.ports.store import UnitOfWork


def send_goals(uow: UnitOfWork, robots: Robots) -> int:
    """Mark new goals as sent, commit, then hand them over.

    A crash between the two leaves a goal that may or may not have been sent; the
    next owner hands it over as ``maybe_sent`` (see ``resume_goals``).
    """
    with uow() as tx:
        goals = tx.goals.to_send()
        for goal in goals:
            tx.goals.mark_sent(goal.id)
            tx.events.append(
                "goal sent",
                actor="mpms",
                instance_id=goal.instance_id,
                task_id=goal.task_id,
                data={"goal": goal.id, "robot": goal.robot, "place": goal.place},
            )
    for goal in goals:
        robots.navigate(goal, maybe_sent=False)
    return len(goals)


def resume_goals(uow: UnitOfWork, robots: Robots) -> int:
    """After a start: hand over what an earlier process had sent."""
    with uow() as tx:
        goals = [g for g in tx.goals.open() if g.state is GoalState.SENT]
    for goal in goals:
        robots.navigate(goal, maybe_sent=True)
    return len(goals)
