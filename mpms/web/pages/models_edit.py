"""Draw a process in the browser: a draft a person, checked while it is drawn, deployed.

The drawing is bytes here; only the engine reads it.
"""

from __future__ import annotations

import re
from typing import Any

from flask import (
    Blueprint,
    Response,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from markupsafe import escape
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import NotFound
from mpms.domain.models.topics import KnownTopic
from mpms.ports.models.models import ModelDraft
from mpms.services.models.check import check_model
from mpms.services.models.deploy import Refused
from mpms.services.models.listing import ModelLine, ModelList, list_models
from mpms.services.models.names_to_choose import names_to_choose
from mpms.services.models.save_draft import (
    DraftUnknown,
    drop_draft,
    find_draft,
    save_model_draft,
)
from mpms.services.models.show import model_file
from mpms.services.workers.known_topics import list_topics
from mpms.web.pages.models_deploy import (
    DEPLOYERS,
    LONGEST_NOTE,
    deployed,
    findings_of,
    reviews_of,
)
from mpms.web.rights import allowed
from mpms.web.site.security import CONTENT_SECURITY_POLICY
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("edit", __name__)

KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
# The palette and the text box of the modeller are placed by style attributes.
EDITOR_POLICY = f"{CONTENT_SECURITY_POLICY}; style-src-attr 'unsafe-inline'"
NEW_MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
    xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    id="{key}_definitions" targetNamespace="urn:mpms:processes">
  <bpmn:process id="{key}" name="{name}" isExecutable="true">
    <bpmn:startEvent id="start" />
  </bpmn:process>
  <bpmndi:BPMNDiagram id="diagram">
    <bpmndi:BPMNPlane id="plane" bpmnElement="{key}">
      <bpmndi:BPMNShape id="start_shape" bpmnElement="start">
        <dc:Bounds x="180" y="160" width="36" height="36" />
      </bpmndi:BPMNShape>
    </bpmndi:BPMNPlane>
  </bpmndi:BPMNDiagram>
</bpmn:definitions>
"""


@pages.get("/models/new")
@allowed(DEPLOYERS)
def new() -> str:
    return render_template("model_new.html", key="", name="", wrong="")


@pages.post("/models/new")
@allowed(DEPLOYERS)
def begin() -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    key = request.form.get("key", "").strip()
    name = "".join(c for c in request.form.get("name", "") if c.isprintable())[:200]
    if wrong := _wrong_key(key):
        return render_template("model_new.html", key=key, name=name, wrong=wrong), 422
    xml = NEW_MODEL.format(key=key, name=escape(name.strip() or key))
    save_model_draft(
        desk.uow, person.id, "process", key, xml.encode(), base_version=None
    )
    return redirect(url_for("models.edit.editor", key=key), 303)


@pages.get("/models/<key>/edit")
@allowed(DEPLOYERS)
def editor(key: str) -> str:
    return _editor(key)


@pages.get("/models/<key>/edit/<name>.bpmn")
@allowed(DEPLOYERS)
def drawing(key: str, name: str) -> Response:
    """What the editor opens: the draft, else the version it began with."""
    desk, draft = current_desk(), _draft(key)
    if draft is not None:
        content = draft.content
    else:
        content = model_file(desk.uow, key, _began_with(key, _models()))
    answer = Response(content, mimetype="application/xml")
    answer.headers["Content-Disposition"] = "attachment"
    return answer


@pages.post("/models/<key>/draft")
@allowed(DEPLOYERS)
def keep(key: str) -> dict[str, Any]:
    """Keep the drawing and say what is wrong with it."""
    desk, person = current_desk(), current_person()
    posted = request.get_json(silent=True)
    xml = posted.get("xml") if isinstance(posted, dict) else None
    if not isinstance(posted, dict) or not isinstance(xml, str):
        raise BadRequest
    content = xml.encode("utf-8", "replace")
    if posted.get("keep") is not False:
        base = posted.get("base")
        save_model_draft(
            desk.uow,
            person.id,
            "process",
            key,
            content,
            base_version=base if type(base) is int and 0 < base < 1 << 31 else None,
        )
    found = check_model(desk.uow, desk.tries, f"{key}.bpmn", content)
    return {
        "findings": [
            {
                "element": one.element,
                "name": one.name,
                "reason": one.reason,
                "refuses": one.refuses,
            }
            for one in found
        ]
    }


@pages.get("/models/<key>/review")
@allowed(DEPLOYERS)
def review(key: str) -> str | Answer:
    """What deploying the draft would change."""
    draft = _draft(key)
    if draft is None:
        flash(t("Nothing is changed, so there is nothing to deploy."))
        return redirect(url_for("models.edit.editor", key=key), 303)
    files = {f"{key}.bpmn": draft.content}
    return render_template(
        "model_review.html",
        key=key,
        reviews=reviews_of(files),
        findings=findings_of(files)[f"{key}.bpmn"],
    )


@pages.post("/models/<key>/deploy")
@allowed(DEPLOYERS)
def deploy(key: str) -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    draft = _draft(key)
    if draft is None:
        raise DraftUnknown
    note = request.form.get("note", "").strip()[:LONGEST_NOTE]
    try:
        answer = deployed({f"{key}.bpmn": draft.content}, note)
    except Refused:
        return _editor(key, wrong=t("Nothing was deployed. Fix the errors below.")), 422
    drop_draft(desk.uow, person.id, "process", key)
    return answer


@pages.post("/models/<key>/discard")
@allowed(DEPLOYERS)
def discard(key: str) -> Answer:
    drop_draft(current_desk().uow, current_person().id, "process", key)
    flash(t("The draft is discarded."))
    return redirect(url_for("models.listing"), 303)


def _editor(key: str, *, wrong: str = "") -> str:
    models, draft = _models(), _draft(key)
    line = _line(key, models)
    if draft is None and line is None:
        raise NotFound(t("There is no such model, and no draft of it."))
    base = draft.base_version if draft else _began_with(key, models)
    g.answer_headers = {"Content-Security-Policy": EDITOR_POLICY}
    return render_template(
        "model_edit.html",
        key=key,
        name=line.name if line else key,
        draft=draft,
        base=base,
        latest=line.latest if line else None,
        asked=request.args.get("version", type=int),
        topics=[
            _topic(one)
            for one in list_topics(current_desk().uow, current_desk().engine)
        ],
        names=names_to_choose(
            current_desk().uow, current_desk().engine, current_person().id
        ),
        templates=_templates(),
        wrong=wrong,
    )


def _templates() -> list[dict[str, Any]]:
    with current_desk().uow() as tx:
        return list(tx.models.templates())


def _topic(one: KnownTopic) -> dict[str, Any]:
    return {
        "name": one.name,
        "about": one.about,
        "takes": dict(one.takes),
        "gives": dict(one.gives),
        "source": one.source,
        "served": one.served,
    }


def _models() -> ModelList:
    return list_models(current_desk().uow, current_person().id)


def _draft(key: str) -> ModelDraft | None:
    return find_draft(current_desk().uow, current_person().id, "process", key)


def _line(key: str, models: ModelList) -> ModelLine | None:
    return next((one for one in models.processes if one.key == key), None)


def _began_with(key: str, models: ModelList) -> int:
    asked, line = request.args.get("version", type=int), _line(key, models)
    if asked is not None:
        return asked
    return line.latest.version if line else 1


def _wrong_key(key: str) -> str:
    if not KEY.fullmatch(key):
        return t(
            "An id begins with a letter and has letters, digits, _ , - and . only."
        )
    if _line(key, _models()) is not None:
        return t(
            "A process with this id is deployed already; open that one to edit it."
        )
    if _draft(key) is not None:
        return t("You have a draft with this id already.")
    return ""
