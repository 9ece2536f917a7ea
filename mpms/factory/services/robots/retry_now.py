"""A drive that is tried again begins now, or not at all.

A person who asks for it looks at the robot at that moment. If the robot does not
answer, the goal would wait for it, and the robot would start later, when nobody thinks
of it. So the wish is refused with the reason, and a goal that could not be sent at once
although the robot seemed ready comes back as an incident (``expire_goals``).
"""

from __future__ import annotations

from mpms.domain.errors import RepairRefused
from mpms.domain.incidents.incidents import Incident
from mpms.factory.ports.store import Transaction

KIND = "goal"


def require_ready(tx: Transaction, incident: Incident) -> None:
    """RepairRefused names the robot and what it lacks."""
    if incident.kind != KIND or incident.instance_id is None:
        return
    goals = [
        goal
        for goal in tx.goals.of_instance(incident.instance_id)
        if goal.task_id == incident.task_id
    ]
    if not goals:
        return
    robot = goals[-1].robot
    state = next((s for s in tx.robots.states() if s.robot == robot), None)
    if state is not None and state.why_not is not None:
        raise RepairRefused(
            f"{robot} cannot drive now: {state.why_not}. Try again when it is ready."
        )
