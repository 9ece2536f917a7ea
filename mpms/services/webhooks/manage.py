"""Who is told of events: made, changed, paused and played again by administrators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mpms.domain.errors import MpmsError, NotFound
from mpms.domain.history.kinds import Kinds
from mpms.domain.webhooks import checked_kinds, checked_url, new_secret
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.webhooks import Webhook

MOST_WEBHOOKS = 100


class WebhookUnknown(NotFound):
    """There is no such webhook."""


class EventUnknown(NotFound):
    """There is no such event, or it was deleted with old history."""


class TooManyWebhooks(MpmsError):
    """There are 100 webhooks already; delete one first."""


@dataclass(frozen=True)
class NewWebhook:
    """The secret is told once and never again."""

    webhook: Webhook
    secret: str


def add_webhook(
    uow: UnitOfWork,
    url: str,
    kinds: Sequence[str],
    *,
    known_kinds: Kinds,
    private_allowed: bool = False,
    by: str,
) -> NewWebhook:
    """WebhookInvalid, TooManyWebhooks."""
    kept_url = checked_url(url, plain_allowed=private_allowed)
    kept_kinds, secret = checked_kinds(kinds, known_kinds.kinds), new_secret()
    with uow() as tx:
        if len(tx.webhooks.listing()) >= MOST_WEBHOOKS:
            raise TooManyWebhooks
        made = tx.webhooks.add(kept_url, secret, kept_kinds, by=by)
        _tell(tx, "webhook added", made, by, kinds=list(kept_kinds))
    return NewWebhook(made, secret)


def change_webhook(
    uow: UnitOfWork,
    webhook_id: int,
    *,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    known_kinds: Kinds,
    private_allowed: bool = False,
    by: str,
) -> Webhook:
    """What is not given stays. WebhookUnknown, WebhookInvalid."""
    with uow() as tx:
        old = known(tx, webhook_id)
        new_url = (
            old.url if url is None else checked_url(url, plain_allowed=private_allowed)
        )
        new_kinds = (
            old.kinds if kinds is None else checked_kinds(kinds, known_kinds.kinds)
        )
        tx.webhooks.change(webhook_id, url=new_url, kinds=new_kinds)
        made = known(tx, webhook_id)
        _tell(tx, "webhook changed", made, by, kinds=list(new_kinds))
        return made


def renew_secret(uow: UnitOfWork, webhook_id: int, *, by: str) -> NewWebhook:
    """Posts are signed with a new secret at once. WebhookUnknown."""
    secret = new_secret()
    with uow() as tx:
        found = known(tx, webhook_id)
        tx.webhooks.set_secret(webhook_id, secret)
        _tell(tx, "webhook secret renewed", found, by)
    return NewWebhook(found, secret)


def pause_webhook(uow: UnitOfWork, webhook_id: int, *, by: str) -> Webhook:
    """What happens meanwhile is told when it goes on. WebhookUnknown."""
    with uow() as tx:
        found = known(tx, webhook_id)
        tx.webhooks.pause(webhook_id, None)
        _tell(tx, "webhook paused", found, by)
        return known(tx, webhook_id)


def resume_webhook(uow: UnitOfWork, webhook_id: int, *, by: str) -> Webhook:
    """It goes on where it stopped. WebhookUnknown."""
    with uow() as tx:
        found = known(tx, webhook_id)
        tx.webhooks.resume(webhook_id)
        _tell(tx, "webhook resumed", found, by)
        tx.wake()
        return known(tx, webhook_id)


def replay_webhook(
    uow: UnitOfWork, webhook_id: int, event_id: int, *, by: str
) -> Webhook:
    """Tell everything again from an event on. WebhookUnknown, EventUnknown."""
    with uow() as tx:
        found = known(tx, webhook_id)
        if not tx.webhooks.replay(webhook_id, event_id):
            raise EventUnknown
        _tell(tx, "webhook replayed", found, by, event=event_id)
        tx.wake()
        return known(tx, webhook_id)


def delete_webhook(uow: UnitOfWork, webhook_id: int, *, by: str) -> None:
    """WebhookUnknown."""
    with uow() as tx:
        found = known(tx, webhook_id)
        tx.webhooks.delete(webhook_id)
        _tell(tx, "webhook deleted", found, by)


def known(tx: Transaction, webhook_id: int) -> Webhook:
    found = tx.webhooks.get(webhook_id)
    if found is None:
        raise WebhookUnknown
    return found


def _tell(tx: Transaction, kind: str, webhook: Webhook, by: str, **more: Any) -> None:
    data = {"webhook": webhook.id, "url": webhook.url, **more}
    tx.events.append(kind, actor=by, data=data)
