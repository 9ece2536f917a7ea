"""Who wants to be told of incidents, and what was told."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.domain.alerts.rules import AlertWish, ToldCause
from mpms.domain.people.people import LEADERS
from mpms.ports.alerts import Listener, Subscription


class Alerts(Repository):
    """Rows of ``alert_wishes``, ``push_subscriptions``, ``push_keys``, ``alerts``."""

    def lock(self) -> bool:
        row = self._statements.row("alerts_lock")
        return row is not None and bool(row[0])

    def wish(self, login: str) -> AlertWish:
        row = self._statements.row("alerts_wish", login=login)
        return AlertWish() if row is None else _wish(row)

    def set_wish(self, login: str, wish: AlertWish) -> None:
        self._statements.run(
            "alerts_set_wish",
            login=login,
            by_mail=wish.by_mail,
            when_over=wish.when_over,
            processes=None if wish.processes is None else list(wish.processes),
        )

    def subscribe(self, login: str, to: Subscription) -> None:
        self._statements.run(
            "alerts_subscribe",
            login=login,
            endpoint=to.endpoint,
            keys=as_json({"p256dh": to.p256dh, "auth": to.auth}),
        )

    def unsubscribe(self, endpoint: str, login: str | None = None) -> bool:
        return bool(
            self._statements.run("alerts_unsubscribe", endpoint=endpoint, login=login)
        )

    def subscriptions(self, login: str) -> int:
        row = self._statements.row("alerts_subscriptions", login=login)
        return 0 if row is None else int(row[0])

    def push_key(self, fresh: bytes | None = None) -> bytes | None:
        if fresh is not None:
            self._statements.run("alerts_keep_push_key", fresh=fresh)
        row = self._statements.row("alerts_push_key")
        return None if row is None else bytes(row[0])

    def listeners(self) -> Sequence[Listener]:
        roles = [str(role) for role in LEADERS]
        rows = self._statements.rows("alerts_listeners", roles=roles)
        return [_listener(row) for row in rows]

    def told(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for channel, cause in self._statements.rows("alerts_told"):
            found.setdefault(channel, set()).add(cause)
        return {channel: frozenset(causes) for channel, causes in found.items()}

    def last_told_at(self) -> Mapping[str, datetime]:
        return dict(self._statements.rows("alerts_last_told"))

    def take(self, channel: str, causes: Sequence[ToldCause]) -> list[str]:
        rows = self._statements.rows(
            "alerts_take",
            channel=channel,
            causes=[told.cause for told in causes],
            incidents=[told.incidents for told in causes],
        )
        return [row[0] for row in rows]

    def sent(self, channel: str, causes: Sequence[str]) -> None:
        self._statements.run("alerts_sent", channel=channel, causes=list(causes))

    def give_back(self, channel: str, causes: Sequence[str]) -> None:
        self._statements.run("alerts_give_back", channel=channel, causes=list(causes))

    def note(self, channel: str, causes: Sequence[str], error: str) -> None:
        self._statements.run(
            "alerts_note", channel=channel, causes=list(causes), error=error
        )

    def end(self, over_after_s: float) -> int:
        return self._statements.run("alerts_end", over_after_s=over_after_s)

    def owed(self) -> Mapping[str, Sequence[ToldCause]]:
        found: dict[str, list[ToldCause]] = {}
        for row in self._statements.rows("alerts_owed"):
            channel, cause, message, incidents, process, told_at = row
            told = ToldCause(cause, message, incidents, (process or "",), told_at)
            found.setdefault(channel, []).append(told)
        return found

    def take_owed(self, channel: str, causes: Sequence[str]) -> list[str]:
        rows = self._statements.rows(
            "alerts_take_owed", channel=channel, causes=list(causes)
        )
        return [row[0] for row in rows]

    def owe(self, channel: str, causes: Sequence[str]) -> None:
        self._statements.run("alerts_owe", channel=channel, causes=list(causes))


def _wish(row: Row) -> AlertWish:
    by_mail, when_over, processes = row
    return AlertWish(
        by_mail, when_over, None if processes is None else tuple(processes)
    )


def _listener(row: Row) -> Listener:
    login, language, by_mail, when_over, processes, mail, endpoint, keys = row
    wish = _wish((by_mail, when_over, processes))
    if endpoint is None:
        return Listener(f"mail:{login}", login, language, wish, address=mail)
    named = hashlib.sha256(endpoint.encode()).hexdigest()[:24]
    browser = Subscription(endpoint, keys["p256dh"], keys["auth"])
    return Listener(f"push:{named}", login, language, wish, subscription=browser)
