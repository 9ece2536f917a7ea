"""Incidents by the API: what needs a person's look, tried again or put aside."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.domain.incidents.incidents import Incident, IncidentFilter
from mpms.services.incidents.close import close_incident
from mpms.services.incidents.list_alarms import Stopped, list_alarms
from mpms.services.instances.repair import retry_incident, retry_many
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import (
    Listed,
    MaybeReason,
    ProcessKey,
    RowId,
    Text,
    WithReason,
    shaped,
)
from mpms.web.rights import LEADERS, READERS

section = Section("Incidents", "What needs a person's look.")


class OpenIncident(Shape):
    id: int
    kind: str
    message: str
    opened_at: datetime
    instance_id: str | None
    task_id: str | None
    element: str | None
    retryable: bool


class IncidentQuery(Given):
    kind: Text | None = None
    text: Text | None = Field(default=None, description="A part of the message.")
    element: Text | None = None
    process: ProcessKey | None = None
    opened_before: datetime | None = None

    def filter(self) -> IncidentFilter:
        return IncidentFilter(
            self.kind, self.text, self.element, self.process, self.opened_before
        )


class RetryMany(IncidentQuery):
    reason: Annotated[str, Field(min_length=1, max_length=1000)]


class Retried(Shape):
    instance_id: str
    incidents: list[int]
    error: str | None


@section.get("/incidents", READERS)
def list_all(call: Call, query: IncidentQuery) -> Listed[OpenIncident]:
    """Open incidents that fit, the oldest first."""
    nothing_asked = query == IncidentQuery()
    with call.desk.uow() as tx:
        found = (
            tx.incidents.listing()
            if nothing_asked
            else tx.incidents.find(query.filter())
        )
    return Listed[OpenIncident](
        items=[OpenIncident.model_validate(one) for one in found]
    )


@like(Stopped, without="decision")
class StoppedOrderShape(Shape): ...


class AlarmsShape(Shape):
    total: int
    stopped: list[StoppedOrderShape]
    late_answers: int
    orders_waiting_for_release: int
    causes_of_incidents: int


@section.get("/alarms", LEADERS)
def alarms(call: Call) -> AlarmsShape:
    """What waits for somebody's decision, counted as on the pages."""
    found = list_alarms(call.desk.uow)
    return AlarmsShape(
        total=found.counts.total,
        stopped=shaped(StoppedOrderShape, found.stopped),
        late_answers=found.counts.late_answers,
        orders_waiting_for_release=found.counts.of_plugins,
        causes_of_incidents=found.counts.causes,
    )


@section.get("/incidents/{incident_id}", READERS)
def one(call: Call, incident_id: RowId) -> OpenIncident:
    """One open incident."""
    return OpenIncident.model_validate(_open(call, incident_id))


@section.post("/incidents/{incident_id}/retry", LEADERS, status=204)
def retry(call: Call, incident_id: RowId, body: MaybeReason) -> None:
    """Try again; a job begins with all its attempts."""
    desk = call.desk
    retry_incident(desk.uow, desk.advance, incident_id, by=call.by, reason=body.reason)


@section.post("/incidents/retry", LEADERS)
def retry_all(call: Call, body: RetryMany) -> Listed[Retried]:
    """Try again everything that fits; says what became of each instance."""
    desk = call.desk
    done = retry_many(
        desk.uow, desk.advance, body.filter(), by=call.by, reason=body.reason
    )
    return Listed[Retried](
        items=[
            Retried(
                instance_id=one.instance_id,
                incidents=list(one.incidents),
                error=one.error,
            )
            for one in done
        ]
    )


@section.post("/incidents/{incident_id}/close", LEADERS, status=204)
def close(call: Call, incident_id: RowId, body: WithReason) -> None:
    """Put aside an incident that tells of something outside."""
    close_incident(call.desk.uow, incident_id, by=call.by, note=body.reason)


def _open(call: Call, incident_id: int) -> Incident:
    with call.desk.uow() as tx:
        for each in tx.incidents.listing():
            if each.id == incident_id:
                return each
    raise NotFound(f"There is no open incident {incident_id}.")
