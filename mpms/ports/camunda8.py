"""Rows by the numbers that clients of Camunda 8 know them by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mpms.domain.camunda8 import (
    DefinitionsWanted,
    Found,
    IncidentsWanted,
    InstancesWanted,
    NumberedDefinition,
    NumberedIncident,
    NumberedInstance,
    NumberedTask,
    NumberedVersion,
    Page,
    TasksWanted,
)


class Numbered(Protocol):
    """From numbers to ids and back, and lists with both."""

    def loose(self) -> int:
        """A number for what leaves no row of its own."""
        ...

    def instance_id(self, number: int) -> str | None: ...
    def instance_ids(self, numbers: Iterable[int]) -> list[str]: ...
    def instance_number(self, instance_id: str) -> int: ...  # InstanceUnknown
    def job_task(self, number: int) -> tuple[str, str] | None:
        """The (instance id, task id) of a job."""
        ...

    def job_tasks(self, numbers: Iterable[int]) -> list[str]:
        """The task ids of jobs."""
        ...

    def form_task(self, number: int) -> tuple[str, str] | None:
        """The (instance id, task id) of an open form."""
        ...

    def definitions(
        self, wanted: DefinitionsWanted, page: Page
    ) -> Found[NumberedDefinition]: ...
    def instances(
        self, wanted: InstancesWanted, page: Page
    ) -> Found[NumberedInstance]: ...
    def tasks(self, wanted: TasksWanted, page: Page) -> Found[NumberedTask]: ...
    def incidents(
        self, wanted: IncidentsWanted, page: Page
    ) -> Found[NumberedIncident]: ...
    def forms(self, keys: Iterable[str]) -> list[NumberedVersion]:
        """The newest version of each."""
        ...

    def decisions(self, keys: Iterable[str]) -> list[NumberedVersion]:
        """The newest version of each."""
        ...
