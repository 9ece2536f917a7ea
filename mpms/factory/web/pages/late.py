"""Answers that came late: a supervisor compares and decides."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import TaskGone
from mpms.factory.ports.store import Transaction
from mpms.factory.web.desk import current_desk
from mpms.factory.web.fields.task_page import body, script_asks
from mpms.ports.tasks.late_answers import LateAnswer
from mpms.services.tasks.claim import name_of
from mpms.services.tasks.decide_late_answer import (
    LateAnswerDecided,
    ReasonNeeded,
    accept_late_answer,
    discard_late_answer,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("late", __name__)


@pages.get("/late")
@allowed(LEADERS)
def listing() -> str:
    return _page()


@pages.get("/late/<int:late_id>")
@allowed(LEADERS)
def one(late_id: int) -> str:
    return _page(late_id)


def _page(late_id: int | None = None, problem: str | None = None) -> str:
    with current_desk().uow() as tx:
        found = [a for a in tx.late_answers.open() if late_id in (None, a.id)]
        rows = [_row(tx, answer) for answer in found]
    if late_id is not None and not rows:
        raise LateAnswerDecided
    return render_template("late.html", rows=rows, problem=problem, as_text=shown)


def _row(tx: Transaction, late: LateAnswer) -> dict[str, Any]:
    first = tx.tasks.answer(late.task_id)
    by_another = late.posted_by not in (None, late.answered_by)
    try:
        waits = first is None and bool(tx.tasks.get(late.task_id))
    except TaskGone:
        waits = False
    return {
        "late": late,
        "by": name_of(tx, late.answered_by),
        "posted_by": name_of(tx, late.posted_by or "") if by_another else None,
        "first": first,
        "fields": sorted({**late.answers, **({} if first is None else first.answers)}),
        "first_by": None if first is None else name_of(tx, first.answered_by),
        "waits": waits,
        "reason": reason_text(late.reason),
    }


@pages.post("/late/<int:late_id>")
@allowed(LEADERS)
def decide(late_id: int) -> Answer:
    sent = body() if request.is_json else request.form
    desk, person = current_desk(), current_person()
    decision, reason = sent.get("decision"), str(sent.get("reason") or "")
    if decision == "accept":
        accept_late_answer(desk.uow, desk.advance, late_id, person=person)
    elif decision == "discard":
        try:
            discard_late_answer(desk.uow, late_id, person=person, reason=reason)
        except ReasonNeeded as missing:
            if script_asks():
                raise
            return make_response(_page(late_id, t(str(missing))), 422)
    else:
        raise BadRequest
    if script_asks():
        return jsonify(state="done", next=url_for("tasks.late.listing"))
    return redirect(url_for("tasks.late.listing"), 303)


def reason_text(reason: str) -> str:
    """Reasons are kept in English; names and times in them stay as they are."""
    taken, answered = " has taken the task meanwhile", "answered by "
    if reason.endswith(taken):
        who = reason.removesuffix(taken)
        return t("{who} has taken the task meanwhile", who=who)
    if reason.startswith(answered) and reason.endswith(" already"):
        who, _, at = reason[len(answered) : -len(" already")].rpartition(" at ")
        return t("answered by {who} at {time} already", who=who, time=at)
    return t(reason)


def shown(value: Any) -> str:
    """An answer as a reader understands it."""
    if isinstance(value, bool):
        return t("Yes") if value else t("No")
    if isinstance(value, list):
        return ", ".join(shown(one) for one in value)
    pictured = isinstance(value, dict) and "attachment" in value
    if pictured or (isinstance(value, str) and value.startswith("data:image/")):
        return t("a picture")
    return "–" if value is None or value == "" else str(value)
