"""Change a running instance: its variables, whether it stands still, its end."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flask import Response

from mpms.domain.errors import AlreadySuspended, InstanceUnknown, NotSuspended
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.set_variables import set_variables
from mpms.services.instances.suspend import resume_instance, suspend_instance
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer, done
from mpms.web.engine_rest.files import VariableUnknown
from mpms.web.engine_rest.routes import Asked, offered, read_body, read_query
from mpms.web.engine_rest.values import read, read_all, write, write_all
from mpms.web.rights import READERS

WHY = "asked for with the API of Camunda 7"
ONE = "/process-instance/<instance_id>"


class Values(Asked):
    deserialize_values: bool = False  # there are no objects of Java here
    deserialize_value: bool = False


class Changes(Asked):
    modifications: dict[str, Any] | None = None
    deletions: list[str] | None = None


class Typed(Asked):
    value: Any = None
    type: str | None = None
    value_info: dict[str, Any] | None = None


class Suspended(Asked):
    suspended: bool


class Ended(Asked):
    """What of this is true of us anyway, or says nothing here."""

    skip_custom_listeners: bool = False
    skip_io_mappings: bool = False
    skip_subprocesses: bool = False
    fail_if_not_exists: bool = True


@offered("GET", ONE + "/variables", roles=READERS)
def variables(call: Call, instance_id: str) -> Response:
    """InstanceUnknown."""
    read_query(Values)
    return answer(write_all(_variables(call, instance_id)))


@offered("GET", ONE + "/variables/<name>", roles=READERS)
def variable(call: Call, instance_id: str, name: str) -> Response:
    """InstanceUnknown, VariableUnknown."""
    read_query(Values)
    found = _variables(call, instance_id)
    if name not in found:
        raise VariableUnknown(f"The instance {instance_id} has no variable '{name}'.")
    return answer(write(found[name]))


@offered("POST", ONE + "/variables")
def change(call: Call, instance_id: str) -> Response:
    """InstanceUnknown, TaskGone, VariableTooLarge."""
    asked = read_body(Changes)
    new = read_all(asked.modifications, "modifications")
    return _set(call, instance_id, new, tuple(asked.deletions or ()))


@offered("PUT", ONE + "/variables/<name>")
def put(call: Call, instance_id: str, name: str) -> Response:
    typed = read_body(Typed).model_dump(by_alias=True)
    return _set(call, instance_id, {name: read(name, typed)})


@offered("DELETE", ONE + "/variables/<name>")
def remove(call: Call, instance_id: str, name: str) -> Response:
    return _set(call, instance_id, {}, (name,))


@offered("PUT", ONE + "/suspended")
def suspend(call: Call, instance_id: str) -> Response:
    """InstanceUnknown. What it is already changes nothing."""
    desk = call.desk
    if read_body(Suspended).suspended:
        with suppress(AlreadySuspended):
            suspend_instance(desk.uow, instance_id, by=call.by, reason=WHY)
    else:
        with suppress(NotSuspended):
            resume_instance(desk.uow, instance_id, by=call.by, reason=WHY)
    return done()


@offered("DELETE", ONE)
def cancel(call: Call, instance_id: str) -> Response:
    """It ends with all it called. InstanceUnknown, TaskGone."""
    asked = read_query(Ended)
    if asked.skip_subprocesses:
        raise RequestInvalid("'skipSubprocesses' is not offered here.")
    try:
        cancel_instance(
            call.desk.uow, call.desk.advance, instance_id, by=call.by, reason=WHY
        )
    except InstanceUnknown:
        if asked.fail_if_not_exists:
            raise
    return done()


def _variables(call: Call, instance_id: str) -> dict[str, Any]:
    with call.desk.uow() as tx:
        snapshot = tx.instances.get(instance_id).snapshot
    return {} if snapshot is None else snapshot.variables


def _set(
    call: Call, instance_id: str, new: dict[str, Any], gone: tuple[str, ...] = ()
) -> Response:
    desk = call.desk
    desk.engine.check_variables(new)
    set_variables(
        desk.uow, desk.advance, instance_id, new, removed=gone, by=call.by, reason=WHY
    )
    return done()
