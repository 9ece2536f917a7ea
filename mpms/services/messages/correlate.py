"""Hand a message from outside to the one instance that waits for it.

Unlike a message that a model throws, which goes to the oldest that fits or is kept,
somebody who sends one by hand or through the API gets an answer: who got it, that
several would fit, or that nobody waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mpms.domain.errors import NobodyWaits, SeveralWait
from mpms.domain.instances.steps import Throw, received
from mpms.ports.instances.deliveries import Fitting
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.instances.advance import Advance

NAMED = 10  # of several that fit, so many are named


@dataclass(frozen=True)
class Correlated:
    """What became of a message: received, started or kept."""

    outcome: str
    instance_id: str | None = None
    element: str | None = None


def correlate_message(
    uow: UnitOfWork,
    advance: Advance,
    event: str,
    *,
    correlation: str | None = None,
    business_key: str | None = None,
    instance_id: str | None = None,
    variables: dict[str, Any] | None = None,
    keep: bool = False,
    by: str,
) -> Correlated:
    """Give a message to exactly one.

    It goes to the waiting event that fits, else it starts the process that begins
    with it, else it is kept if ``keep`` says so. A message that names an instance
    starts none. NobodyWaits, SeveralWait, VariableTooLarge.
    """
    message = Throw("message", event, correlation, variables or {})
    advance.engine.check_variables(message.variables)
    with uow() as tx:
        fitting = tx.deliveries.fitting(
            event,
            correlation,
            instance_id=instance_id,
            business_key=business_key,
            most=NAMED + 1,
        )
        if len(fitting) > 1:
            raise SeveralWait(_several(event, fitting))
        if fitting:
            (one,) = fitting
            tx.deliveries.add(
                one.instance_id, "receive", task_id=one.task_id, data=received(message)
            )
            done = Correlated("received", one.instance_id, one.element)
        elif instance_id is None and (started := _start(tx, message, business_key)):
            done = Correlated("started", started)
        elif keep and instance_id is None and business_key is None:
            tx.deliveries.keep(message)
            done = Correlated("kept")
        else:
            raise NobodyWaits(_nobody(event, correlation, business_key, instance_id))
        tx.events.append(
            "message sent",
            actor=by,
            instance_id=done.instance_id,
            element=done.element,
            data={"event": event, "correlation": correlation, "outcome": done.outcome},
        )
        tx.wake()
    return done


def _start(tx: Transaction, message: Throw, business_key: str | None) -> str | None:
    started = tx.starts.trigger(
        "message",
        message.event,
        message.variables,
        business_key=business_key or message.correlation,
    )
    return started[0] if started else None


def _several(event: str, fitting: Any) -> str:
    named: list[Fitting] = list(fitting)[:NAMED]
    who = ", ".join(f"{f.instance_id} at '{f.element}'" for f in named)
    more = " and more" if len(fitting) > NAMED else ""
    return (
        f"The message '{event}' fits several: {who}{more}. Name the instance or a key"
        " that only one of them has; nobody got it."
    )


def _nobody(
    event: str,
    correlation: str | None,
    business_key: str | None,
    instance_id: str | None,
) -> str:
    told = (
        ("key", correlation),
        ("business key", business_key),
        ("instance", instance_id),
    )
    which = [f"{noun} '{value}'" for noun, value in told if value is not None]
    where = f" with the {' and the '.join(which)}" if which else ""
    return f"Nobody waits for the message '{event}'{where}, and it starts no process."
