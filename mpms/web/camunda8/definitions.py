"""Deployed versions of processes."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from mpms.domain.camunda8 import DefinitionsWanted, Page
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer
from mpms.web.camunda8.keys import Kind, number_in, numbers_in, unknown
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import AnyOf, Asked, Tenant, offered, read_body
from mpms.web.camunda8.shapes import definition_shape


class Which(Asked):
    process_definition_key: AnyOf = None
    process_definition_id: AnyOf = None
    version: int | None = None
    is_latest_version: bool = False
    tenant_id: Tenant | None = None


class DefinitionSearch(Search):
    filter: Which = Field(default=Which())


@offered("POST", "/process-definitions/search")
def find(call: Call) -> Response:
    asked = read_body(DefinitionSearch)
    page, which = asked.part("processDefinitionKey"), asked.filter
    wanted = DefinitionsWanted(
        numbers=numbers_in(Kind.DEFINITION, which.process_definition_key),
        keys=which.process_definition_id,
        version=which.version,
        latest=which.is_latest_version,
    )
    with call.desk.uow() as tx:
        found = tx.numbered.definitions(wanted, page)
    return answer(listed(found, page, definition_shape))


@offered("GET", "/process-definitions/<key>")
def one(call: Call, key: str) -> Response:
    number = number_in(Kind.DEFINITION, key)
    with call.desk.uow() as tx:
        wanted = DefinitionsWanted(numbers=(number,))
        found = tx.numbered.definitions(wanted, Page()).rows
    if not found:
        raise unknown(Kind.DEFINITION, key)
    return answer(definition_shape(found[0]))


@offered("GET", "/process-definitions/<key>/xml")
def xml(call: Call, key: str) -> Response:
    """ProcessUnknown."""
    with call.desk.uow() as tx:
        found = tx.definitions.by_id(number_in(Kind.DEFINITION, key))
    return Response(found.xml, content_type="text/xml; charset=utf-8")
