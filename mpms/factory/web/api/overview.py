"""Whether the plant is well, in a few numbers."""

from __future__ import annotations

from importlib.metadata import version

from mpms.factory.services.overview import overview
from mpms.factory.web.desk import Call
from mpms.web.api.clients import section
from mpms.web.api.operation import Shape
from mpms.web.rights import LEADERS


class HealthShape(Shape):
    version: str
    database: str
    robots: int
    robots_connected: int
    incidents: int
    orders_in_process: int
    orders_late: int
    tasks: int
    handles_orders: bool


@section.get("/health", LEADERS)
def health(call: Call) -> HealthShape:
    """Whether the plant is well."""
    now = overview(call.desk.uow)
    return HealthShape(
        version=version("mpms"),
        database="up",
        robots=len(now.robots),
        robots_connected=now.robots_connected,
        incidents=len(now.incidents),
        orders_in_process=now.in_process,
        orders_late=now.late,
        tasks=now.tasks,
        handles_orders=now.handling,
    )
