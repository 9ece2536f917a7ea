"""Forms as workers will see them, on a tablet drawn around the real fields."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.forms import check_form
from mpms.domain.people.people import Role
from mpms.services.models.show import ModelUnknown
from mpms.web.fields.rendering import render_form
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk
from mpms.web.texts import t

pages = Blueprint("forms", __name__)

READERS = LEADERS | {Role.VIEWER}
LONGEST_VALUES = 20_000


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
    asked = request.args.get("values", "")[:LONGEST_VALUES]
    values, wrong = _values(asked)
    return render_template(
        "model_form.html",
        deployed=shown,
        versions=versions,
        form=render_form(schema, values, feel=current_desk().engine.feel),
        findings=check_form(json.dumps(schema).encode()),
        asked=asked,
        wrong=wrong,
    )


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
