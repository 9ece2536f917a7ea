"""Webhooks by the API: who is told of which events, and how that goes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mpms.domain.webhooks import LONGEST_KIND, LONGEST_URL, MOST_KINDS
from mpms.services.webhooks.manage import (
    add_webhook,
    change_webhook,
    delete_webhook,
    known,
    pause_webhook,
    renew_secret,
    replay_webhook,
    resume_webhook,
)
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.values import Listed, RowId, shaped
from mpms.web.rights import ADMINS

section = Section("Webhooks", "Addresses that are told of events as they happen.")

SHOWN_POSTS = 100
Url = Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]
Kinds = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=LONGEST_KIND)]],
    Field(
        min_length=1,
        max_length=MOST_KINDS,
        description="Kinds of events; `*` stands for anything: `order *`, `*`.",
    ),
]


class WebhookShape(Shape):
    id: int
    url: str
    kinds: list[str]
    created_by: str
    created_at: datetime
    paused_at: datetime | None
    last_error: str | None
    failures: int = Field(description="In a row; after 20 it is paused.")
    sent_at: datetime | None
    sent_event: int | None
    waiting: int


class NewWebhookShape(WebhookShape):
    secret: str | None = Field(
        description="Told this once; null where a repeated request is answered."
    )


class NewWebhook(Given):
    url: Url
    kinds: Kinds


class ChangedWebhook(Given):
    url: Url | None = None
    kinds: Kinds | None = None


class Replay(Given):
    event_id: RowId


class PostShape(Shape):
    event_id: int
    kind: str | None
    attempts: int
    not_before: datetime
    last_error: str | None


@section.get("/webhooks", ADMINS)
def list_all(call: Call) -> Listed[WebhookShape]:
    """Every webhook and how it fares."""
    with call.desk.uow() as tx:
        return Listed[WebhookShape](items=shaped(WebhookShape, tx.webhooks.listing()))


@section.post(
    "/webhooks",
    ADMINS,
    status=201,
    example={"url": "https://erp.example.com/mpms", "kinds": ["order *", "incident *"]},
)
def add(call: Call, body: NewWebhook) -> NewWebhookShape:
    """Tell an address of what happens from now on."""
    desk = call.desk
    made = add_webhook(
        desk.uow,
        body.url,
        body.kinds,
        known_kinds=desk.kinds,
        private_allowed=desk.webhooks_to_private,
        by=call.by,
    )
    shape = WebhookShape.model_validate(made.webhook)
    return NewWebhookShape(**shape.model_dump(), secret=made.secret)


@section.get("/webhooks/{webhook_id}", ADMINS)
def one(call: Call, webhook_id: RowId) -> WebhookShape:
    """One webhook."""
    with call.desk.uow() as tx:
        return WebhookShape.model_validate(known(tx, webhook_id))


@section.get("/webhooks/{webhook_id}/posts", ADMINS)
def posts(call: Call, webhook_id: RowId) -> Listed[PostShape]:
    """What waits to be told, the next first."""
    with call.desk.uow() as tx:
        known(tx, webhook_id)
        rows = tx.webhooks.posts(webhook_id, limit=SHOWN_POSTS)
    names = ("event_id", "kind", "attempts", "not_before", "last_error")
    return Listed[PostShape](
        items=[PostShape(**dict(zip(names, row, strict=True))) for row in rows]
    )


@section.patch("/webhooks/{webhook_id}", ADMINS)
def change(call: Call, webhook_id: RowId, body: ChangedWebhook) -> WebhookShape:
    """Another address or other events; what is not given stays."""
    desk = call.desk
    made = change_webhook(
        desk.uow,
        webhook_id,
        url=body.url,
        kinds=body.kinds,
        known_kinds=desk.kinds,
        private_allowed=desk.webhooks_to_private,
        by=call.by,
    )
    return WebhookShape.model_validate(made)


@section.post("/webhooks/{webhook_id}/secret", ADMINS)
def secret(call: Call, webhook_id: RowId) -> NewWebhookShape:
    """Sign with a new secret from now on."""
    made = renew_secret(call.desk.uow, webhook_id, by=call.by)
    shape = WebhookShape.model_validate(made.webhook)
    return NewWebhookShape(**shape.model_dump(), secret=made.secret)


@section.post("/webhooks/{webhook_id}/pause", ADMINS)
def pause(call: Call, webhook_id: RowId) -> WebhookShape:
    """Tell nothing for now; nothing is lost."""
    made = pause_webhook(call.desk.uow, webhook_id, by=call.by)
    return WebhookShape.model_validate(made)


@section.post("/webhooks/{webhook_id}/resume", ADMINS)
def resume(call: Call, webhook_id: RowId) -> WebhookShape:
    """Go on where it stopped."""
    made = resume_webhook(call.desk.uow, webhook_id, by=call.by)
    return WebhookShape.model_validate(made)


@section.post("/webhooks/{webhook_id}/replay", ADMINS)
def replay(call: Call, webhook_id: RowId, body: Replay) -> WebhookShape:
    """Tell everything again from an event on."""
    made = replay_webhook(call.desk.uow, webhook_id, body.event_id, by=call.by)
    return WebhookShape.model_validate(made)


@section.delete("/webhooks/{webhook_id}", ADMINS)
def delete(call: Call, webhook_id: RowId) -> None:
    """Tell this address nothing any more."""
    delete_webhook(call.desk.uow, webhook_id, by=call.by)
