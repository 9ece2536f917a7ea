"""Who looks at a cause."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.incidents.inbox import CauseFilter
from mpms.ports.store import Transaction, UnitOfWork


class NobodyOfThatName(MpmsError):
    """Only active supervisors and administrators can be given incidents."""


class CauseOver(NotFound):
    """No incident of this cause is open any more."""


def assign_cause(uow: UnitOfWork, cause: str, to: str | None, *, by: str) -> int:
    """Give all open incidents of a cause to somebody or nobody; how many changed.

    What opens later goes to the same person. CauseOver, NobodyOfThatName.
    """
    with uow() as tx:
        require_open(tx, cause)
        person = None if to is None else tx.people.get(to)
        if to is not None and (person is None or not person.active or not person.leads):
            raise NobodyOfThatName
        changed = tx.inbox.assign(cause, to)
        if changed:
            tx.events.append(
                "incidents assigned",
                actor=by,
                data={"cause": cause, "to": to, "incidents": changed},
            )
        return changed


def require_open(tx: Transaction, cause: str) -> None:
    """CauseOver."""
    if not tx.inbox.causes(CauseFilter(cause=cause), limit=1):
        raise CauseOver
