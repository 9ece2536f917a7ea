"""Commands that an instance shall get, and the events that become such commands.

A signal is copied to everybody who waits for it, without any lock, and starts every
process that begins with it. A message is for one who waits, else for the process that
begins with it, else it is kept: all throwing and matching of messages happens under
one lock until the commit, so that a message and its subscription never miss each
other, and a message is never given to two. The data of a received event names it, so
that a message whose task is gone when it arrives can be thrown again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import (
    Repository,
    Statements,
    as_json,
    is_uuid,
)
from mpms.adapters.postgres.processes.starts import Starts
from mpms.domain.errors import InstanceUnknown
from mpms.domain.instances.steps import EventWait, Throw, received
from mpms.ports.instances.deliveries import Delivery, Fitting


class Deliveries(Repository):
    """Rows of ``deliveries`` and ``messages``."""

    def __init__(self, statements: Statements) -> None:
        super().__init__(statements)
        self.locks_messages = False

    def add(
        self,
        instance_id: str,
        kind: str,
        *,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._statements.gather(
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

    def signalled(self) -> Sequence[int]:
        """The definitions in which somebody waits for a signal, or that one starts."""
        return [row[0] for row in self._statements.rows("deliveries_signalled")]

    def throw(
        self, throw: Throw, *, keep_s: float | None = None, by: str | None = None
    ) -> int:
        """Hand a signal to all who wait for it and all it starts; a message to one
        who waits, else to the process that it starts, else keep it: for ever, for a
        while, or with 0 not at all. ``by``: an instance whose own waits have the
        signal already."""
        data = as_json(received(throw))
        if throw.kind == "signal":
            given = self._statements.run(
                "deliveries_throw_signal", event=throw.event, data=data, by=by
            )
            return given + self._start(throw)
        self._lock_messages()
        given = self._statements.run(
            "deliveries_throw_message",
            event=throw.event,
            correlation=throw.correlation,
            data=data,
        )
        given = given or self._start(throw)
        if not given and keep_s != 0:
            self.keep(throw, keep_s=keep_s)
        return given

    def _start(self, throw: Throw) -> int:
        started = Starts(self._statements).trigger(
            throw.kind, throw.event, throw.variables, business_key=throw.correlation
        )
        return len(started)

    def keep(self, throw: Throw, *, keep_s: float | None = None) -> None:
        """Keep a message until somebody waits for it, or for a while only."""
        self._statements.run(
            "messages_keep",
            event=throw.event,
            correlation=throw.correlation,
            variables=as_json(throw.variables),
            once=throw.once,
            keep_s=keep_s,
        )

    def note_id(
        self, event: str, correlation: str | None, message_id: str, *, keep_s: float
    ) -> bool:
        """Note the id of a message for a while; False if it is noted already."""
        noted = self._statements.run(
            "message_ids_insert",
            event=event,
            correlation=correlation,
            message_id=message_id,
            keep_s=keep_s,
        )
        return noted > 0

    def expire(self) -> None:
        """Forget messages, and ids of messages, whose time is up."""
        self._lock_messages()
        self._statements.run("messages_expire")
        self._statements.run("message_ids_expire")

    def fitting(
        self,
        event: str,
        correlation: str | None,
        *,
        instance_id: str | None = None,
        business_key: str | None = None,
        most: int,
    ) -> Sequence[Fitting]:
        """Whom a message fits that none is on its way to, oldest first."""
        if instance_id is not None and not is_uuid(instance_id):
            raise InstanceUnknown
        self._lock_messages()
        if instance_id is None and business_key is None:
            rows = self._statements.rows(
                "messages_fitting", event=event, correlation=correlation, most=most
            )
        else:
            rows = self._statements.rows(
                "messages_fitting_of",
                event=event,
                correlation=correlation,
                instance_id=instance_id,
                business_key=business_key,
                most=most,
            )
        return [Fitting(*row) for row in rows]

    def match(self, wait: EventWait, instance_id: str) -> bool:
        """Give a new subscription the message that already lies there."""
        if wait.kind != "message":
            return False
        self._lock_messages()
        given = self._statements.run(
            "messages_match",
            event=wait.event,
            correlation=wait.correlation,
            task_id=wait.task_id,
            instance_id=instance_id,
        )
        return given > 0

    def _lock_messages(self) -> None:
        """A statement of its own, because the next one must not see less than what
        the lock protects."""
        if not self.locks_messages:
            self._statements.run("messages_lock")
            self.locks_messages = True
