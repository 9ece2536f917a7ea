"""Activate jobs, and wait for some where there are none."""

from __future__ import annotations

from functools import partial

from flask import Response, json, request
from pydantic import Field

from mpms.domain.errors import DatabaseAway
from mpms.domain.external_tasks import FOREIGN_8, ExternalTask, WantedTopic
from mpms.services.external_tasks.fetch import fetch_tasks
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer
from mpms.web.camunda8.routes import Asked, Id, Tenant, offered, read_body
from mpms.web.camunda8.shapes import activated_shape
from mpms.web.engine_rest.counting import tell_counts
from mpms.web.engine_rest.fetching import MOST_TASKS, Milliseconds
from mpms.web.engine_rest.waiting import HELD, current_bell

USUAL_WAIT_MS = 10_000  # where the client leaves it to the server, as Camunda 8 waits
NAMELESS = "default"


class Activate(Asked):
    type: Id
    worker: str = Field(default=NAMELESS, max_length=250)
    timeout: Milliseconds
    max_jobs_to_activate: int = Field(gt=0, le=1 << 31)
    fetch_variable: list[str] = Field(default=[])
    request_timeout: int = Field(default=0, le=1 << 31)
    tenant_ids: list[Tenant] = Field(default=[])
    tenant_filter: str = ""  # there is one tenant, so both answers are the same

    @property
    def patience_s(self) -> float:
        """Below 0: not at all."""
        if self.request_timeout < 0:
            return 0
        return (self.request_timeout or USUAL_WAIT_MS) / 1000


@offered("POST", "/jobs/activation")
def activate(call: Call) -> Response:
    asked = read_body(Activate)
    ask = partial(
        fetch_tasks,
        call.desk.uow,
        call.desk.engine,
        [WantedTopic(asked.type, asked.timeout / 1000)],
        worker=asked.worker or NAMELESS,
        most=min(asked.max_jobs_to_activate, MOST_TASKS),
        prefix=FOREIGN_8,
    )
    found = ask()
    tell_counts()
    held = request.environ.get(HELD)
    if not found and asked.patience_s and held:

        def again() -> bytes | None:
            try:
                tasks = ask()
            except DatabaseAway:
                return None
            return json.dumps(_shape(asked, tasks)).encode() if tasks else None

        topics = frozenset((asked.type,))
        current_bell().wait(held, topics, again, asked.patience_s, picky=False)
    return answer(_shape(asked, found))


def _shape(asked: Activate, tasks: list[ExternalTask]) -> dict[str, object]:
    names = frozenset(asked.fetch_variable) or None
    return {"jobs": [activated_shape(task, names) for task in tasks]}
