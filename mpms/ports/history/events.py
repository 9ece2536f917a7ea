"""The history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from mpms.domain.history.events import Cursor, Event


class Events(Protocol):
    """The history."""

    def append(
        self,
        kind: str,
        *,
        actor: str,
        instance_id: str | None = None,
        element: str | None = None,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None: ...

    def append_many(
        self,
        instance_id: str,
        actor: str,
        lines: Sequence[tuple[str, str | None, str | None, dict[str, Any]]],
    ) -> None:
        """Append (kind, element, task id, data) lines in one statement."""
        ...

    def after(
        self, cursor: Cursor, *, limit: int = 500, instance_id: str | None = None
    ) -> Sequence[Event]:
        """Lines that are certain to have no earlier line still uncommitted."""
        ...

    def last(self, limit: int) -> Sequence[Event]:
        """The newest of the lines that ``after`` gives, oldest first."""
        ...

    def held(self, known: Iterable[int], *, limit: int = 500) -> Sequence[Event]:
        """Committed lines that ``after`` keeps back for now, because a transaction
        that runs may still precede them; without the known ones."""
        ...

    def passed(self, instance_id: str) -> set[str]:
        """The elements that tokens of an instance have left."""
        ...
