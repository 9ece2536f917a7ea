"""What a supervisor changes about an order, each with one form on its page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.services.orders import change
from mpms.factory.web.desk import current_desk
from mpms.web.rights import DOERS, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("change", __name__)


class DueInvalid(MpmsError):
    """Choose the due date as a day."""


@pages.post("/orders/<number>/change")
@allowed(LEADERS)
def plan(number: str) -> Answer:
    def act() -> str:
        change.change_order(
            current_desk().uow,
            number,
            by=current_person().login,
            priority=request.form.get("priority", ""),
            due=due_of(request.form.get("due", "")),
        )
        return t("Saved.")

    back = request.form.get("back") == "schedule"
    return _done(number, act, to=url_for("schedule.page") if back else None)


@pages.post("/orders/<number>/cancel")
@allowed(LEADERS)
def cancel(number: str) -> Answer:
    def act() -> str:
        desk, person = current_desk(), current_person()
        reason = request.form.get("reason", "")
        change.cancel_order(
            desk.uow, desk.advance, number, by=person.login, reason=reason
        )
        return t("Order {number} is cancelled.", number=number)

    return _done(number, act)


@pages.post("/orders/<number>/note")
@allowed(DOERS)
def note(number: str) -> Answer:
    def act() -> str:
        text, person = request.form.get("text", ""), current_person()
        change.note_order(current_desk().uow, number, by=person.login, text=text)
        return t("The note is kept.")

    return _done(number, act)


@pages.post("/orders/<number>/ask")
@allowed(DOERS)
def ask(number: str) -> Answer:
    def act() -> str:
        person, question = current_person(), request.form.get("text", "")
        change.ask_decision(
            current_desk().uow, number, by=person.login, question=question
        )
        return t("The question is now among what waits for a decision.")

    return _done(number, act)


@pages.post("/orders/<number>/split")
@allowed(LEADERS)
def split(number: str) -> Answer:
    def act() -> str:
        desk, share = current_desk(), request.form.get("share", "")
        new = change.split_order(
            desk.uow,
            desk.engine,
            number,
            by=current_person().login,
            share_percent=int(share) if share.isdecimal() and len(share) < 3 else 0,
        )
        return t("The part is order {number}.", number=new)

    return _done(number, act)


def due_of(text: str) -> date | None:
    """DueInvalid."""
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise DueInvalid from None


def _done(number: str, act: Callable[[], str], *, to: str | None = None) -> Answer:
    """Back to the page, with what was done or why not."""
    try:
        flash(act(), "ok")
    except (DatabaseAway, OrderUnknown):
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    return redirect(to or url_for("orders.page", number=number), 303)
