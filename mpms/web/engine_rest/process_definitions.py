"""Deployed processes: which there are, and their drawings."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.domain.errors import ProcessUnknown
from mpms.ports.camunda7 import DefinitionsWanted, ListedDefinition, Part
from mpms.web.api.operation import Call
from mpms.web.engine_rest.deployment_ids import deployment_id
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.listing import (
    Found,
    Ids,
    Some,
    Sorted,
    offer_list,
    one_of,
    part_of,
    texts,
)
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id, number_in
from mpms.web.rights import READERS

SORTED_BY = {"key": "key", "name": "name", "version": "version", "id": "id"}


class Definitions(Sorted):
    process_definition_id: str | None = None
    process_definition_id_in: Ids = None
    key: str | None = None
    keys_in: Ids = None
    key_like: str | None = None
    name: str | None = None
    name_like: str | None = None
    version: int | None = None
    latest_version: bool = False
    active: bool | None = None
    suspended: bool | None = None
    without_tenant_id: bool = False

    def wanted(self) -> DefinitionsWanted:
        ids = texts(self.process_definition_id, self.process_definition_id_in)
        return DefinitionsWanted(
            ids=None if ids is None else tuple(map(number_in, ids)),
            keys=texts(self.key, self.keys_in),
            key_like=self.key_like,
            name=self.name,
            name_like=self.name_like,
            version=self.version,
            latest=True if self.latest_version else None,
            suspended=one_of(self.suspended, self.active),
        )


def find(call: Call, asked: Definitions, some: Some) -> Found:
    with call.desk.uow() as tx:
        rows, total = tx.listings.definitions(
            asked.wanted(), part_of(asked, some, SORTED_BY)
        )
    return [definition_shape(row) for row in rows], total


offer_list("/process-definition", Definitions, find, READERS)


@offered("GET", "/process-definition/key/<key>", roles=READERS)
def show_latest(call: Call, key: str) -> Response:
    """ProcessUnknown."""
    return answer(definition_shape(latest(call, key)))


@offered("GET", "/process-definition/key/<key>/xml", roles=READERS)
def xml_of_latest(call: Call, key: str) -> Response:
    return _drawing(call, latest(call, key))


@offered("GET", "/process-definition/<ident>", roles=READERS)
def show(call: Call, ident: str) -> Response:
    """ProcessUnknown."""
    return answer(definition_shape(by_id(call, ident)))


@offered("GET", "/process-definition/<ident>/xml", roles=READERS)
def xml(call: Call, ident: str) -> Response:
    return _drawing(call, by_id(call, ident))


def latest(call: Call, key: str) -> ListedDefinition:
    """ProcessUnknown."""
    found = _one(call, DefinitionsWanted(keys=(key,), latest=True))
    if found is None:
        raise ProcessUnknown(f"No process '{key}' is deployed.")
    return found


def by_id(call: Call, ident: str) -> ListedDefinition:
    """ProcessUnknown."""
    found = _one(call, DefinitionsWanted(ids=(number_in(ident),)))
    if found is None or definition_shape(found)["id"] != ident:
        raise ProcessUnknown(f"There is no process definition '{ident}'.")
    return found


def _one(call: Call, wanted: DefinitionsWanted) -> ListedDefinition | None:
    with call.desk.uow() as tx:
        return next(iter(tx.listings.definitions(wanted, Part())[0]), None)


def _drawing(call: Call, found: ListedDefinition) -> Response:
    with call.desk.uow() as tx:
        drawn = tx.definitions.by_id(found.id).xml
    shown = drawn.decode("utf-8", "replace")
    return answer({"id": definition_shape(found)["id"], "bpmn20Xml": shown})


def definition_shape(row: ListedDefinition) -> dict[str, Any]:
    return {
        "id": definition_id(row.key, row.version, row.id),
        "key": row.key,
        "category": None,
        "description": None,
        "name": row.name or None,
        "version": row.version,
        "resource": f"{row.key}.bpmn",
        "deploymentId": deployment_id(row.deployed_at),
        "diagram": None,
        "suspended": row.suspended,
        "tenantId": None,
        "versionTag": None,
        "historyTimeToLive": None,
        "startableInTasklist": True,
    }
