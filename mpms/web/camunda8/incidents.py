"""What needs a person's look: find it, and let it go on."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from mpms.domain.camunda8 import IncidentsWanted, Page
from mpms.services.incidents.retry import retry_incident
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import NotOffered, answer, done
from mpms.web.camunda8.keys import Kind, number_in, numbers_in, unknown
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import AnyOf, Asked, Nothing, Tenant, offered, read_body
from mpms.web.camunda8.shapes import incident_shape

OPEN = "ACTIVE"


class Which(Asked):
    incident_key: AnyOf = None
    process_instance_key: AnyOf = None
    process_definition_key: AnyOf = None
    process_definition_id: AnyOf = None
    element_id: AnyOf = None
    job_key: AnyOf = None
    state: AnyOf = None
    tenant_id: Tenant | None = None

    def wanted(self) -> IncidentsWanted:
        """NotOffered."""
        if self.state is not None and OPEN not in self.state:
            raise NotOffered(
                f"Only incidents in the state {OPEN} are listed; those that are over"
                " are found in the history, GET /api/v1/events."
            )
        return IncidentsWanted(
            numbers=numbers_in(Kind.INCIDENT, self.incident_key),
            instances=numbers_in(Kind.INSTANCE, self.process_instance_key),
            keys=self.process_definition_id,
            definitions=numbers_in(Kind.DEFINITION, self.process_definition_key),
            elements=self.element_id,
            jobs=numbers_in(Kind.JOB, self.job_key),
        )


class IncidentSearch(Search):
    filter: Which = Field(default=Which())


@offered("POST", "/incidents/search")
def find(call: Call) -> Response:
    asked = read_body(IncidentSearch)
    return _found(call, asked, asked.filter.wanted())


@offered("POST", "/process-instances/<key>/incidents/search")
def of_instance(call: Call, key: str) -> Response:
    number = number_in(Kind.INSTANCE, key)
    return _found(call, read_body(Search), IncidentsWanted(instances=(number,)))


@offered("GET", "/incidents/<key>")
def one(call: Call, key: str) -> Response:
    wanted = IncidentsWanted(numbers=(number_in(Kind.INCIDENT, key),))
    with call.desk.uow() as tx:
        found = tx.numbered.incidents(wanted, Page()).rows
    if not found:
        raise unknown(Kind.INCIDENT, key)
    return answer(incident_shape(found[0]))


@offered("POST", "/incidents/<key>/resolution")
def resolve(call: Call, key: str) -> Response:
    """It is tried again. NotFound, InstanceBusy."""
    read_body(Nothing)
    desk, number = call.desk, number_in(Kind.INCIDENT, key)
    retry_incident(desk.uow, desk.advance, number, by=call.by)
    return done()


def _found(call: Call, asked: Search, wanted: IncidentsWanted) -> Response:
    page = asked.part("creationTime", "incidentKey")
    with call.desk.uow() as tx:
        found = tx.numbered.incidents(wanted, page)
    return answer(listed(found, page, incident_shape))
