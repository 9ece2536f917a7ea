"""What matters now, on one page: what runs, what waits, what is stuck, what is late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.incidents.incidents import Incident
from mpms.domain.tasks import FormTask
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.ports.store import UnitOfWork
from mpms.services.incidents.list_alarms import Alarms, alarms_in


@dataclass(frozen=True)
class Running:
    """An order that is being made."""

    number: str
    product: str
    instance_id: str


@dataclass(frozen=True)
class Overview:
    """One look at the plant."""

    in_process: int
    waiting_for_release: int
    new: int
    late: int
    tasks: int
    tasks_taken: int
    oldest_task: FormTask | None
    alarms: Alarms
    incidents: Sequence[Incident]
    robots: Sequence[RobotState]
    running: Sequence[Running]
    handling: bool  # the process that turns mails into orders is there

    @property
    def robots_connected(self) -> int:
        return sum(robot.link == "up" for robot in self.robots)

    @property
    def waiting_since(self) -> datetime | None:
        return None if self.oldest_task is None else self.oldest_task.created_at


def overview(uow: UnitOfWork) -> Overview:
    """Everything in one short transaction."""
    with uow() as tx:
        orders = tx.orders.counts()
        tasks = tx.tasks.open()
        claims = tx.claims.of(task.task_id for task in tasks)
        return Overview(
            in_process=orders.get(OrderStatus.IN_PROCESS, (0, 0))[0],
            waiting_for_release=orders.get(OrderStatus.WAITING, (0, 0))[0],
            new=orders.get(OrderStatus.NEW, (0, 0))[0],
            late=sum(late for _, late in orders.values()),
            tasks=len(tasks),
            tasks_taken=len(claims),
            oldest_task=tasks[0] if tasks else None,
            alarms=alarms_in(tx, tasks),
            incidents=tx.incidents.listing(),
            robots=tx.robots.states(),
            running=[Running(*row) for row in tx.orders.running()],
            handling=bool(tx.instances.counts().get(("orders_handling", "active"))),
        )
