"""Tasks: what robots are to do, from a single drive to storing a package."""

from fleet.tasks.pool import Pool, TaskRefused
from fleet.tasks.task import Action, Kind, Leg, State, Task, transport_task

__all__ = [
    "Action",
    "Kind",
    "Leg",
    "Pool",
    "State",
    "Task",
    "TaskRefused",
    "transport_task",
]
