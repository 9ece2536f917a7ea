"""Rows as Camunda 8 writes them. What it has and we have not is null."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mpms.domain.camunda8 import (
    NumberedDefinition,
    NumberedIncident,
    NumberedInstance,
    NumberedTask,
)
from mpms.domain.external_tasks import ExternalTask
from mpms.domain.instances.instances import InstanceStatus
from mpms.web.camunda8.keys import Kind, key_of
from mpms.web.camunda8.routes import TENANT

HEADERS = "taskHeaders"  # the input in which the engine puts them
ANYBODY = "user:"  # a group of one person alone
STATES = {
    InstanceStatus.ACTIVE: "ACTIVE",
    InstanceStatus.COMPLETED: "COMPLETED",
    InstanceStatus.CANCELLED: "TERMINATED",
    InstanceStatus.FAILED: "TERMINATED",
}
ERROR_TYPES = {
    "job": "JOB_NO_RETRIES",
    "stuck": "EXTRACT_VALUE_ERROR",
    "call": "CALLED_ELEMENT_ERROR",
}


def date_text(at: datetime | None) -> str | None:
    if at is None:
        return None
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _definition(one: NumberedDefinition) -> dict[str, Any]:
    return {
        "processDefinitionId": one.key,
        "processDefinitionVersion": one.version,
        "processDefinitionKey": key_of(Kind.DEFINITION, one.number),
    }


def definition_shape(one: NumberedDefinition) -> dict[str, Any]:
    return {
        "processDefinitionId": one.key,
        "processDefinitionKey": key_of(Kind.DEFINITION, one.number),
        "name": one.name,
        "resourceName": f"{one.key}.bpmn",
        "version": one.version,
        "versionTag": None,
        "hasStartForm": False,
        "state": "ACTIVE",
        "tenantId": TENANT,
    }


def instance_shape(one: NumberedInstance) -> dict[str, Any]:
    parent = one.parent_number
    return {
        **_definition(one.definition),
        "processDefinitionName": one.definition.name,
        "processDefinitionVersionTag": None,
        "processInstanceKey": key_of(Kind.INSTANCE, one.number),
        "startDate": date_text(one.started_at),
        "endDate": date_text(one.ended_at),
        "state": STATES[one.status],
        "hasIncident": one.incidents,
        "parentProcessInstanceKey": None
        if parent is None
        else key_of(Kind.INSTANCE, parent),
        "parentElementInstanceKey": None,
        "rootProcessInstanceKey": None,
        "businessId": one.business_key,
        "tags": [],
        "tenantId": TENANT,
    }


def user_task_shape(one: NumberedTask) -> dict[str, Any]:
    return {
        **_definition(one.definition),
        "processName": one.definition.name,
        "processInstanceKey": key_of(Kind.INSTANCE, one.instance_number),
        "rootProcessInstanceKey": None,
        "userTaskKey": key_of(Kind.USER_TASK, one.number),
        "elementInstanceKey": key_of(Kind.TASK_ELEMENT, one.number),
        "elementId": one.element,
        "name": one.name or None,
        "state": "CREATED",
        "assignee": one.assignee,
        "candidateGroups": [g for g in one.groups if not g.startswith(ANYBODY)],
        "candidateUsers": [
            g.removeprefix(ANYBODY) for g in one.groups if g.startswith(ANYBODY)
        ],
        "creationDate": date_text(one.created_at),
        "completionDate": None,
        "followUpDate": None
        if one.follow_up_at is None
        else date_text(one.follow_up_at),
        "dueDate": None if one.due_at is None else date_text(one.due_at),
        "externalFormReference": None,
        "formKey": None
        if one.form_number is None
        else key_of(Kind.FORM, one.form_number),
        "customHeaders": {},
        "priority": one.priority,
        "tags": [],
        "tenantId": TENANT,
    }


def incident_shape(one: NumberedIncident) -> dict[str, Any]:
    instance = key_of(Kind.INSTANCE, one.instance_number)
    element = instance  # of what is neither job nor form nothing else has a key
    if one.job_number is not None:
        element = key_of(Kind.JOB_ELEMENT, one.job_number)
    elif one.task_number is not None:
        element = key_of(Kind.TASK_ELEMENT, one.task_number)
    job = None if one.job_number is None else key_of(Kind.JOB, one.job_number)
    return {
        "incidentKey": key_of(Kind.INCIDENT, one.number),
        "processDefinitionId": one.definition.key,
        "processDefinitionKey": key_of(Kind.DEFINITION, one.definition.number),
        "processInstanceKey": instance,
        "rootProcessInstanceKey": None,
        "elementId": one.element or one.definition.key,
        "elementInstanceKey": element,
        "jobKey": job,
        "errorType": ERROR_TYPES.get(one.kind, "UNKNOWN"),
        "errorMessage": one.message,
        "creationTime": date_text(one.opened_at),
        "state": "ACTIVE",
        "tenantId": TENANT,
    }


def _job(task: ExternalTask) -> dict[str, Any]:
    job = task.job
    return {
        "jobKey": key_of(Kind.JOB, job.id),
        "type": job.topic,
        "processDefinitionId": task.key,
        "processDefinitionKey": key_of(Kind.DEFINITION, task.definition_id),
        "processInstanceKey": key_of(Kind.INSTANCE, task.instance_number),
        "rootProcessInstanceKey": None,
        "elementId": job.element,
        "elementInstanceKey": key_of(Kind.JOB_ELEMENT, job.id),
        "customHeaders": (task.mapped or {}).get(HEADERS, {}),
        "worker": task.worker or "",
        "retries": task.tries_left,
        "kind": "BPMN_ELEMENT",
        "listenerEventType": "UNSPECIFIED",
        "tenantId": TENANT,
    }


def activated_shape(task: ExternalTask, names: frozenset[str] | None) -> dict[str, Any]:
    """A job that a worker has got, with the variables it wants."""
    deadline = task.lease_until
    return _job(task) | {
        "processDefinitionVersion": task.version,
        "deadline": 0 if deadline is None else int(deadline.timestamp() * 1000),
        "variables": {
            name: value
            for name, value in task.visible.items()
            if name != HEADERS and (names is None or name in names)
        },
        "userTask": None,
        "tags": [],
    }


def job_shape(task: ExternalTask) -> dict[str, Any]:
    """A job in a list."""
    tried = task.job.attempts > 0 or task.error is not None
    return _job(task) | {
        "state": "FAILED" if task.given_up or tried else "CREATED",
        "hasFailedWithRetriesLeft": tried and not task.given_up,
        "deadline": date_text(task.lease_until),
        "errorMessage": task.error,
        "errorCode": None,
        "isDenied": None,
        "deniedReason": None,
        "creationTime": date_text(task.created_at),
        "lastUpdateTime": None,
        "endTime": None,
    }
