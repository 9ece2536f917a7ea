"""Forms as workers will see them, on a tablet drawn around the real fields; drawn,
kept as drafts, deployed."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.domain.forms import check_form
from mpms.domain.people.people import Role
from mpms.services.models.deploy import Refused
from mpms.services.models.save_draft import (
    DraftUnknown,
    drop_draft,
    find_draft,
    save_model_draft,
)
from mpms.services.models.show import ModelUnknown
from mpms.web.fields.rendering import render_form
from mpms.web.pages.models_deploy import LONGEST_NOTE, deployed
from mpms.web.pages.models_edit import EDITOR_POLICY, KEY
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("forms", __name__)

READERS = LEADERS | {Role.VIEWER}
EDITORS = frozenset({Role.ADMIN})
LONGEST_VALUES = 20_000
MOST_SAMPLES = 20
KIND = "form"


@pages.get("/models/forms/<key>")
@allowed(READERS)
def newest(key: str) -> Answer:
    with current_desk().uow() as tx:
        versions = [row for row in tx.models.forms() if row.key == key]
    if not versions:
        raise ModelUnknown(f"No form {key} is deployed.")
    where = url_for("models.forms.preview", key=key, version=versions[0].version)
    return redirect(where)


@pages.get("/models/forms/<key>/<int:version>")
@allowed(READERS)
def preview(key: str, version: int) -> str:
    with current_desk().uow() as tx:
        versions = [row for row in tx.models.forms() if row.key == key]
        schema = tx.models.form(key, version)
    shown = next((row for row in versions if row.version == version), None)
    if schema is None or shown is None:
        raise ModelUnknown(f"No such version of the form {key} is deployed.")
    asked = request.args.get("values", "")[:LONGEST_VALUES] or _taken(key)
    values, wrong = _values(asked)
    return render_template(
        "model_form.html",
        deployed=shown,
        versions=versions,
        form=render_form(schema, values, feel=current_desk().engine.feel),
        findings=check_form(json.dumps(schema).encode()),
        asked=asked,
        wrong=wrong,
        samples=_samples(key),
    )


@pages.get("/models/forms/new")
@allowed(EDITORS)
def new() -> str:
    return render_template("model_form_new.html", key="", wrong="")


@pages.post("/models/forms/new")
@allowed(EDITORS)
def begin() -> Answer | tuple[str, int]:
    key = request.form.get("key", "").strip()
    wrong = _wrong_key(key)
    if wrong:
        return render_template("model_form_new.html", key=key, wrong=wrong), 422
    _save(key, {"type": "default", "id": key, "components": []}, None)
    return redirect(url_for("models.forms.edit", key=key), 303)


@pages.get("/models/forms/<key>/edit")
@allowed(EDITORS)
def edit(key: str) -> str:
    return _editor(key)


@pages.post("/models/forms/<key>/draft")
@allowed(EDITORS)
def keep(key: str) -> dict[str, Any]:
    """Keep the form, say what is wrong with it, and draw it as workers will see it."""
    posted = request.get_json(silent=True)
    schema = posted.get("schema") if isinstance(posted, dict) else None
    if not isinstance(posted, dict) or not isinstance(schema, dict):
        raise BadRequest
    schema = {**schema, "id": key}
    if posted.get("keep") is not False:
        _save(key, schema, _base(key))
    values, _ = _values(str(posted.get("values") or "")[:LONGEST_VALUES])
    problems = check_form(json.dumps(schema).encode())
    drawn = (
        ""
        if any(one.reason.startswith("the file") for one in problems)
        else render_form(schema, values, feel=current_desk().engine.feel)
    )
    return {
        "findings": [
            {
                "element": one.element,
                "name": one.name,
                "reason": one.reason,
                "refuses": True,
            }
            for one in problems
        ],
        "preview": str(drawn),
    }


@pages.post("/models/forms/<key>/deploy")
@allowed(EDITORS)
def deploy(key: str) -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    draft = find_draft(desk.uow, person.id, KIND, key)
    if draft is None:
        raise DraftUnknown
    note = request.form.get("note", "").strip()[:LONGEST_NOTE]
    try:
        answer = deployed({f"{key}.form": draft.content}, note)
    except Refused:
        return _editor(key, wrong=t("Nothing was deployed. Fix the errors below.")), 422
    drop_draft(desk.uow, person.id, KIND, key)
    return answer


@pages.post("/models/forms/<key>/discard")
@allowed(EDITORS)
def discard(key: str) -> Answer:
    drop_draft(current_desk().uow, current_person().id, KIND, key)
    flash(t("The draft is discarded."))
    return redirect(url_for("models.listing"), 303)


def _editor(key: str, *, wrong: str = "") -> str:
    desk, person = current_desk(), current_person()
    draft = find_draft(desk.uow, person.id, KIND, key)
    with desk.uow() as tx:
        schema = tx.definitions.form(key)
    if draft is None and schema is None:
        raise ModelUnknown(f"No form {key} is deployed.")
    g.answer_headers = {"Content-Security-Policy": EDITOR_POLICY}
    return render_template(
        "model_form_edit.html",
        key=key,
        schema=json.loads(draft.content) if draft else schema,
        draft=draft,
        base=draft.base_version if draft else _base(key),
        asked=request.args.get("values", "")[:LONGEST_VALUES] or _taken(key),
        samples=_samples(key),
        wrong=wrong,
    )


def _save(key: str, schema: dict[str, Any], base: int | None) -> None:
    content = json.dumps(schema, ensure_ascii=False, indent=2).encode()
    save_model_draft(
        current_desk().uow, current_person().id, KIND, key, content, base_version=base
    )


def _base(key: str) -> int | None:
    with current_desk().uow() as tx:
        rows = [row.version for row in tx.models.forms() if row.key == key]
    return rows[0] if rows else None


def _wrong_key(key: str) -> str:
    if not KEY.fullmatch(key):
        return t(
            "An id begins with a letter and has letters, digits, _ , - and . only."
        )
    if _base(key) is not None:
        return t("A form with this id is deployed already; open that one to edit it.")
    return ""


def _samples(key: str) -> list[dict[str, str]]:
    """Open tasks with this form: the form can be shown with what they know."""
    with current_desk().uow() as tx:
        tasks = [task for task in tx.tasks.open() if task.form == key]
    return [
        {"id": task.task_id, "name": f"{task.business_key or '–'}: {task.name}"}
        for task in tasks[:MOST_SAMPLES]
    ]


def _taken(key: str) -> str:
    """What a real task with this form knows, as JSON."""
    asked = request.args.get("task", "")
    with current_desk().uow() as tx:
        found = next(
            (t for t in tx.tasks.open() if t.task_id == asked and t.form == key), None
        )
        known = None if found is None else tx.instances.get(found.instance_id).snapshot
    if found is None:
        return ""
    names = {**(known.variables if known else {}), **found.inputs}
    return json.dumps(names, ensure_ascii=False, indent=2, default=str)


def _values(text: str) -> tuple[dict[str, Any], str]:
    """What the process would know, and why it cannot be read."""
    if not text.strip():
        return {}, ""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found, ""
    example = '{"order": "MO-1"}'
    return {}, t("Write the values as JSON, for example {example}.", example=example)
