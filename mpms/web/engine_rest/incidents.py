"""Incidents: open ones, and, as history, all there were."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.domain.errors import NotFound
from mpms.ports.camunda7 import IncidentsWanted, ListedIncident, Part
from mpms.services.incidents.close import close_incident
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer, done
from mpms.web.engine_rest.instance_changes import WHY
from mpms.web.engine_rest.listing import (
    Found,
    Ids,
    Some,
    Sorted,
    When,
    offer_list,
    one_of,
    part_of,
    texts,
)
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id, number_in
from mpms.web.engine_rest.values import date_text
from mpms.web.rights import READERS

SORTED_BY = {"incidentId": "", "incidentTimestamp": "", "createTime": ""}
# Their name for what ours calls a job that failed for good; others keep our names.
JOB, FAILED = "job", "failedExternalTask"


class Incidents(Sorted):
    incident_id: str | None = None
    incident_type: str | None = None
    incident_message: str | None = None
    incident_message_like: str | None = None
    process_instance_id: str | None = None
    process_instance_id_in: Ids = None
    execution_id: str | None = None  # ours is the instance
    process_definition_id: str | None = None
    process_definition_key_in: Ids = None
    process_definition_key: str | None = None
    activity_id: str | None = None
    failed_activity_id: str | None = None
    configuration: str | None = None
    incident_timestamp_after: When = None
    incident_timestamp_before: When = None

    def wanted(self, *, open: bool | None) -> IncidentsWanted:
        definition, kind = self.process_definition_id, self.incident_type
        ident = None if self.incident_id is None else (number_in(self.incident_id),)
        elements = texts(self.activity_id, self.failed_activity_id)
        return IncidentsWanted(
            ids=ident,
            open=open,
            kind=JOB if kind == FAILED else kind,
            message=self.incident_message,
            message_like=self.incident_message_like,
            instance_ids=texts(
                self.process_instance_id,
                self.process_instance_id_in,
                self.execution_id,
            ),
            task_ids=texts(self.configuration),
            processes=texts(
                self.process_definition_key, self.process_definition_key_in
            ),
            definitions=None if definition is None else (number_in(definition),),
            element=None if elements is None else next(iter(elements), ""),
            opened_after=self.incident_timestamp_after,
            opened_before=self.incident_timestamp_before,
        )


class PastIncidents(Incidents):
    open: bool | None = None
    resolved: bool | None = None


def find(call: Call, asked: Incidents, some: Some) -> Found:
    return _found(call, asked.wanted(open=True), part_of(asked, some, SORTED_BY))


def find_past(call: Call, asked: PastIncidents, some: Some) -> Found:
    wanted = asked.wanted(open=one_of(asked.open, asked.resolved))
    rows, total = _found(call, wanted, part_of(asked, some, SORTED_BY))
    return rows, total


offer_list("/incident", Incidents, find, READERS)
offer_list("/history/incident", PastIncidents, find_past, READERS)


@offered("GET", "/incident/<incident_id>", roles=READERS)
def show(call: Call, incident_id: str) -> Response:
    """NotFound."""
    wanted = IncidentsWanted(ids=(number_in(incident_id),), open=True)
    rows, _ = _found(call, wanted, Part())
    if not rows:
        raise NotFound(f"There is no open incident {incident_id}.")
    return answer(rows[0])


@offered("DELETE", "/incident/<incident_id>")
def close(call: Call, incident_id: str) -> Response:
    """Only what the process does not wait for. NotFound, StillStuck."""
    close_incident(call.desk.uow, number_in(incident_id), by=call.by, note=WHY)
    return done()


def _found(call: Call, wanted: IncidentsWanted, part: Part) -> Found:
    with call.desk.uow() as tx:
        rows, total = tx.listings.incidents(wanted, part)
    return [incident_shape(row) for row in rows], total


def incident_shape(row: ListedIncident) -> dict[str, Any]:
    found = row.incident
    definition = None
    if row.key is not None:
        definition = definition_id(row.key, row.version or 0, row.definition_id or 0)
    return {
        "id": str(found.id),
        "processDefinitionId": definition,
        "processDefinitionKey": row.key,
        "processInstanceId": found.instance_id,
        "executionId": found.instance_id,
        "rootProcessInstanceId": found.instance_id,
        "incidentTimestamp": date_text(found.opened_at),
        "createTime": date_text(found.opened_at),
        "endTime": date_text(found.resolved_at),
        "incidentType": FAILED if found.kind == JOB else found.kind,
        "incidentMessage": found.message,
        "activityId": found.element,
        "failedActivityId": found.element,
        "causeIncidentId": str(found.id),
        "rootCauseIncidentId": str(found.id),
        "configuration": found.task_id,
        "historyConfiguration": None,
        "jobDefinitionId": None,
        "tenantId": None,
        "annotation": None,
        "open": found.resolved_at is None,
        "deleted": False,
        "resolved": found.resolved_at is not None,
    }
