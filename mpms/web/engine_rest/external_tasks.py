"""What a worker does with a task that it has locked."""

from __future__ import annotations

from typing import Annotated, Any

from flask import Response
from pydantic import Field

from mpms.domain.external_tasks import Failure, Thrown
from mpms.services.external_tasks.complete import complete_task
from mpms.services.external_tasks.fail import fail_task
from mpms.services.external_tasks.lock import extend_lock, lock_task, unlock_task
from mpms.services.external_tasks.set_retries import set_retries
from mpms.services.external_tasks.throw import throw_error
from mpms.web.api.operation import Call
from mpms.web.engine_rest.counting import current_jobs, tell_counts
from mpms.web.engine_rest.errors import done
from mpms.web.engine_rest.fetching import LONGEST_MS, Id, Milliseconds
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.values import read_all

LONGEST_MESSAGE = 2000
LONGEST_DETAILS = 100_000
Retries = Annotated[int, Field(ge=0, le=(1 << 31) - 1)]
Typed = dict[str, Any]


class Completed(Asked):
    worker_id: Id
    variables: Typed | None = None
    local_variables: Typed | None = None


class Failed(Asked):
    worker_id: Id
    error_message: str = ""
    error_details: str | None = None
    retries: Retries = 0
    retry_timeout: int = Field(default=0, ge=0, le=LONGEST_MS)
    variables: Typed | None = None
    local_variables: Typed | None = None


class Raised(Asked):
    worker_id: Id
    error_code: Id
    error_message: str = ""
    variables: Typed | None = None


class Locked(Asked):
    worker_id: Id
    lock_duration: Milliseconds


class Extended(Asked):
    worker_id: Id
    new_duration: Milliseconds


class Tried(Asked):
    retries: Retries


class Nothing(Asked):
    """No body."""


@offered("POST", "/external-task/<task_id>/complete")
def complete(call: Call, task_id: str) -> Response:
    asked = read_body(Completed)
    complete_task(
        current_jobs(),
        task_id,
        asked.worker_id,
        variables=read_all(asked.variables),
        local=read_all(asked.local_variables, "localVariables"),
        by=call.by,
    )
    return _counted()


@offered("POST", "/external-task/<task_id>/failure")
def failure(call: Call, task_id: str) -> Response:
    asked = read_body(Failed)
    details = asked.error_details
    told = Failure(
        asked.error_message[:LONGEST_MESSAGE],
        None if details is None else details[:LONGEST_DETAILS],
        asked.retries,
        asked.retry_timeout / 1000,
        read_all(asked.variables),
        read_all(asked.local_variables, "localVariables"),
    )
    fail_task(current_jobs(), task_id, asked.worker_id, told, by=call.by)
    return _counted()


@offered("POST", "/external-task/<task_id>/bpmnError")
def bpmn_error(call: Call, task_id: str) -> Response:
    asked = read_body(Raised)
    thrown = Thrown(
        asked.error_code,
        asked.error_message[:LONGEST_MESSAGE],
        read_all(asked.variables),
    )
    throw_error(current_jobs(), task_id, asked.worker_id, thrown, by=call.by)
    return _counted()


@offered("POST", "/external-task/<task_id>/lock")
def lock(call: Call, task_id: str) -> Response:
    asked = read_body(Locked)
    lease_s = asked.lock_duration / 1000
    lock_task(call.desk.uow, task_id, asked.worker_id, lease_s=lease_s)
    return done()


@offered("POST", "/external-task/<task_id>/extendLock")
def extend(call: Call, task_id: str) -> Response:
    asked = read_body(Extended)
    lease_s = asked.new_duration / 1000
    extend_lock(call.desk.uow, task_id, asked.worker_id, lease_s=lease_s)
    return done()


@offered("POST", "/external-task/<task_id>/unlock")
def unlock(call: Call, task_id: str) -> Response:
    read_body(Nothing)
    unlock_task(call.desk.uow, task_id)
    return done()


@offered("PUT", "/external-task/<task_id>/retries")
def retries(call: Call, task_id: str) -> Response:
    asked = read_body(Tried)
    set_retries(call.desk.uow, task_id, asked.retries, by=call.by)
    return done()


def _counted() -> Response:
    tell_counts()
    return done()
