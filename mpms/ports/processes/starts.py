"""The start events that messages, signals and timers trigger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.processes.starts import Due, StartEvent, TimerStart


class Starts(Protocol):
    """Start events of the latest version of each process."""

    def knows(self, definition_id: int, key: str) -> bool: ...
    def forget_older(self, definition_id: int, key: str) -> None:
        """Only the start events of this version are to be triggered from now on."""
        ...

    def add(self, definition_id: int, start: StartEvent, due: Due | None) -> None:
        """The same start of the same version again changes nothing."""
        ...

    def by_message(self, event: str) -> tuple[str, str] | None:
        """The (process, element) that a message starts."""
        ...

    def trigger(
        self,
        kind: str,
        event: str,
        variables: dict[str, Any],
        *,
        business_key: str | None = None,
    ) -> list[str]:
        """Start what begins with a message or signal; the ids of the instances.

        Their first step is a delivery.
        """
        ...

    def claim_due(self, now: datetime) -> TimerStart | None:
        """One due timer start, locked for this transaction."""
        ...

    def move(self, start_id: int, due: Due | None) -> None:
        """It has come; None: it never comes again."""
        ...

    def postpone(self, start_id: int, again_at: datetime) -> None: ...
    def listing(self) -> Sequence[tuple[str, StartEvent, datetime | None]]:
        """(process, start event, when it comes next), by process and element."""
        ...
