"""Deploy files as clients of Camunda 7 send them: parts of a form; list them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response, request

from mpms.domain.errors import NotFound
from mpms.ports.camunda7 import DefinitionsWanted, ListedDeployment, Part
from mpms.services.models.deploy import Deployment, deploy_models
from mpms.services.models.file_kinds import ENDINGS, file_kind
from mpms.web.api.operation import Call
from mpms.web.engine_rest.deployment_ids import deployment_id
from mpms.web.engine_rest.errors import RequestInvalid, answer
from mpms.web.engine_rest.listing import (
    Found,
    Some,
    Sorted,
    When,
    like_pattern,
    offer_list,
    part_of,
)
from mpms.web.engine_rest.process_definitions import definition_shape
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.values import date_text
from mpms.web.rights import ADMINS, READERS

KNOWN = tuple(ENDINGS)
LONGEST_NOTE = 200
SORTED_BY = {"id": "at", "deploymentTime": "at", "name": "name"}
SORTED: Mapping[str, Callable[[ListedDeployment], Any]] = {
    "at": lambda row: row.at,
    "name": lambda row: row.note,
}


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
    shown = _deployed(call, done)
    with desk.uow() as tx:
        # What is unchanged came with an earlier one; the last there is has it all.
        last = tx.listings.deployments()[0]
    return answer(
        deployment_shape(last)
        | {
            "links": [],
            "name": name or None,
            "source": request.form.get("deployment-source"),
            "deployedProcessDefinitions": shown or None,
            "deployedCaseDefinitions": None,
            "deployedDecisionDefinitions": None,
            "deployedDecisionRequirementsDefinitions": None,
        }
    )


def _files() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for part in request.files.values():
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
        raise RequestInvalid("No file was sent; a deployment has at least one.")
    return found


def _deployed(call: Call, done: Deployment) -> dict[str, Any]:
    with call.desk.uow() as tx:
        ids = tuple(tx.definitions.id_of(each) for each in done.definitions)
        rows, _ = tx.listings.definitions(DefinitionsWanted(ids=ids), Part())
    return {shape["id"]: shape for shape in map(definition_shape, rows)}


class Deployments(Sorted):
    id: str | None = None
    name: str | None = None
    name_like: str | None = None
    after: When = None
    before: When = None
    without_tenant_id: bool = False


def find(call: Call, asked: Deployments, some: Some) -> Found:
    """The last first, if nothing else is asked for."""
    part = part_of(asked, some, SORTED_BY)
    like = like_pattern(asked.name_like)
    with call.desk.uow() as tx:
        rows = [
            row
            for row in tx.listings.deployments()
            if asked.id in (None, deployment_id(row.at))
            and asked.name in (None, row.note)
            and (like is None or like.fullmatch(row.note))
            and (asked.after is None or row.at > asked.after)
            and (asked.before is None or row.at < asked.before)
        ]
    if part.sort:
        rows.sort(key=SORTED[part.sort], reverse=part.down)
    shown = rows[part.offset :][: part.limit]
    return [deployment_shape(row) for row in shown], len(rows)


offer_list("/deployment", Deployments, find, READERS)


@offered("GET", "/deployment/<ident>", roles=READERS)
def show(call: Call, ident: str) -> Response:
    """NotFound."""
    rows, _ = find(call, Deployments(id=ident), Some())
    if not rows:
        raise NotFound(f"There is no deployment {ident}.")
    return answer(rows[0])


def deployment_shape(row: ListedDeployment) -> dict[str, Any]:
    return {
        "id": deployment_id(row.at),
        "name": row.note or None,
        "source": None,
        "tenantId": None,
        "deploymentTime": date_text(row.at),
    }
