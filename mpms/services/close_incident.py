"""A person has dealt with what an incident tells."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.store import UnitOfWork


class StillStuck(MpmsError):
    """The process waits for this: it must be tried again, not put aside."""


def close_incident(uow: UnitOfWork, incident_id: int, *, by: str, note: str) -> None:
    """Put an incident aside. NotFound, StillStuck."""
    with uow() as tx:
        found = next((i for i in tx.incidents.listing() if i.id == incident_id), None)
        if found is None:
            raise NotFound(f"There is no open incident {incident_id}.")
        if found.retryable:
            raise StillStuck
        tx.incidents.close(incident_id, by=by)
        tx.events.append(
            "incident closed",
            actor=by,
            instance_id=found.instance_id,
            element=found.element,
            task_id=found.task_id,
            data={"incident": incident_id, "message": found.message, "note": note},
        )
        tx.wake()
