"""Incidents by cause: look, try again, give to somebody, discuss, put aside.

Every action is a form of its own on the page of its cause; what is refused comes back
on that page with what was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.bulk import BatchAction
from mpms.domain.errors import DatabaseAway, InstanceBusy, MpmsError, NotFound
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.services.bulk.order import order_batch
from mpms.services.incidents.assign import assign_cause
from mpms.services.incidents.close import close_cause, close_incident
from mpms.services.incidents.comment import comment_cause
from mpms.services.incidents.inbox import show_cause, show_inbox
from mpms.services.incidents.list_alarms import count_alarms, list_alarms
from mpms.services.instances.repair import retry_incident
from mpms.web.labels import incidents as words
from mpms.web.labels.incidents import InboxFilter
from mpms.web.pages import alerts
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person, local_path
from mpms.web.texts import t

pages = Blueprint("incidents", __name__)
pages.register_blueprint(alerts.pages)
pages.add_app_template_global(words.kind_word, "incident_kind")
pages.add_app_template_test(words.is_retryable, "retryable_incident")

MOST_DIGITS = 18


@pages.get("/incidents")
@allowed(LEADERS)
def inbox() -> str:
    part = "HX-Request" in request.headers
    whole = not part or "HX-History-Restore-Request" in request.headers
    shown = "incidents.html" if whole else "_incidents_causes.html"
    return render_template(shown, **_inbox())


def _inbox() -> dict[str, Any]:
    desk, asked = current_desk(), InboxFilter.of(request.args)
    wanted = asked.wanted(current_person().login)
    return {
        "page": show_inbox(desk.uow, desk.engine, wanted),
        "alarms": list_alarms(desk.uow),
        "asked": asked,
        "sorts": words.sort_words(),
        "no_process": words.NO_PROCESS,
    }


@pages.get("/alarms/count")
@allowed(LEADERS)
def count() -> str:
    """The number beside the menu's word, on every page."""
    return render_template("_alarm_count.html", count=_count())


@pages.app_template_global("alarm_count")
def _count() -> int:
    try:
        return count_alarms(current_desk().uow)
    except DatabaseAway:  # the page itself says so
        return 0


# -- one cause -------------------------------------------------------------------------


@pages.get("/incidents/<cause>")
@allowed(LEADERS)
def cause(cause: str) -> str:
    return render_template("incident_cause.html", **_cause(cause))


@pages.get("/incidents/<cause>/now")
@allowed(LEADERS)
def cause_now(cause: str) -> str:
    """What changes while somebody looks; not the forms, which may be half filled in."""
    return render_template("_incident_cause_now.html", **_cause(cause))


def _cause(cause: str) -> dict[str, Any]:
    desk = current_desk()
    after = request.args.get("after", "")
    known = after.isdecimal() and len(after) <= MOST_DIGITS
    found = show_cause(
        desk.uow, desk.engine, cause, after=int(after) if known else None
    )
    return {"page": found, "cause": cause, "further": known}


def _acted(cause: str, act: Callable[[], str], form: str) -> Answer | tuple[str, int]:
    """Do it and show the cause again; refused, with the reason at the form."""
    try:
        done = act()
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _refused(cause, error, form)
    flash(done, "ok")
    back = request.form.get("back")
    there = url_for("incidents.cause", cause=cause)
    return redirect(local_path(back, there) if back else there, 303)


def _refused(cause: str, error: MpmsError, form: str) -> tuple[str, int]:
    status = 409 if isinstance(error, InstanceBusy | NotFound) else 422
    shown = _cause(cause)
    return (
        render_template(
            "incident_cause.html",
            **shown,
            failed=form,
            problem=t(str(error)),
            typed=request.form,
        ),
        status,
    )


@pages.post("/incidents/<cause>/retry-all")
@allowed(LEADERS)
def retry_all(cause: str) -> Answer | tuple[str, int]:
    """A batch does it, one by one; whoever ordered it sees how far it is."""
    desk, by = current_desk(), current_person().login
    which, reason = IncidentFilter(cause=cause), request.form.get("reason", "")
    try:
        number = order_batch(desk.uow, BatchAction.RETRY, which, by=by, reason=reason)
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _refused(cause, error, "retry")
    return redirect(f"/batches/{number}", 303)


@pages.post("/incidents/<cause>/assign")
@allowed(LEADERS)
def assign(cause: str) -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    to = request.form.get("to", "") or None

    def act() -> str:
        assign_cause(desk.uow, cause, to, by=person.login)
        if to is None:
            return t("Assigned to nobody.")
        if to == person.login:
            return t("Assigned to you.")
        return t("Assigned to {who}.", who=to)

    return _acted(cause, act, "assign")


@pages.post("/incidents/<cause>/comment")
@allowed(LEADERS)
def comment(cause: str) -> Answer | tuple[str, int]:
    desk, by = current_desk(), current_person().login

    def act() -> str:
        comment_cause(desk.uow, cause, request.form.get("text", ""), by=by)
        return t("The comment is saved.")

    return _acted(cause, act, "comment")


@pages.post("/incidents/<cause>/close")
@allowed(LEADERS)
def close(cause: str) -> Answer | tuple[str, int]:
    desk, by = current_desk(), current_person().login
    reason = request.form.get("reason", "")

    def act() -> str:
        closed = close_cause(desk.uow, cause, by=by, note=reason)
        return t("{n} incidents are put aside.", n=closed)

    return _acted(cause, act, "close")


@pages.post("/incidents/<cause>/one/<int:incident_id>/retry")
@allowed(LEADERS)
def retry_one(cause: str, incident_id: int) -> Answer | tuple[str, int]:
    desk, by = current_desk(), current_person().login

    def act() -> str:
        retry_incident(desk.uow, desk.advance, incident_id, by=by)
        return t("It is tried again.")

    return _acted(cause, act, "one")


@pages.post("/incidents/<cause>/one/<int:incident_id>/close")
@allowed(LEADERS)
def close_one(cause: str, incident_id: int) -> Answer | tuple[str, int]:
    desk, by = current_desk(), current_person().login

    def act() -> str:
        reason = request.form.get("reason", "")
        close_incident(desk.uow, incident_id, by=by, note=reason)
        return t("It is put aside.")

    return _acted(cause, act, "one")
