"""Deploy files as clients of Camunda 7 send them: parts of a form."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from flask import Response, request

from mpms.services.deploy_models import Deployment, deploy_models
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id
from mpms.web.engine_rest.values import date_text
from mpms.web.rights import ADMINS

SPELLINGS = {".bpmn20.xml": ".bpmn", ".dmn11.xml": ".dmn", ".dmn10.xml": ".dmn"}
KNOWN = (".bpmn", ".dmn", ".form")
LONGEST_NOTE = 200


@offered("POST", "/deployment/create", roles=ADMINS)
def create(call: Call) -> Response:
    """All or none. What is unchanged keeps its version. RequestInvalid, Refused."""
    desk, name = call.desk, request.form.get("deployment-name", "")
    if request.form.get("tenant-id"):
        raise RequestInvalid("Nothing here has a tenant; leave 'tenant-id' away.")
    files = _files()
    done = deploy_models(
        desk.uow,
        desk.engine,
        files,
        by=call.by,
        note=name[:LONGEST_NOTE],
        now=desk.clock.now(),
    )
    return answer(
        {
            "links": [],
            "id": str(uuid4()),
            "name": name or None,
            "source": request.form.get("deployment-source"),
            "tenantId": None,
            "deploymentTime": date_text(desk.clock.now()),
            "deployedProcessDefinitions": _deployed(call, done) or None,
            "deployedCaseDefinitions": None,
            "deployedDecisionDefinitions": None,
            "deployedDecisionRequirementsDefinitions": None,
        }
    )


def _files() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for part in request.files.values():
        name = (part.filename or "").replace("\\", "/").rpartition("/")[2]
        for theirs, ours in SPELLINGS.items():
            if name.endswith(theirs):
                name = name.removesuffix(theirs) + ours
        if not name.endswith(KNOWN):
            raise RequestInvalid(
                f"The file '{name}' cannot be deployed; these kinds can:"
                f" {', '.join(KNOWN)}."
            )
        if name in found:
            raise RequestInvalid(f"The file '{name}' was sent twice.")
        found[name] = part.read()
    if not found:
        raise RequestInvalid("No file was sent; a deployment has at least one.")
    return found


def _deployed(call: Call, done: Deployment) -> dict[str, Any]:
    shown = {}
    with call.desk.uow() as tx:
        for each in done.definitions:
            number = tx.definitions.id_of(each)
            made = definition_id(each.key, each.version, number)
            shown[made] = {
                "id": made,
                "key": each.key,
                "name": each.name,
                "version": each.version,
                "suspended": False,
                "tenantId": None,
            }
    return shown
