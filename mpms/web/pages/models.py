"""Models: what is deployed in which version, by whom, and what has changed."""

from __future__ import annotations

import json

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.models.difference import HOWS
from mpms.domain.people.people import Role
from mpms.services.models.compare import compare_models
from mpms.services.models.listing import list_models
from mpms.services.models.show import ModelUnknown, model_file, show_model
from mpms.web.labels import models as words
from mpms.web.pages import (
    models_decisions,
    models_deploy,
    models_edit,
    models_forms,
    models_testdrive,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("models", __name__)
for part in (
    *(models_deploy, models_decisions, models_edit, models_forms),
    models_testdrive,
):
    pages.register_blueprint(part.pages)

READERS = LEADERS | {Role.VIEWER}
FOR_EVER = "private, max-age=31536000, immutable"

pages.add_app_template_global(words.how_word, "model_how")
pages.add_app_template_global(words.how_sign, "model_sign")
pages.add_app_template_global(words.how_chip, "model_chip")
pages.add_app_template_global(words.part_word, "model_kind")
pages.add_app_template_global(words.fact_word, "model_fact")
pages.add_app_template_global(words.policy_word, "model_policy")
pages.add_app_template_global(words.rows_of, "fired_rows")


@pages.app_context_processor
def rights() -> dict[str, object]:
    return {"may_deploy": lambda: current_person().role is Role.ADMIN}


@pages.get("/models")
@allowed(READERS)
def listing() -> str:
    found = list_models(current_desk().uow, current_person().id)
    return render_template("models.html", models=found)


@pages.get("/models/<key>")
@allowed(READERS)
def newest(key: str) -> Answer:
    desk = current_desk()
    found = show_model(desk.uow, desk.engine, key)
    return redirect(url_for("models.version", key=key, version=found.shown.version))


@pages.get("/models/<key>/<int:version>")
@allowed(READERS)
def version(key: str, version: int) -> str:
    desk = current_desk()
    found = show_model(desk.uow, desk.engine, key, version)
    return render_template("model.html", page=found)


@pages.get("/models/<key>/compare")
@allowed(READERS)
def compare(key: str) -> str:
    desk = current_desk()
    found = compare_models(
        desk.uow, desk.engine, key, old=_version("from"), new=_version("to")
    )
    return render_template("models_compare.html", page=found, hows=HOWS)


@pages.get("/models/<key>/<int:version>/<name>.bpmn")
@allowed(READERS)
def download(key: str, version: int, name: str) -> Response:
    """The name is for whoever saves the file; key and version find it."""
    return _file(model_file(current_desk().uow, key, version), "application/xml")


@pages.get("/models/decisions/<key>/<int:version>/<name>.dmn")
@allowed(READERS)
def download_decision(key: str, version: int, name: str) -> Response:
    with current_desk().uow() as tx:
        xml = tx.models.decision(key, version)
    if xml is None:
        raise ModelUnknown
    return _file(xml, "application/xml")


@pages.get("/models/forms/<key>/<int:version>/<name>.form")
@allowed(READERS)
def download_form(key: str, version: int, name: str) -> Response:
    with current_desk().uow() as tx:
        schema = tx.models.form(key, version)
    if schema is None:
        raise ModelUnknown
    text = json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
    return _file(text.encode(), "application/json")


@pages.get("/models/element-template/<name>.json")
@allowed(READERS)
def download_template(name: str) -> Response:
    """Its id may hold any sign, so it is asked for, not part of the address."""
    version = _version("version")
    with current_desk().uow() as tx:
        found = tx.models.template(request.args.get("id", ""), version or 0)
    if found is None:
        raise ModelUnknown
    text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
    return _file(text.encode(), "application/json")


def _version(name: str) -> int | None:
    """ModelUnknown, if it is no number."""
    text = request.args.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ModelUnknown(t("A version is a number."))
    return int(text)


def _file(content: bytes, mimetype: str) -> Response:
    answer = Response(content, mimetype=mimetype)
    answer.headers["Cache-Control"] = FOR_EVER
    answer.headers["Content-Disposition"] = "attachment"
    return answer
