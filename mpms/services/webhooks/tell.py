"""Tell other programs of events: each address in order, at least once, patiently.

First the history is read into posts: the post and the place that was read are one
transaction, so nothing is missed and nothing is queued twice. Then the first post of
each address is handed over, outside of any transaction, under a lease: whoever dies in
between leaves it to the next one, and the receiver may see it twice with the same id.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from mpms.domain.history.events import Event
from mpms.domain.webhooks import GIVE_UP_AFTER, PostFailed, fits, signature, wait_s
from mpms.ports.clock import Clock
from mpms.ports.store import UnitOfWork
from mpms.ports.webhooks import Poster, WebhookPost

LINES = 200  # read at once
MOST_WAITING = 1000  # of one address; the history keeps the rest
AT_ONCE = 8  # addresses; one that hangs must not hold up the others
LEASE_S = 60.0  # longer than any post takes
LONGEST_ERROR = 500
ACTOR = "webhooks"


@dataclass(frozen=True)
class TellWebhooks:
    """A background loop of the worker; True: there was something to do."""

    uow: UnitOfWork
    clock: Clock
    post: Poster

    def __call__(self) -> bool:
        queued = self._queue()
        with self.uow() as tx:
            posts = tx.webhooks.take(lease_s=LEASE_S, limit=AT_ONCE)
        self._hand_over(posts)
        return queued or bool(posts)

    def _queue(self) -> bool:
        moved = False
        with self.uow() as tx:
            for webhook, cursor in tx.webhooks.to_follow(most=MOST_WAITING):
                lines = tx.events.after(cursor, limit=LINES)
                for line in lines:
                    if fits(webhook.kinds, line.kind):
                        tx.webhooks.queue(webhook.id, line.cursor.line, body_of(line))
                if lines:
                    tx.webhooks.move(webhook.id, lines[-1].cursor)
                    moved = True
        return moved

    def _hand_over(self, posts: Sequence[WebhookPost]) -> None:
        if len(posts) == 1:
            self._tell(posts[0])
        elif posts:
            with ThreadPoolExecutor(len(posts)) as threads:
                list(threads.map(self._tell, posts))

    def _tell(self, post: WebhookPost) -> None:
        body = json.dumps(post.body, ensure_ascii=False).encode()
        at = int(self.clock.now().timestamp())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": str(post.event_id),
            "webhook-timestamp": str(at),
            "webhook-signature": signature(post.secret, str(post.event_id), at, body),
        }
        try:
            self.post(post.url, body, headers)
        except PostFailed as failure:
            self._failed(post, str(failure)[:LONGEST_ERROR])
            return
        with self.uow() as tx:
            tx.webhooks.delivered(post)

    def _failed(self, post: WebhookPost, error: str) -> None:
        with self.uow() as tx:
            failures = tx.webhooks.failed(post, error, delay_s=wait_s(post.attempts))
            if failures < GIVE_UP_AFTER:
                return
            tx.webhooks.pause(post.webhook_id, error)
            told = f"{post.url} failed {failures} times and is told nothing more"
            tx.incidents.open("webhook", f"{told}: {error}")
            tx.events.append(
                "webhook stopped",
                actor=ACTOR,
                data={"webhook": post.webhook_id, "url": post.url, "error": error},
            )
            tx.wake()


def body_of(event: Event) -> dict[str, Any]:
    """What a receiver reads."""
    return {
        "type": event.kind,
        "timestamp": event.at.isoformat(),
        "data": {
            "id": event.cursor.line,
            "cursor": f"{event.cursor.transaction}-{event.cursor.line}",
            "actor": event.actor,
            "instance_id": event.instance_id,
            "element": event.element,
            "task_id": event.task_id,
            "details": event.data,
        },
    }
