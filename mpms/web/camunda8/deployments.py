"""Deploy files as clients of Camunda 8 send them: parts of a form."""

from __future__ import annotations

from typing import Any

from flask import Response, json, request

from mpms.services.models.deploy import deploy_models
from mpms.services.models.file_kinds import file_kind
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer
from mpms.web.camunda8.keys import Kind, key_of
from mpms.web.camunda8.routes import TENANT, RequestInvalid, offered
from mpms.web.engine_rest.deployments import KNOWN
from mpms.web.rights import ADMINS

NOTHING = {
    "processDefinition": None,
    "decisionDefinition": None,
    "decisionRequirements": None,
    "form": None,
    "resource": None,
}


@offered("POST", "/deployments", roles=ADMINS)
def create(call: Call) -> Response:
    """All or none. What is unchanged keeps its version. RequestInvalid, Refused."""
    desk, files = call.desk, _files()
    deploy_models(desk.uow, desk.engine, files, by=call.by, now=desk.clock.now())
    with desk.uow() as tx:
        number = tx.numbered.loose()
    shown = {
        "deploymentKey": key_of(Kind.DEPLOYMENT, number),
        "tenantId": TENANT,
        "deployments": [
            NOTHING | one
            for name, content in files.items()
            for one in _deployed(call, name, content)
        ],
    }
    return answer(shown)


def _files() -> dict[str, bytes]:
    if request.form.get("tenantId", TENANT) != TENANT:
        raise RequestInvalid(f"The only tenant here is {TENANT}.")
    found: dict[str, bytes] = {}
    for part in request.files.getlist("resources"):
        name = (part.filename or "").replace("\\", "/").rpartition("/")[2]
        if file_kind(name) is None:
            raise RequestInvalid(
                f"The file '{name}' cannot be deployed; these kinds can:"
                f" {', '.join(KNOWN)}."
            )
        if name in found:
            raise RequestInvalid(f"The file '{name}' was sent twice.")
        found[name] = part.read()
    if not found:
        raise RequestInvalid("No file was sent; 'resources' has at least one.")
    return found


def _deployed(call: Call, name: str, content: bytes) -> list[dict[str, Any]]:
    engine = call.desk.engine
    kind = file_kind(name)
    if kind == "bpmn":
        return _processes(call, name, [key for key, _ in engine.processes(content)])
    if kind == "dmn":
        return _decisions(call, name, [key for key, _ in engine.decisions(content)])
    return _forms(call, name, content) if kind == "form" else []


def _processes(call: Call, name: str, keys: list[str]) -> list[dict[str, Any]]:
    shown = []
    with call.desk.uow() as tx:
        for key in keys:
            made = tx.definitions.latest(key)
            facts = {
                "processDefinitionId": key,
                "processDefinitionVersion": made.version,
                "processDefinitionKey": key_of(
                    Kind.DEFINITION, tx.definitions.id_of(made)
                ),
                "resourceName": name,
                "tenantId": TENANT,
            }
            shown.append({"processDefinition": facts})
    return shown


def _decisions(call: Call, name: str, keys: list[str]) -> list[dict[str, Any]]:
    with call.desk.uow() as tx:
        made = sorted(tx.numbered.decisions(keys), key=lambda one: one.number)
    if not made:
        return []
    first, file = made[0], name.removesuffix(".dmn")
    file_key = key_of(Kind.REQUIREMENTS, first.number)
    requirements = {
        "decisionRequirementsId": file,
        "decisionRequirementsName": file,
        "decisionRequirementsKey": file_key,
        "version": first.version,
        "resourceName": name,
        "tenantId": TENANT,
    }
    decisions = [
        {
            "decisionDefinitionId": one.key,
            "decisionDefinitionKey": key_of(Kind.DECISION, one.number),
            "name": one.name,
            "version": one.version,
            "decisionRequirementsId": file,
            "decisionRequirementsKey": file_key,
            "tenantId": TENANT,
        }
        for one in made
    ]
    return [
        *({"decisionDefinition": one} for one in decisions),
        {"decisionRequirements": requirements},
    ]


def _forms(call: Call, name: str, content: bytes) -> list[dict[str, Any]]:
    form = str(json.loads(content)["id"])
    with call.desk.uow() as tx:
        made = tx.numbered.forms((form,))
    return [
        {
            "form": {
                "formId": one.key,
                "formKey": key_of(Kind.FORM, one.number),
                "version": one.version,
                "resourceName": name,
                "tenantId": TENANT,
            }
        }
        for one in made
    ]
