"""A person has dealt with what an incident tells, or with all that a cause tells."""

from __future__ import annotations

from mpms.domain.errors import Conflict, NotFound
from mpms.domain.incidents.incidents import Incident
from mpms.ports.incidents.inbox import CauseIncident
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.apply_repair import required


class StillStuck(Conflict):
    """The process waits for this: it must be tried again, not put aside."""


def close_incident(uow: UnitOfWork, incident_id: int, *, by: str, note: str) -> None:
    """Put an incident aside. NotFound, StillStuck, ReasonMissing."""
    with uow() as tx:
        found = tx.incidents.get(incident_id)
        if found is None:
            raise NotFound(f"There is no open incident {incident_id}.")
        if found.retryable:
            raise StillStuck
        why = required(note)
        if not tx.incidents.close(incident_id, by=by):
            raise NotFound(f"Somebody else has closed incident {incident_id}.")
        _tell(tx, found, by=by, note=why)
        tx.wake()


def close_cause(uow: UnitOfWork, cause: str, *, by: str, note: str) -> int:
    """Put aside all of a cause that cannot be tried again; how many.

    ReasonMissing; StillStuck if there is nothing else.
    """
    why = required(note)
    with uow() as tx:
        closed = tx.inbox.close(cause, by=by)
        if not closed:
            raise StillStuck
        for each in closed:
            _tell(tx, each, by=by, note=why)
        tx.wake()
        return len(closed)


def _tell(
    tx: Transaction, closed: Incident | CauseIncident, *, by: str, note: str
) -> None:
    tx.events.append(
        "incident closed",
        actor=by,
        instance_id=closed.instance_id,
        element=closed.element,
        task_id=closed.task_id,
        data={"incident": closed.id, "message": closed.message, "note": note},
    )
