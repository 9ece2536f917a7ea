"""Addresses that are told of events, for administrators."""

from __future__ import annotations

from flask import Blueprint, flash, make_response, redirect, render_template, request
from werkzeug.exceptions import NotFound as NoSuchPage
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import MpmsError
from mpms.domain.webhooks import GIVE_UP_AFTER, WebhookInvalid
from mpms.services.webhooks.manage import (
    NewWebhook,
    TooManyWebhooks,
    add_webhook,
    delete_webhook,
    pause_webhook,
    renew_secret,
    replay_webhook,
    resume_webhook,
)
from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("webhooks", __name__)


@pages.get("/webhooks")
@allowed(ADMINS)
def show() -> str:
    return _page()


@pages.post("/webhooks")
@allowed(ADMINS)
def add() -> Answer:
    """The answer is the only page that ever shows the secret."""
    desk = current_desk()
    kinds = [k for k in request.form.get("kinds", "").split(",") if k.strip()]
    try:
        made = add_webhook(
            desk.uow,
            request.form.get("url", ""),
            kinds,
            known_kinds=desk.kinds,
            private_allowed=desk.webhooks_to_private,
            by=current_person().login,
        )
    except (WebhookInvalid, TooManyWebhooks) as error:
        return make_response(_page(problem=error), 422)
    return make_response(_page(made))


@pages.post("/webhooks/<int:webhook_id>/<action>")
@allowed(ADMINS)
def act(webhook_id: int, action: str) -> Answer:
    uow, by = current_desk().uow, current_person().login
    if action == "secret":
        return make_response(_page(renew_secret(uow, webhook_id, by=by)))
    if action == "pause":
        pause_webhook(uow, webhook_id, by=by)
        flash(t("It is paused. No event is lost."), "ok")
    elif action == "resume":
        resume_webhook(uow, webhook_id, by=by)
        flash(t("It continues where it stopped."), "ok")
    elif action == "replay":
        number = request.form.get("event", "").strip()
        if not number.isdecimal() or len(number) > 18:
            problem = WebhookInvalid("Enter the number of an event.")
            return make_response(_page(problem=problem), 422)
        replay_webhook(uow, webhook_id, int(number), by=by)
        flash(t("All events from this one on are sent again."), "ok")
    elif action == "delete":
        delete_webhook(uow, webhook_id, by=by)
        flash(t("The webhook is deleted."), "ok")
    else:
        raise NoSuchPage
    return redirect("/webhooks", 303)


def _page(made: NewWebhook | None = None, problem: MpmsError | None = None) -> str:
    with current_desk().uow() as tx:
        found = tx.webhooks.listing()
    return render_template(
        "webhooks.html",
        webhooks=found,
        made=made,
        problem=None if problem is None else t(" ".join(str(problem).split())),
        typed={} if made is not None else request.form,
        give_up_after=GIVE_UP_AFTER,
    )
