"""Start a process, the latest version by its key or any by its id."""

from __future__ import annotations

from typing import Any

from flask import Response
from pydantic import Field

from mpms.services.instances.start import start_instance
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.process_definitions import by_id, latest
from mpms.web.engine_rest.process_instances import instance_shape, known
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.values import read_all, write_all


class Start(Asked):
    variables: dict[str, Any] | None = None
    business_key: str | None = Field(default=None, max_length=200)
    with_variables_in_return: bool = False


@offered(
    "POST",
    "/process-definition/key/<key>/start",
    "/process-definition/key/<key>/submit-form",
)
def start(call: Call, key: str) -> Response:
    """ProcessUnknown, StartUnknown, VariableTooLarge."""
    asked = read_body(Start)
    latest(call, key)
    return _started(call, asked, key)


@offered(
    "POST",
    "/process-definition/<ident>/start",
    "/process-definition/<ident>/submit-form",
)
def start_version(call: Call, ident: str) -> Response:
    """The same."""
    asked, found = read_body(Start), by_id(call, ident)
    return _started(call, asked, found.key, version=found.version)


def _started(
    call: Call, asked: Start, key: str, version: int | None = None
) -> Response:
    desk, variables = call.desk, read_all(asked.variables)
    desk.engine.check_variables(variables)
    with desk.uow() as tx:
        instance_id = start_instance(
            tx,
            desk.advance,
            key,
            variables=variables,
            business_key=asked.business_key,
            version=version,
            actor=call.by,
            person=call.person,
        )
        tx.wake()
    shown = instance_shape(known(call, instance_id))
    if asked.with_variables_in_return:
        with desk.uow() as tx:
            snapshot = tx.instances.get(instance_id).snapshot
        shown["variables"] = write_all({} if snapshot is None else snapshot.variables)
    return answer(shown)
