"""Look at jobs without activating them."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from mpms.domain.camunda8 import Found
from mpms.domain.external_tasks import FOREIGN_8, TaskFilter, foreign
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer
from mpms.web.camunda8.keys import Kind, numbers_in
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import (
    AnyOf,
    Asked,
    RequestInvalid,
    Tenant,
    offered,
    read_body,
)
from mpms.web.camunda8.shapes import job_shape


class Which(Asked):
    job_key: AnyOf = None
    process_instance_key: AnyOf = None
    type: AnyOf = None
    worker: AnyOf = None
    element_id: AnyOf = None
    process_definition_id: AnyOf = None
    tenant_id: Tenant | None = None


class JobSearch(Search):
    filter: Which = Field(default=Which())


@offered("POST", "/jobs/search")
def find(call: Call) -> Response:
    """Those that are to be done; what is done has no row."""
    asked = read_body(JobSearch)
    page, which = asked.part("jobKey", "creationTime"), asked.filter
    jobs = numbers_in(Kind.JOB, which.job_key)
    instances = numbers_in(Kind.INSTANCE, which.process_instance_key)
    worker = _one("worker", which.worker)
    with call.desk.uow() as tx:
        wanted = TaskFilter(
            task_ids=None if jobs is None else tuple(tx.numbered.job_tasks(jobs)),
            instance_ids=None
            if instances is None
            else tuple(tx.numbered.instance_ids(instances)),
            topic=_one("type", which.type),
            worker=None if worker is None else foreign(worker, FOREIGN_8),
            process=_one("processDefinitionId", which.process_definition_id),
            element=_one("elementId", which.element_id),
            newest_first=page.newest_first,
        )
        found = Found(
            tx.external_tasks.find(wanted, limit=page.limit, offset=page.offset),
            tx.external_tasks.count(wanted),
        )
    return answer(listed(found, page, job_shape))


def _one(name: str, given: tuple[str, ...] | None) -> str | None:
    if given is not None and len(given) != 1:
        raise RequestInvalid(f"'{name}' of a job can be one value only.")
    return None if given is None else given[0]
