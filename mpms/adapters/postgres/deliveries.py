"""Commands that an instance shall get, and the events that become such commands.

A signal is copied to everybody who waits for it, without any lock. A message is
for one: all throwing and matching of messages happens under one lock until the
commit, so that a message and its subscription never miss each other, and a message
is never given to two. The data of a received event names it, so that a message
whose task is gone when it arrives can be thrown again.
"""

from __future__ import annotations

from typing import Any

from mpms.adapters.postgres.statements import Repository, as_json
from mpms.domain.steps import EventWait, Throw
from mpms.ports.store import Delivery


class Deliveries(Repository):
    """Rows of ``deliveries`` and ``messages``."""

    def add(
        self,
        instance_id: str,
        kind: str,
        *,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._statements.run(
            "deliveries_insert",
            instance_id=instance_id,
            kind=kind,
            task_id=task_id,
            data=as_json(data or {}),
        )

    def claim(self) -> Delivery | None:
        """Take the oldest of any free instance and lock that instance; the row is
        deleted with this transaction."""
        rows = self._statements.claim("deliveries_claim")
        return Delivery(*rows[0]) if rows else None

    def postpone(self, delivery_id: int, delay_s: float) -> None:
        self._statements.run("deliveries_postpone", id=delivery_id, delay_s=delay_s)

    def throw(self, throw: Throw) -> int:
        """Hand a signal to all who wait for it, a message to one or keep it."""
        data = as_json(
            {
                "kind": throw.kind,
                "event": throw.event,
                "correlation": throw.correlation,
                "variables": throw.variables,
            }
        )
        if throw.kind == "signal":
            return self._statements.run(
                "deliveries_throw_signal", event=throw.event, data=data
            )
        # The next statement must not see less than what the lock protects, so the
        # lock is a statement of its own.
        self._statements.run("messages_lock")
        given = self._statements.run(
            "deliveries_throw_message",
            event=throw.event,
            correlation=throw.correlation,
            data=data,
        )
        if not given:
            self._statements.run(
                "messages_keep",
                event=throw.event,
                correlation=throw.correlation,
                variables=as_json(throw.variables),
                once=throw.once,
            )
        return given

    def match(self, wait: EventWait, instance_id: str) -> bool:
        """Give a new subscription the message that already lies there."""
        if wait.kind != "message":
            return False
        self._statements.run("messages_lock")
        given = self._statements.run(
            "messages_match",
            event=wait.event,
            correlation=wait.correlation,
            task_id=wait.task_id,
            instance_id=instance_id,
        )
        return given > 0
