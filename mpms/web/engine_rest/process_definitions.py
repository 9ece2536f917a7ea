"""Start a process by its key."""

from __future__ import annotations

from typing import Any

from flask import Response
from pydantic import Field

from mpms.domain.errors import ProcessUnknown
from mpms.services.start_instance import start_instance
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.shapes import definition_id
from mpms.web.engine_rest.values import read_all, write_all


class Start(Asked):
    variables: dict[str, Any] | None = None
    business_key: str | None = Field(default=None, max_length=200)
    with_variables_in_return: bool = False


@offered("POST", "/process-definition/key/<key>/start")
def start(call: Call, key: str) -> Response:
    """ProcessUnknown, StartUnknown, VariableTooLarge."""
    asked, desk = read_body(Start), call.desk
    variables = read_all(asked.variables)
    desk.engine.check_variables(variables)
    with desk.uow() as tx:
        try:
            definition = tx.definitions.latest(key)
        except ProcessUnknown:
            raise ProcessUnknown(f"No process '{key}' is deployed.") from None
        instance_id = start_instance(
            tx,
            desk.advance,
            key,
            variables=variables,
            business_key=asked.business_key,
            actor=call.by,
        )
        made = tx.instances.get(instance_id)
        number = tx.definitions.id_of(definition)
        tx.wake()
    shown: dict[str, Any] = {
        "links": [],
        "id": instance_id,
        "definitionId": definition_id(key, definition.version, number),
        "definitionKey": key,
        "businessKey": asked.business_key,
        "caseInstanceId": None,
        "ended": made.status.ended,
        "suspended": made.suspended is not None,
        "tenantId": None,
    }
    if asked.with_variables_in_return:
        snapshot = made.snapshot
        shown["variables"] = write_all({} if snapshot is None else snapshot.variables)
    return answer(shown)
