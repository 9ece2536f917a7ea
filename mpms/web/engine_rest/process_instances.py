"""Process instances: those that run, and, as history, all there were."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.domain.errors import InstanceUnknown
from mpms.domain.instances.instances import InstanceStatus
from mpms.ports.camunda7 import InstancesWanted, ListedInstance, Part
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.listing import (
    Conditions,
    Found,
    Ids,
    Some,
    Sorted,
    When,
    offer_list,
    one_of,
    part_of,
    texts,
    wanted_values,
)
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id, number_in
from mpms.web.engine_rest.values import date_text
from mpms.web.rights import READERS

LIVE = {
    "instanceId": "id",
    "definitionKey": "key",
    "definitionId": "key",
    "businessKey": "business_key",
}
PAST = LIVE | {"startTime": "started", "endTime": "ended"}
ENDS = {
    InstanceStatus.COMPLETED: "COMPLETED",
    InstanceStatus.CANCELLED: "EXTERNALLY_TERMINATED",
    InstanceStatus.FAILED: "INTERNALLY_TERMINATED",
}
ENDED = tuple(str(status) for status in ENDS)
RUNNING = (str(InstanceStatus.ACTIVE),)


class Instances(Sorted):
    """What both lists know."""

    process_instance_ids: Ids = None
    process_definition_id: str | None = None
    process_definition_key: str | None = None
    process_definition_key_in: Ids = None
    super_process_instance: str | None = None
    super_process_instance_id: str | None = None
    root_process_instances: bool | None = None
    active: bool | None = None
    suspended: bool | None = None
    with_incident: bool | None = None
    with_incidents: bool | None = None
    variables: Conditions = None
    without_tenant_id: bool = False

    def shared(self) -> dict[str, Any]:
        definition = self.process_definition_id
        parent = self.super_process_instance or self.super_process_instance_id
        return {
            "parent_id": parent,
            "top": True if self.root_process_instances else None,
            "processes": texts(
                self.process_definition_key, self.process_definition_key_in
            ),
            "definitions": None if definition is None else (number_in(definition),),
            "suspended": one_of(self.suspended, self.active),
            "troubled": True if self.with_incident or self.with_incidents else None,
            "variables": wanted_values(self.variables),
        }


class Running(Instances):
    business_key: str | None = None
    business_key_like: str | None = None

    def wanted(self) -> InstancesWanted:
        return InstancesWanted(
            instance_ids=texts(self.process_instance_ids),
            business_keys=texts(self.business_key),
            business_key_like=self.business_key_like,
            statuses=RUNNING,
            **self.shared(),
        )


class Past(Instances):
    process_instance_id: str | None = None
    process_instance_business_key: str | None = None
    process_instance_business_key_in: Ids = None
    process_instance_business_key_like: str | None = None
    finished: bool | None = None
    unfinished: bool | None = None
    completed: bool | None = None
    externally_terminated: bool | None = None
    internally_terminated: bool | None = None
    started_after: When = None
    started_before: When = None
    finished_after: When = None
    finished_before: When = None

    def wanted(self) -> InstancesWanted:
        return InstancesWanted(
            instance_ids=texts(self.process_instance_id, self.process_instance_ids),
            business_keys=texts(
                self.process_instance_business_key,
                self.process_instance_business_key_in,
            ),
            business_key_like=self.process_instance_business_key_like,
            statuses=self._statuses(),
            started_after=self.started_after,
            started_before=self.started_before,
            ended_after=self.finished_after,
            ended_before=self.finished_before,
            **self.shared(),
        )

    def _statuses(self) -> tuple[str, ...] | None:
        asked = (
            (self.finished, ENDED),
            (self.unfinished, RUNNING),
            (self.active, RUNNING),
            (self.suspended, RUNNING),
            (self.completed, (str(InstanceStatus.COMPLETED),)),
            (self.externally_terminated, (str(InstanceStatus.CANCELLED),)),
            (self.internally_terminated, (str(InstanceStatus.FAILED),)),
        )
        return texts(*(list(statuses) if said else None for said, statuses in asked))


def find(call: Call, asked: Running, some: Some) -> Found:
    with call.desk.uow() as tx:
        rows, total = tx.listings.instances(asked.wanted(), part_of(asked, some, LIVE))
    return [instance_shape(row) for row in rows], total


def find_past(call: Call, asked: Past, some: Some) -> Found:
    with call.desk.uow() as tx:
        rows, total = tx.listings.instances(asked.wanted(), part_of(asked, some, PAST))
    return [past_shape(row) for row in rows], total


offer_list("/process-instance", Running, find, READERS)
offer_list("/history/process-instance", Past, find_past, READERS)


@offered("GET", "/process-instance/<instance_id>", roles=READERS)
def show(call: Call, instance_id: str) -> Response:
    """InstanceUnknown, also of one that has ended."""
    found = known(call, instance_id)
    if found.status.ended:
        raise InstanceUnknown(
            f"The process instance {instance_id} has ended; ask the history for it."
        )
    return answer(instance_shape(found))


@offered("GET", "/history/process-instance/<instance_id>", roles=READERS)
def show_past(call: Call, instance_id: str) -> Response:
    """InstanceUnknown."""
    return answer(past_shape(known(call, instance_id)))


def known(call: Call, instance_id: str) -> ListedInstance:
    """InstanceUnknown."""
    wanted = InstancesWanted(instance_ids=(instance_id,))
    with call.desk.uow() as tx:
        rows, _ = tx.listings.instances(wanted, Part())
    if not rows:
        raise InstanceUnknown(f"There is no process instance {instance_id}.")
    return rows[0]


def instance_shape(row: ListedInstance) -> dict[str, Any]:
    return {
        "links": [],
        "id": row.id,
        "definitionId": definition_id(row.key, row.version, row.definition_id),
        "definitionKey": row.key,
        "businessKey": row.business_key,
        "caseInstanceId": None,
        "ended": row.status.ended,
        "suspended": row.suspended,
        "tenantId": None,
    }


def past_shape(row: ListedInstance) -> dict[str, Any]:
    state = ENDS.get(row.status) or ("SUSPENDED" if row.suspended else "ACTIVE")
    lasted_ms = None
    if row.ended_at is not None:
        lasted_ms = round((row.ended_at - row.started_at).total_seconds() * 1000)
    return {
        "id": row.id,
        "businessKey": row.business_key,
        "processDefinitionId": definition_id(row.key, row.version, row.definition_id),
        "processDefinitionKey": row.key,
        "processDefinitionName": row.name or None,
        "processDefinitionVersion": row.version,
        "startTime": date_text(row.started_at),
        "endTime": date_text(row.ended_at),
        "removalTime": None,
        "durationInMillis": lasted_ms,
        "startUserId": None,
        "startActivityId": None,
        "deleteReason": row.end_reason,
        "rootProcessInstanceId": row.id if row.parent_id is None else None,
        "superProcessInstanceId": row.parent_id,
        "superCaseInstanceId": None,
        "caseInstanceId": None,
        "tenantId": None,
        "state": state,
        "restartedProcessInstanceId": None,
    }
