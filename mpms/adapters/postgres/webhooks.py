"""Who is told of events, how far each has read, and what is on its way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.domain.history.events import Cursor
from mpms.ports.webhooks import Webhook, WebhookPost


class Webhooks(Repository):
    """Rows of ``webhooks`` and ``webhook_posts``."""

    def add(self, url: str, secret: str, kinds: Sequence[str], *, by: str) -> Webhook:
        """Told of what happens from now on."""
        row = self._statements.row(
            "webhooks_add", url=url, secret=secret, kinds=list(kinds), by=by
        )
        made = None if row is None else self.get(row[0])
        assert made is not None  # noqa: S101
        return made

    def get(self, webhook_id: int) -> Webhook | None:
        row = self._statements.row("webhooks_listing", webhook_id=webhook_id)
        return None if row is None else _webhook(row)

    def listing(self) -> Sequence[Webhook]:
        rows = self._statements.rows("webhooks_listing", webhook_id=None)
        return [_webhook(row) for row in rows]

    def change(self, webhook_id: int, *, url: str, kinds: Sequence[str]) -> None:
        self._statements.run(
            "webhooks_change", webhook_id=webhook_id, url=url, kinds=list(kinds)
        )

    def set_secret(self, webhook_id: int, secret: str) -> None:
        self._statements.run(
            "webhooks_set_secret", webhook_id=webhook_id, secret=secret
        )

    def pause(self, webhook_id: int, error: str | None) -> None:
        self._statements.run("webhooks_pause", webhook_id=webhook_id, error=error)

    def resume(self, webhook_id: int) -> None:
        self._statements.run("webhooks_resume", webhook_id=webhook_id)
        self._statements.run("webhooks_hurry", webhook_id=webhook_id)

    def delete(self, webhook_id: int) -> bool:
        return self._statements.run("webhooks_delete", webhook_id=webhook_id) > 0

    def replay(self, webhook_id: int, event_id: int) -> bool:
        """Tell again, this event first; False: there is no such event."""
        found = self._statements.run(
            "webhooks_replay", webhook_id=webhook_id, event_id=event_id
        )
        if not found:
            return False
        self._statements.run("webhooks_forget_posts", webhook_id=webhook_id)
        return True

    def to_follow(self, *, most: int) -> Sequence[tuple[Webhook, Cursor]]:
        """Those that are told, have less than so many posts waiting, and whom nobody
        reads for now, locked."""
        rows = self._statements.rows("webhooks_to_follow", most=most)
        return [(_webhook(row[:10]), Cursor(row[10], row[11])) for row in rows]

    def queue(self, webhook_id: int, event_id: int, body: dict[str, Any]) -> None:
        self._statements.run_later(
            "webhooks_queue",
            webhook_id=webhook_id,
            event_id=event_id,
            body=as_json(body),
        )

    def move(self, webhook_id: int, cursor: Cursor) -> None:
        self._statements.run(
            "webhooks_move",
            webhook_id=webhook_id,
            transaction=cursor.transaction,
            line=cursor.line,
        )

    def take(self, *, lease_s: float, limit: int) -> Sequence[WebhookPost]:
        """The first post of each address, where it is due and nobody has it."""
        rows = self._statements.rows("webhooks_take", lease_s=lease_s, limit=limit)
        return [WebhookPost(*row) for row in rows]

    def delivered(self, post: WebhookPost) -> None:
        self._statements.run("webhooks_forget_post", post_id=post.id)
        self._statements.run(
            "webhooks_delivered", webhook_id=post.webhook_id, event_id=post.event_id
        )

    def failed(self, post: WebhookPost, error: str, *, delay_s: float) -> int:
        """Try again later; how often in a row this address has failed."""
        self._statements.run(
            "webhooks_postpone", post_id=post.id, error=error, delay_s=delay_s
        )
        row = self._statements.row(
            "webhooks_failed", webhook_id=post.webhook_id, error=error
        )
        return 0 if row is None else int(row[0])

    def posts(self, webhook_id: int, *, limit: int) -> Sequence[tuple[Any, ...]]:
        """(event id, kind, attempts, not before, last error), the next first."""
        return self._statements.rows(
            "webhooks_posts", webhook_id=webhook_id, limit=limit
        )


def _webhook(row: Row) -> Webhook:
    ident, url, kinds, *rest = row
    return Webhook(ident, url, tuple(kinds), *rest)
