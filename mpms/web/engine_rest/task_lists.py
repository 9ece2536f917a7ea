"""Look at external tasks without locking them."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from mpms.domain.external_tasks import TaskFilter, foreign
from mpms.services.external_tasks.hold import get_task
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer, done
from mpms.web.engine_rest.listing import Ids, Some, one_of
from mpms.web.engine_rest.routes import Asked, offered, read_body, read_query
from mpms.web.engine_rest.shapes import task_shape

SORTED_BY = ("id", "createTime", "taskPriority")


class Sorting(Asked):
    sort_by: str = "id"
    sort_order: str = "asc"


class Which(Asked):
    external_task_id: str | None = None
    external_task_id_in: Ids = None
    topic_name: str | None = None
    worker_id: str | None = None
    locked: bool | None = None
    not_locked: bool | None = None
    with_retries_left: bool | None = None
    no_retries_left: bool | None = None
    process_instance_id: str | None = None
    process_instance_id_in: Ids = None
    process_definition_key: str | None = None
    activity_id: str | None = None
    sort_by: str = "id"
    sort_order: str = "asc"
    sorting: list[Sorting] = Field(default=[])

    def meant(self) -> TaskFilter:
        """RequestInvalid."""
        sortings = self.sorting or [
            Sorting(sort_by=self.sort_by, sort_order=self.sort_order)
        ]
        for sorting in sortings:
            if sorting.sort_by not in SORTED_BY or sorting.sort_order not in (
                "asc",
                "desc",
            ):
                raise RequestInvalid(
                    f"Tasks cannot be sorted by '{sorting.sort_by}',"
                    f" '{sorting.sort_order}'; only by {', '.join(SORTED_BY)}."
                )
        return TaskFilter(
            task_ids=_either(self.external_task_id, self.external_task_id_in),
            instance_ids=_either(self.process_instance_id, self.process_instance_id_in),
            topic=self.topic_name,
            worker=None if self.worker_id is None else foreign(self.worker_id),
            process=self.process_definition_key,
            element=self.activity_id,
            locked=one_of(self.locked, self.not_locked),
            retries_left=one_of(self.with_retries_left, self.no_retries_left),
            newest_first=sortings[0].sort_order == "desc",
            by_priority=sortings[0].sort_by == "taskPriority",
        )


class WhichOf(Which, Some):
    """A query says both in one."""


@offered("GET", "/external-task")
def find(call: Call) -> Response:
    asked = read_query(WhichOf)
    return _found(call, asked, asked)


@offered("POST", "/external-task")
def find_by_body(call: Call) -> Response:
    return _found(call, read_body(Which), read_query(Some))


@offered("GET", "/external-task/count")
def count(call: Call) -> Response:
    return _counted(call, read_query(Which))


@offered("POST", "/external-task/count")
def count_by_body(call: Call) -> Response:
    return _counted(call, read_body(Which))


class Nothing(Asked):
    """No query."""


@offered("GET", "/external-task/topic-names")
def topics(call: Call) -> Response:
    read_query(Nothing)
    with call.desk.uow() as tx:
        return answer(sorted(tx.jobs.topics()))


@offered("GET", "/external-task/<task_id>")
def show(call: Call, task_id: str) -> Response:
    with call.desk.uow() as tx:
        return answer(task_shape(get_task(tx, task_id)))


@offered("GET", "/external-task/<task_id>/errorDetails")
def details(call: Call, task_id: str) -> Response:
    with call.desk.uow() as tx:
        found = get_task(tx, task_id).details
    return done() if not found else Response(found, mimetype="text/plain")


def _found(call: Call, asked: Which, some: Some) -> Response:
    with call.desk.uow() as tx:
        tasks = tx.external_tasks.find(
            asked.meant(), limit=some.max_results, offset=some.first_result
        )
    return answer([task_shape(task) for task in tasks])


def _counted(call: Call, asked: Which) -> Response:
    with call.desk.uow() as tx:
        return answer({"count": tx.external_tasks.count(asked.meant())})


def _either(one: str | None, several: list[str] | None) -> tuple[str, ...] | None:
    if one is None:
        return None if several is None else tuple(several)
    return (one,) if several is None or one in several else ()
