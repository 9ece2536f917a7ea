"""Start events that something outside triggers, of the latest versions only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.domain.processes.starts import Due, StartEvent, TimerStart


class Starts(Repository):
    """Rows of ``starts``."""

    def knows(self, definition_id: int, key: str) -> bool:
        found = self._statements.row(
            "starts_known", definition_id=definition_id, key=key
        )
        return found is not None

    def forget_older(self, definition_id: int, key: str) -> None:
        self._statements.run_later(
            "starts_forget", definition_id=definition_id, key=key
        )

    def add(self, definition_id: int, start: StartEvent, due: Due | None) -> None:
        is_timer = start.kind == "timer"
        self._statements.run_later(
            "starts_insert",
            definition_id=definition_id,
            key=start.process,
            element=start.element,
            kind=start.kind,
            event=None if is_timer else start.event,
            timer=start.timer if is_timer else None,
            timer_text=due.text if due else (start.text if is_timer else None),
            due_at=due.at if due else None,
            anchor_at=due.anchor_at if due else None,
            turns_left=due.left if due else None,
        )

    def by_message(self, event: str) -> tuple[str, str] | None:
        """The (process, element) that a message starts."""
        row = self._statements.row("starts_by_message", event=event)
        return None if row is None else (row[0], row[1])

    def trigger(
        self,
        kind: str,
        event: str,
        variables: dict[str, Any],
        *,
        business_key: str | None = None,
    ) -> list[str]:
        """Start what begins with a message or signal; the ids of the instances."""
        rows = self._statements.rows(
            "starts_trigger",
            kind=kind,
            event=event,
            variables=as_json(variables),
            business_key=business_key,
        )
        return [instance_id for (instance_id,) in rows]

    def claim_due(self, now: datetime) -> TimerStart | None:
        """One due timer start, locked for this transaction."""
        row = self._statements.row("starts_claim_due", now=now)
        if row is None:
            return None
        number, definition_id, key, element, timer, at, anchor, left, text, failed = row
        due = Due(at, anchor, left, text)
        return TimerStart(number, definition_id, key, element, timer, due, failed)

    def move(self, start_id: int, due: Due | None) -> None:
        self._statements.run(
            "starts_move",
            id=start_id,
            due_at=due.at if due else None,
            turns_left=due.left if due else None,
        )

    def postpone(self, start_id: int, again_at: datetime) -> None:
        self._statements.run("starts_postpone", id=start_id, again_at=again_at)

    def listing(self) -> Sequence[tuple[str, StartEvent, datetime | None]]:
        """(process, start event, when it comes next), by process and element."""
        return [
            (key, StartEvent(key, element, "", kind, event, text=text or ""), due_at)
            for key, element, kind, event, text, due_at, _ in self._statements.rows(
                "starts_list"
            )
        ]
