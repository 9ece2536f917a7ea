"""Take a message from outside that nobody has to wait for yet.

Unlike a correlated one, whose sender is told who got it, a published message goes to
the oldest that fits, starts the process that begins with it, or is kept for a while.
"""

from __future__ import annotations

from typing import Any

from mpms.domain.errors import MpmsError
from mpms.domain.instances.steps import Throw
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance


class AlreadyPublished(MpmsError):
    """A message with this id was published already."""


def publish_message(
    uow: UnitOfWork,
    advance: Advance,
    event: str,
    *,
    correlation: str | None = None,
    variables: dict[str, Any] | None = None,
    message_id: str | None = None,
    keep_s: float,
    by: str,
) -> bool:
    """Whether somebody got it now. AlreadyPublished, VariableTooLarge.

    The same ``message_id`` with the same name and key is refused as long as the first
    would be kept.
    """
    message = Throw("message", event, correlation, variables or {})
    advance.engine.check_variables(message.variables)
    with uow() as tx:
        tx.deliveries.expire()
        if message_id and not tx.deliveries.note_id(
            event, correlation, message_id, keep_s=keep_s
        ):
            raise AlreadyPublished(
                f"The message '{event}' with the id '{message_id}' was published"
                " already; it counts once."
            )
        reached = tx.deliveries.throw(message, keep_s=keep_s) > 0
        outcome = "received" if reached else "kept" if keep_s else "nobody waits"
        tx.events.append(
            "message sent",
            actor=by,
            data={"event": event, "correlation": correlation, "outcome": outcome},
        )
        tx.wake()
    return reached
