"""Start, cancel, see and find process instances."""

from __future__ import annotations

from typing import Any

from flask import Response, json, request
from pydantic import Field, model_validator

from mpms.domain.camunda8 import InstancesWanted, NumberedInstance, Page
from mpms.domain.errors import DatabaseAway
from mpms.domain.instances.steps import Start
from mpms.domain.models.definitions import Definition
from mpms.ports.store import Transaction
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.start import start_definition
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import TimeIsUp, answer, done, say
from mpms.web.camunda8.keys import Kind, key_of, number_in, numbers_in, unknown
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import (
    TENANT,
    AnyOf,
    Asked,
    Id,
    Nothing,
    Tenant,
    Variables,
    offered,
    read_body,
)
from mpms.web.camunda8.shapes import STATES, instance_shape
from mpms.web.engine_rest.waiting import HELD, current_bell

USUAL_WAIT_MS = 10_000
CANCELLED = "Cancelled through the API of Camunda 8."


class Create(Asked):
    process_definition_id: Id | None = None
    process_definition_key: Id | None = None
    process_definition_version: int = -1
    variables: Variables | None = None
    business_id: str | None = Field(default=None, max_length=200)
    await_completion: bool = False
    fetch_variables: list[str] = Field(default=[])
    request_timeout: int = Field(default=0, ge=0, le=1 << 31)
    tenant_id: Tenant | None = None
    operation_reference: int | str | None = None

    @model_validator(mode="after")
    def one_process(self) -> Create:
        if (self.process_definition_id is None) == (
            self.process_definition_key is None
        ):
            raise ValueError("name 'processDefinitionId' or 'processDefinitionKey'")
        return self


class Which(Asked):
    process_instance_key: AnyOf = None
    process_definition_id: AnyOf = None
    process_definition_key: AnyOf = None
    process_definition_version: int | None = None
    parent_process_instance_key: AnyOf = None
    state: AnyOf = None
    has_incident: bool | None = None
    business_id: AnyOf = None
    tenant_id: Tenant | None = None

    def wanted(self) -> InstancesWanted:
        statuses = None
        if self.state is not None:
            statuses = tuple(
                ours for ours, said in STATES.items() if said in self.state
            )
        return InstancesWanted(
            numbers=numbers_in(Kind.INSTANCE, self.process_instance_key),
            keys=self.process_definition_id,
            definitions=numbers_in(Kind.DEFINITION, self.process_definition_key),
            version=self.process_definition_version,
            statuses=statuses,
            business_keys=self.business_id,
            parents=numbers_in(Kind.INSTANCE, self.parent_process_instance_key),
            incidents=self.has_incident,
        )


class InstanceSearch(Search):
    filter: Which = Field(default=Which())


@offered("POST", "/process-instances")
def create(call: Call) -> Response:
    """ProcessUnknown, StartUnknown, ProcessSuspended, VariableTooLarge."""
    asked, desk = read_body(Create), call.desk
    variables = asked.variables or {}
    desk.engine.check_variables(variables)
    with desk.uow() as tx:
        definition = _definition(tx, asked)
        instance_id = start_definition(
            tx,
            desk.advance,
            definition,
            Start(variables, None),
            business_key=asked.business_id,
            actor=call.by,
            person=call.person,
        )
        tx.wake()
        shown = {
            "processDefinitionId": definition.key,
            "processDefinitionVersion": definition.version,
            "processDefinitionKey": key_of(
                Kind.DEFINITION, tx.definitions.id_of(definition)
            ),
            "processInstanceKey": key_of(
                Kind.INSTANCE, tx.numbered.instance_number(instance_id)
            ),
            "businessId": asked.business_id,
            "variables": {},
            "tags": [],
            "tenantId": TENANT,
        }
    if not asked.await_completion:
        return answer(shown)
    return _result(call, asked, instance_id, shown)


@offered("GET", "/process-instances/<key>")
def one(call: Call, key: str) -> Response:
    return answer(instance_shape(get_instance(call, key)))


@offered("POST", "/process-instances/search")
def find(call: Call) -> Response:
    asked = read_body(InstanceSearch)
    page = asked.part("processInstanceKey", "startDate")
    with call.desk.uow() as tx:
        found = tx.numbered.instances(asked.filter.wanted(), page)
    return answer(listed(found, page, instance_shape))


@offered("POST", "/process-instances/<key>/cancellation")
def cancel(call: Call, key: str) -> Response:
    """KeyUnknown, TaskGone where it has ended, InstanceBusy."""
    read_body(Nothing)
    desk = call.desk
    cancel_instance(
        desk.uow,
        desk.advance,
        get_instance(call, key).id,
        by=call.by,
        reason=CANCELLED,
    )
    return done()


def get_instance(call: Call, key: str) -> NumberedInstance:
    """KeyUnknown."""
    wanted = InstancesWanted(numbers=(number_in(Kind.INSTANCE, key),))
    with call.desk.uow() as tx:
        found = tx.numbered.instances(wanted, Page()).rows
    if not found:
        raise unknown(Kind.INSTANCE, key)
    return found[0]


def _definition(tx: Transaction, asked: Create) -> Definition:
    version = asked.process_definition_version
    if asked.process_definition_key is not None:
        number = number_in(Kind.DEFINITION, asked.process_definition_key)
        return tx.definitions.by_id(number)
    key = asked.process_definition_id or ""
    if version > 0:
        return tx.definitions.of_version(key, version)
    return tx.definitions.latest(key)


def _result(
    call: Call, asked: Create, instance_id: str, shown: dict[str, Any]
) -> Response:
    """Wait for its end without a thread."""

    def again() -> bytes | None:
        try:
            with call.desk.uow() as tx:
                made = tx.instances.get(instance_id)
        except DatabaseAway:
            return None
        if not made.status.ended:
            return None
        kept = {} if made.snapshot is None else made.snapshot.variables
        names = asked.fetch_variables
        seen = {name: kept[name] for name in kept if not names or name in names}
        return json.dumps(shown | {"variables": seen}).encode()

    ended = again()
    if ended is not None:
        return Response(ended, content_type="application/json")
    held = request.environ.get(HELD)
    if held:
        wait_s = (asked.request_timeout or USUAL_WAIT_MS) / 1000
        bell = current_bell()
        bell.wait(held, frozenset(), again, wait_s, picky=True, status=200)
    late = say(
        TimeIsUp(
            f"The process instance {shown['processInstanceKey']} runs still; its result"
            " was waited for in vain."
        )
    )
    late.content_type = "application/json"
    return late
