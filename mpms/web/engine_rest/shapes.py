"""External tasks as Camunda 7 writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpms.domain.external_tasks import ExternalTask
from mpms.web.engine_rest.values import date_text, write_all


def definition_id(key: str, version: int, number: int) -> str:
    """A process definition's id as clients know it."""
    return f"{key}:{version}:{number}"


def number_in(definition: str) -> int:
    """Our number in such an id; 0, which is nobody's, if it is none."""
    last = definition.rpartition(":")[2]
    return int(last) if last.isascii() and last.isdecimal() and len(last) < 19 else 0


def task_shape(task: ExternalTask) -> dict[str, Any]:
    """A task in a list. Its execution is its instance: variables are read there."""
    job = task.job
    retries = 0 if task.given_up else task.retries_left
    return {
        "activityId": job.element,
        "activityInstanceId": job.task_id,
        "businessKey": job.business_key,
        "createTime": date_text(task.created_at),
        "errorMessage": task.error,
        "executionId": job.instance_id,
        "id": job.task_id,
        "lockExpirationTime": date_text(task.lease_until),
        "priority": task.priority,
        "processDefinitionId": definition_id(
            task.key, task.version, task.definition_id
        ),
        "processDefinitionKey": task.key,
        "processDefinitionVersionTag": None,
        "processInstanceId": job.instance_id,
        "retries": retries,
        "suspended": task.suspended,
        "tenantId": None,
        "topicName": job.topic,
        "workerId": task.worker,
    }


def locked_shape(
    task: ExternalTask, names: Sequence[str] | None, *, local: bool
) -> dict[str, Any]:
    """A task that a worker has fetched, with the variables it wants."""
    seen = (task.mapped or {}) if local else task.visible
    if names is not None:
        seen = {name: seen[name] for name in names if name in seen}
    return task_shape(task) | {
        "errorDetails": task.details,
        "extensionProperties": dict(task.properties),
        "variables": write_all(seen),
    }
