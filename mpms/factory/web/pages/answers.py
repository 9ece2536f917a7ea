"""What people send in about a task: drafts, answers, problems."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from flask import (
    Blueprint,
    Response,
    flash,
    jsonify,
    make_response,
    redirect,
    request,
    url_for,
)
from werkzeug.exceptions import BadRequest, Unauthorized
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import FormInvalid, ReasonMissing
from mpms.domain.people.people import Person
from mpms.factory.services.records.prove import SignatureRefused
from mpms.factory.services.tasks.accept_weight import AcceptWeight, NothingToAccept
from mpms.factory.services.tasks.listing import next_of, tasks_for
from mpms.factory.web.desk import current_desk
from mpms.factory.web.fields.task_page import (
    body,
    problem_texts,
    schema_of,
    script_asks,
    task_page,
    view_of,
)
from mpms.factory.web.pages.late import reason_text
from mpms.services.people.recognise import Proof, recognise_answerer
from mpms.services.people.sign_in import SECRET_AT_MOST
from mpms.services.tasks.report_problem import report_problem
from mpms.services.tasks.save_draft import save_form_draft
from mpms.services.tasks.submit import Submitted, submit_form
from mpms.web.fields.rendering import parse_post
from mpms.web.rights import DOERS, LEADERS, allowed
from mpms.web.site.signed_in import (
    current_door,
    current_person,
    current_session,
)
from mpms.web.texts import t

pages = Blueprint("answers", __name__)

MAX_KEY = 100
SIGNATURE = "Entry-Signature"  # see ``recognise_answerer``


@pages.put("/tasks/<task_id>/draft")
@allowed(DOERS)
def draft(task_id: str) -> Answer:
    sent = body()
    fields = sent.get("fields")
    if fields is None and isinstance(sent.get("field"), str):
        fields = {sent["field"]: sent.get("value")}
    if not isinstance(fields, dict):
        raise BadRequest
    save_form_draft(current_desk().uow, task_id, fields, person=current_person())
    return Response(status=204)


@pages.post("/tasks/<task_id>/answer")
@allowed(DOERS)
def answer(task_id: str) -> Answer:
    if not request.is_json:
        return _plain_answer(task_id)
    sent = body()
    answers, key = sent.get("answers", {}), sent.get("key")
    if not isinstance(answers, dict) or not isinstance(key, str | None):
        raise BadRequest
    if key is not None and not 0 < len(key) <= MAX_KEY:
        raise BadRequest
    submitted = _submit(
        task_id,
        answers,
        _answerer(sent),
        key=key,
        device_at=_instant(sent.get("device_at")),
        instance_id=_text(sent.get("instance")),
    )
    return jsonify(
        state=submitted.state,
        message=None if submitted.late is None else reason_text(submitted.late),
        next=_next_url(submitted),
    )


def _plain_answer(task_id: str) -> Answer:
    """A form without scripts: wrong answers come back with the page."""
    view = view_of(task_id)
    answers = parse_post(
        schema_of(view), request.form, view.task.inputs, files=request.files
    )
    try:
        submitted = _submit(task_id, answers, current_person())
    except FormInvalid as wrong:
        return make_response(task_page(task_id, answers, problem_texts(wrong)), 422)
    return redirect(_next_url(submitted) or url_for("tasks.listing"), 303)


def _submit(
    task_id: str,
    answers: dict[str, Any],
    answerer: Person,
    *,
    key: str | None = None,
    device_at: datetime | None = None,
    instance_id: str | None = None,
) -> Submitted:
    desk = current_desk()
    return submit_form(
        desk.uow,
        desk.advance,
        task_id,
        answers,
        by=answerer.login,
        key=key,
        device_at=device_at,
        person=answerer,
        posted_by=current_person().login,
        instance_id=instance_id,
    )


def _answerer(sent: Mapping[str, Any]) -> Person:
    """Who answered: on a tablet without network maybe not the one who is signed in
    when the network is back. AnsweredElsewhere."""
    session = current_session()
    if session is None:
        raise Unauthorized
    login = sent.get("answered_by") or session.person.login
    if not isinstance(login, str):
        raise BadRequest
    return recognise_answerer(
        current_desk().uow,
        session,
        login,
        Proof(
            sign_in=_text(sent.get("sign_in")),
            answered_at=_instant(sent.get("device_at")),
            signed=f"{request.path}\n".encode() + request.get_data(cache=True),
            signature=request.headers.get(SIGNATURE),
        ),
    )


def _next_url(submitted: Submitted) -> str | None:
    desk, person = current_desk(), current_person()
    answered = submitted.answer
    views = tasks_for(desk.uow, person, now=desk.clock.now(), world=desk.world)
    instance_id = None if answered is None else answered.instance_id
    view = next_of(views, person, instance_id=instance_id)
    return None if view is None else url_for("tasks.page", task_id=view.task.task_id)


@pages.post("/tasks/<task_id>/accept-weight")
@allowed(LEADERS)
def accept_weight(task_id: str) -> Answer | tuple[str, int]:
    """A supervisor signs in again for a weight outside the tolerance."""
    desk = current_desk()
    try:
        AcceptWeight(desk.uow, desk.advance, desk.hasher)(
            task_id,
            current_person(),
            request.form.get("password", "")[:SECRET_AT_MOST],
            reason=request.form.get("reason", ""),
            address=current_door().address,
        )
    except (ReasonMissing, SignatureRefused, NothingToAccept) as refused:
        return task_page(task_id, None, {"": t(str(refused))}), 422
    flash(t("The weight is accepted; the load has to be confirmed once more."), "ok")
    return redirect(url_for("tasks.page", task_id=task_id), 303)


@pages.post("/tasks/<task_id>/problem")
@allowed(DOERS)
def problem(task_id: str) -> Answer:
    sent = body() if request.is_json else request.form
    code, note = sent.get("code"), sent.get("note") or ""
    if not isinstance(code, str) or not isinstance(note, str):
        raise BadRequest
    desk = current_desk()
    reported = report_problem(
        desk.uow,
        desk.advance,
        task_id,
        code,
        note,
        person=_answerer(sent),
        posted_by=current_person().login,
        instance_id=_text(sent.get("instance")),
    )
    if reported.late:
        state, said = "already", t("This task had already ended. Your note is saved.")
    elif reported.caught:
        state, said = "raised", t("Thank you. The order continues another way.")
    else:
        state, said = "told", t("The supervisor has been told. The task stays.")
    if script_asks():
        return jsonify(state=state, message=said, next=url_for("tasks.listing"))
    flash(said)
    return redirect(url_for("tasks.listing"), 303)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _instant(text: Any) -> datetime | None:
    """The tablet's clock; None where it says nothing that can be read."""
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
