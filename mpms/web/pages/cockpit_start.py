"""Start a process from the browser, with the form at its start event."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import FormInvalid, MpmsError
from mpms.domain.forms import check_answers
from mpms.domain.numbers import finite
from mpms.services.instances.start import start_instance
from mpms.services.processes.start_form import StartForm, start_form
from mpms.web.fields.rendering import parse_post, problems_of, render_form
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("start", __name__)

LONGEST_VALUES = 20_000
LONGEST_KEY = 200


class ValuesUnreadable(MpmsError):
    """What was typed is no JSON object."""


@pages.get("/cockpit/<key>/start")
@allowed(LEADERS)
def ask(key: str) -> str:
    return _page(_form(key))


@pages.post("/cockpit/<key>/start")
@allowed(LEADERS)
def start(key: str) -> Answer | tuple[str, int]:
    desk, person, asked = current_desk(), current_person(), _form(key)
    name = request.form.get("business_key", "").strip()[:LONGEST_KEY]
    answers: dict[str, Any] = {}
    try:
        if asked.schema is not None:
            answers = parse_post(dict(asked.schema), request.form, files=request.files)
            values = check_answers(dict(asked.schema), answers, feel=desk.engine.feel)
        else:
            values = _values(request.form.get("values", ""))
        desk.engine.check_variables(values)
        with desk.uow() as tx:
            made = start_instance(
                tx,
                desk.advance,
                key,
                variables=values,
                business_key=name or None,
                version=asked.definition.version,
                actor=person.login,
                person=person,
            )
            tx.wake()
    except FormInvalid as wrong:
        return _page(asked, answers, problems_of(wrong) or {"": t(str(wrong))}), 422
    except (ValuesUnreadable, MpmsError) as wrong:
        return _page(asked, answers, {"": t(str(wrong))}), 422
    flash(t("It is started."), "ok")
    return redirect(url_for("cockpit_instance.page", instance_id=made), 303)


def _form(key: str) -> StartForm:
    desk = current_desk()
    return start_form(desk.uow, desk.engine, key, current_person())


def _page(
    asked: StartForm,
    answers: dict[str, Any] | None = None,
    problems: dict[str, str] | None = None,
) -> str:
    schema, wrong = asked.schema, problems or {}
    fields = (
        None
        if schema is None
        else render_form(
            dict(schema), {}, answers, feel=current_desk().engine.feel, problems=wrong
        )
    )
    return render_template(
        "cockpit_start.html",
        asked=asked,
        fields=fields,
        wrong=wrong.get("", ""),
        values=request.form.get("values", ""),
        name=request.form.get("business_key", ""),
    )


def _values(text: str) -> dict[str, Any]:
    """Variables as a JSON object; nothing is none."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text[:LONGEST_VALUES], parse_float=finite)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValuesUnreadable('Write the variables as JSON, such as {"kg": 20}.')
    return found
