"""Process instances and their locks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mpms.domain.instances.instances import (
    Instance,
    InstanceLine,
    InstanceStatus,
    Parent,
    Snapshot,
)


class Instances(Protocol):
    """Process instances and their locks."""

    saved: set[str]  # those that this transaction has changed

    def add(
        self,
        instance_id: str,
        definition_id: int,
        *,
        business_key: str | None,
        parent: Parent | None,
        restarted_from: str | None = None,
    ) -> Instance:
        """The new one, which nobody else sees yet. ProcessUnknown, ProcessSuspended."""
        ...

    def lock(self, instance_id: str, *, wait_s: float = 2.0) -> Instance:
        """Lock the row for this transaction. InstanceUnknown, InstanceBusy."""
        ...

    def save(
        self,
        instance_id: str,
        snapshot: Snapshot,
        status: InstanceStatus,
        end_reason: str | None,
    ) -> None: ...

    def get(self, instance_id: str) -> Instance: ...
    def children(self, instance_id: str, task_id: str | None = None) -> list[str]: ...
    def depth(self, instance_id: str, *, limit: int) -> int:
        """How many calls lead to it; counted no further than the limit."""
        ...

    def by_business_key(self, business_key: str) -> Sequence[Instance]: ...
    def business_keys(self, instance_ids: Iterable[str]) -> dict[str, str | None]: ...
    def counts(self) -> dict[tuple[str, str], int]: ...  # (key, status) -> number
    def find(
        self,
        *,
        key: str | None = None,
        version: int | None = None,
        status: InstanceStatus | None = None,
        business_key: str | None = None,
        suspended: bool | None = None,
        troubled: bool | None = None,
        limit: int | None = 100,
    ) -> Sequence[InstanceLine]:
        """What fits all that is given, newest first."""
        ...

    def set_definition(self, instance_id: str, definition_id: int) -> None:
        """Put a locked instance under another version of its process."""
        ...

    def restart_of(self, instance_id: str) -> str | None:
        """The active instance that repeats this one."""
        ...
