"""Send a signal from outside: everybody who waits gets it, and it starts processes."""

from __future__ import annotations

from typing import Any

from mpms.domain.instances.steps import Throw
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance


def broadcast_signal(
    uow: UnitOfWork,
    advance: Advance,
    event: str,
    *,
    variables: dict[str, Any] | None = None,
    by: str,
) -> int:
    """Return how many events and processes it reached; it is not kept for others.

    VariableTooLarge.
    """
    signal = Throw("signal", event, None, variables or {})
    advance.engine.check_variables(signal.variables)
    with uow() as tx:
        reached = tx.deliveries.throw(signal)
        tx.events.append(
            "signal sent", actor=by, data={"event": event, "reached": reached}
        )
        tx.wake()
    return reached
