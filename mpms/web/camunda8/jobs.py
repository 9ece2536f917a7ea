"""What a worker does with a job that it has activated.

Unlike in Camunda 7 a worker does not say who it is: the job's key is all there is. So
whoever of others has the last lock is meant, and a job that our own worker runs is not.
"""

from __future__ import annotations

from typing import Any

from flask import Response
from pydantic import Field

from mpms.domain.external_tasks import Failure, Thrown
from mpms.services.external_tasks.complete import complete_task
from mpms.services.external_tasks.fail import fail_task
from mpms.services.external_tasks.lock import extend_lock
from mpms.services.external_tasks.set_retries import set_retries
from mpms.services.external_tasks.throw import throw_error
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import NotOffered, done
from mpms.web.camunda8.keys import Kind, number_in, unknown
from mpms.web.camunda8.routes import (
    Asked,
    Id,
    RequestInvalid,
    Variables,
    offered,
    read_body,
)
from mpms.web.engine_rest.counting import current_jobs, tell_counts
from mpms.web.engine_rest.external_tasks import LONGEST_MESSAGE, Retries
from mpms.web.engine_rest.fetching import LONGEST_MS, Milliseconds


class Completed(Asked):
    variables: Variables | None = None
    result: dict[str, Any] | None = None


class Failed(Asked):
    retries: Retries = 0
    error_message: str = ""
    retry_back_off: int = Field(default=0, ge=0, le=LONGEST_MS)
    variables: Variables | None = None


class Raised(Asked):
    error_code: Id
    error_message: str = ""
    variables: Variables | None = None


class Changeset(Asked):
    retries: int | None = Field(default=None, gt=0, le=(1 << 31) - 1)
    timeout: Milliseconds | None = None


class Changed(Asked):
    changeset: Changeset
    operation_reference: int | str | None = None


@offered("POST", "/jobs/<key>/completion")
def complete(call: Call, key: str) -> Response:
    asked = read_body(Completed)
    if asked.result:
        raise NotOffered(
            "A 'result' belongs to a listener or an ad-hoc subprocess of Camunda 8, and"
            " there are no such jobs here."
        )
    complete_task(
        current_jobs(),
        _task(call, key),
        None,
        variables=asked.variables or {},
        local={},
        by=call.by,
    )
    return _counted()


@offered("POST", "/jobs/<key>/failure")
def fail(call: Call, key: str) -> Response:
    asked = read_body(Failed)
    told = Failure(
        asked.error_message[:LONGEST_MESSAGE],
        retries=asked.retries,
        again_in_s=asked.retry_back_off / 1000,
        local=asked.variables or {},
    )
    fail_task(current_jobs(), _task(call, key), None, told, by=call.by)
    return _counted()


@offered("POST", "/jobs/<key>/error")
def throw(call: Call, key: str) -> Response:
    asked = read_body(Raised)
    thrown = Thrown(
        asked.error_code,
        asked.error_message[:LONGEST_MESSAGE],
        asked.variables or {},
    )
    throw_error(current_jobs(), _task(call, key), None, thrown, by=call.by)
    return _counted()


@offered("PATCH", "/jobs/<key>")
def update(call: Call, key: str) -> Response:
    """What has an incident goes on when that is resolved, as in Camunda 8."""
    asked = read_body(Changed).changeset
    if asked.retries is None and asked.timeout is None:
        raise RequestInvalid("'changeset' says neither 'retries' nor 'timeout'.")
    uow, task_id = call.desk.uow, _task(call, key)
    if asked.timeout is not None:
        extend_lock(uow, task_id, None, lease_s=asked.timeout / 1000)
    if asked.retries is not None:
        set_retries(uow, task_id, asked.retries, by=call.by, go_on=False)
    return done()


def _task(call: Call, key: str) -> str:
    """The id of the task that a job is for. KeyUnknown."""
    number = number_in(Kind.JOB, key)
    with call.desk.uow() as tx:
        found = tx.numbered.job_task(number)
    if found is None:
        raise unknown(Kind.JOB, key)
    return found[1]


def _counted() -> Response:
    tell_counts()
    return done()
