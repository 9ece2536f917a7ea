"""See and set variables of instances, and of what waits in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from flask import Response, json
from pydantic import Field

from mpms.domain.camunda8 import Found, Page
from mpms.services.instances.set_variables import set_variables
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer, done
from mpms.web.camunda8.keys import Kind, key_of, number_in, split, unknown
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import (
    TENANT,
    AnyOf,
    Asked,
    RequestInvalid,
    Tenant,
    Variables,
    offered,
    read_body,
)
from mpms.web.camunda8.user_tasks import get_user_task

REASON = "Set through the API of Camunda 8."


class SetSome(Asked):
    variables: Variables
    local: bool = False
    operation_reference: int | str | None = None


class Which(Asked):
    process_instance_key: AnyOf = None
    scope_key: AnyOf = None
    name: AnyOf = None
    value: AnyOf = None
    tenant_id: Tenant | None = None


class VariableSearch(Search):
    filter: Which = Field(default=Which())


class Named(Asked):
    name: AnyOf = None


class TaskVariableSearch(Search):
    filter: Named = Field(default=Named())


@offered("PUT", "/element-instances/<key>/variables")
def set_some(call: Call, key: str) -> Response:
    """TaskGone, RepairRefused, VariableTooLarge, InstanceBusy."""
    asked, desk = read_body(SetSome), call.desk
    instance_id, task_id = _element(call, key)
    set_variables(
        desk.uow,
        desk.advance,
        instance_id,
        asked.variables,
        task_id=task_id if asked.local else None,
        by=call.by,
        reason=REASON,
    )
    return done()


@offered("POST", "/variables/search")
def find(call: Call) -> Response:
    """Those of whole instances; what belongs to one step of them has no list."""
    asked = read_body(VariableSearch)
    page, which = asked.part("name"), asked.filter
    keys = which.process_instance_key or which.scope_key
    if not keys:
        raise RequestInvalid("Say whose variables: 'processInstanceKey'.")
    rows: list[dict[str, Any]] = []
    with call.desk.uow() as tx:
        for key in keys:
            kind, number = split(key)
            found = tx.numbered.instance_id(number) if kind == Kind.INSTANCE else None
            if found is None or (which.scope_key and key not in which.scope_key):
                continue
            kept = tx.tasks.variables([found])[found]
            rows += [_shape(key, name, value) for name, value in kept.items()]
    if which.value is not None:
        rows = [row for row in rows if row["value"] in which.value]
    return answer(_page(rows, which.name, page))


@offered(
    "POST",
    "/user-tasks/<key>/variables/search",
    "/user-tasks/<key>/effective-variables/search",
)
def of_user_task(call: Call, key: str) -> Response:
    """All that it sees, inner ones hiding outer ones."""
    asked, task = read_body(TaskVariableSearch), get_user_task(call, key)
    with call.desk.uow() as tx:
        instance = tx.instances.get(task.instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
    if instance.snapshot is None:
        raise unknown(Kind.USER_TASK, key)
    seen = call.desk.engine.visible(definition, instance.snapshot, task.id)
    own = key_of(Kind.INSTANCE, task.instance_number)
    rows = [_shape(own, name, value) for name, value in seen.items()]
    return answer(_page(rows, asked.filter.name, asked.part("name")))


def _page(
    rows: list[dict[str, Any]], names: tuple[str, ...] | None, page: Page
) -> Mapping[str, Any]:
    fitting = [row for row in rows if names is None or row["name"] in names]
    fitting.sort(key=lambda row: str(row["name"]), reverse=page.newest_first)
    part = fitting[page.offset : page.offset + page.limit]
    return listed(Found(part, len(fitting)), page, lambda row: row)


def _shape(instance: str, name: str, value: Any) -> dict[str, Any]:
    """A variable is no row here, so its key only tells it from others."""
    digest = hashlib.sha256(f"{instance}/{name}".encode()).digest()
    return {
        "variableKey": str(int.from_bytes(digest[:8]) >> 1),
        "name": name,
        "value": json.dumps(value),
        "isTruncated": False,
        "scopeKey": instance,
        "processInstanceKey": instance,
        "rootProcessInstanceKey": None,
        "tenantId": TENANT,
    }


def _element(call: Call, key: str) -> tuple[str, str | None]:
    """The instance that an element is of, and its task if it is not the whole of it."""
    kind, number = split(key)
    with call.desk.uow() as tx:
        if kind == Kind.JOB_ELEMENT:
            found: tuple[str, str | None] | None = tx.numbered.job_task(number)
        elif kind == Kind.TASK_ELEMENT:
            found = tx.numbered.form_task(number)
        else:
            whole = tx.numbered.instance_id(number_in(Kind.INSTANCE, key))
            found = None if whole is None else (whole, None)
    if found is None:
        raise unknown(Kind.INSTANCE, key)
    return found
