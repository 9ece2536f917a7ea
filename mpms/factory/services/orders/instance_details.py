"""The order and the robot of an instance, for its page in the cockpit."""

from __future__ import annotations

from mpms.factory.domain.goals import GoalState
from mpms.factory.ports.store import Transaction
from mpms.services.instances.page import Details


def instance_details(tx: Transaction, instance_id: str) -> Details:
    order = tx.orders.of_instance(instance_id)
    robot = tx.robot_holds.of_instance(instance_id)
    known = {"order": None if order is None else order.number, "robot": robot}
    return Details(
        {name: value for name, value in known.items() if value is not None},
        {
            goal.task_id: {"robot": goal.robot}
            for goal in tx.goals.of_instance(instance_id)
            if goal.task_id is not None
            and goal.state in (GoalState.NEW, GoalState.SENT)
        },
    )
