"""Fetch work and lock it, and wait for work where there is none."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from flask import Response, json, request
from pydantic import Field

from mpms.domain.errors import DatabaseAway
from mpms.domain.external_tasks import ExternalTask, WantedTopic
from mpms.services.external_tasks.fetch import fetch_tasks
from mpms.web.api.operation import Call
from mpms.web.engine_rest.counting import tell_counts
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.shapes import locked_shape, number_in
from mpms.web.engine_rest.waiting import HELD, current_bell

MOST_TASKS = 1000
MOST_TOPICS = 200
LONGEST_MS = 100 * 365 * 86_400_000
LONGEST_WAIT_MS = 1_800_000

Id = Annotated[str, Field(min_length=1, max_length=250)]
Milliseconds = Annotated[int, Field(gt=0, le=LONGEST_MS)]


class Topic(Asked):
    topic_name: Id
    lock_duration: Milliseconds
    variables: list[str] | None = None
    local_variables: bool = False
    business_key: str | None = None
    process_definition_id: str | None = None
    process_definition_id_in: list[str] | None = None
    process_definition_key: str | None = None
    process_definition_key_in: list[str] | None = None
    process_variables: dict[str, Any] | None = None
    deserialize_values: bool = False  # there are no objects of Java here
    include_extension_properties: bool = False
    without_tenant_id: bool = False  # nothing here has a tenant

    @property
    def picky(self) -> bool:
        wanted = self.wanted()
        filters = (wanted.business_key, wanted.processes, wanted.definitions)
        return bool(wanted.variables) or any(one is not None for one in filters)

    def wanted(self) -> WantedTopic:
        ids = _either(self.process_definition_id, self.process_definition_id_in)
        return WantedTopic(
            self.topic_name,
            self.lock_duration / 1000,
            business_key=self.business_key,
            processes=_either(
                self.process_definition_key, self.process_definition_key_in
            ),
            definitions=None if ids is None else tuple(map(number_in, ids)),
            variables=self.process_variables or None,
            with_properties=self.include_extension_properties,
        )


class Sorting(Asked):
    """Work is handed out oldest first, whatever is asked for."""

    sort_by: str = ""
    sort_order: str = ""


class Fetch(Asked):
    worker_id: Id
    max_tasks: int = Field(ge=0, le=1 << 31)
    use_priority: bool = False
    sorting: list[Sorting] = Field(default=[])
    async_response_timeout: int = Field(default=0, ge=0, le=LONGEST_WAIT_MS)
    topics: list[Topic] = Field(default=[], max_length=MOST_TOPICS)


@offered("POST", "/external-task/fetchAndLock")
def fetch(call: Call) -> Response:
    asked = read_body(Fetch)
    ask = partial(
        fetch_tasks,
        call.desk.uow,
        call.desk.engine,
        [topic.wanted() for topic in asked.topics],
        worker=asked.worker_id,
        most=min(asked.max_tasks, MOST_TASKS),
    )
    found = ask()
    tell_counts()
    held = request.environ.get(HELD)
    if not found and asked.topics and asked.async_response_timeout and held:

        def again() -> bytes | None:
            try:
                tasks = ask()
            except DatabaseAway:
                return None
            return json.dumps(_shapes(asked, tasks)).encode() if tasks else None

        topics = frozenset(topic.topic_name for topic in asked.topics)
        current_bell().wait(
            held,
            topics,
            again,
            asked.async_response_timeout / 1000,
            picky=any(topic.picky for topic in asked.topics),
        )
    return answer(_shapes(asked, found))


def _shapes(asked: Fetch, tasks: list[ExternalTask]) -> list[dict[str, Any]]:
    by_name = {topic.topic_name: topic for topic in asked.topics}
    return [
        locked_shape(task, topic.variables, local=topic.local_variables)
        for task in tasks
        for topic in (by_name[task.job.topic],)
    ]


def _either(one: str | None, several: list[str] | None) -> tuple[str, ...] | None:
    if one is None and not several:
        return None
    return tuple(filter(None, (one, *(several or ()))))
