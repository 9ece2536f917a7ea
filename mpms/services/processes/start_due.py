"""Start the processes whose timer start event is due, each turn once.

Claiming the turn, starting the instance and moving to the next turn are one
transaction: whichever worker comes first does all of it, and a worker that dies on
the way has done nothing. Turns that were missed while no worker ran are not made up
for: one late instance stands for all of them.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from mpms.domain.errors import DatabaseAway, InstanceBusy
from mpms.domain.instances.steps import Start
from mpms.domain.processes.starts import TimerStart
from mpms.ports.store import UnitOfWork
from mpms.services.incidents.open import open_incident
from mpms.services.instances.advance import Advance
from mpms.services.instances.start import start_definition

log = logging.getLogger(__name__)

ACTOR = "mpms"
AGAIN_S = 60.0


def start_due_one(uow: UnitOfWork, advance: Advance) -> bool:
    """Start one process that is due; False if none is."""
    start: TimerStart | None = None
    try:
        with uow() as tx:
            now = advance.clock.now()
            start = tx.starts.claim_due(now)
            if start is None:
                return False
            following = advance.engine.next_due(start.timer, start.due, now=now)
            tx.starts.move(start.id, following)
            definition = tx.definitions.by_id(start.definition_id)
            command = Start(at=start.element)
            start_definition(tx, advance, definition, command, actor=ACTOR)
            if start.failures:
                tx.incidents.resolve(by=ACTOR, kind=_kind(start))
    except (DatabaseAway, InstanceBusy):
        raise
    except Exception as failure:
        if start is None:
            raise
        _hold(uow, advance, start, failure)
    return True


def _hold(
    uow: UnitOfWork, advance: Advance, start: TimerStart, failure: Exception
) -> None:
    log.error("%s cannot be started by its timer", start.key, exc_info=failure)
    with uow() as tx:
        again_at = advance.clock.now() + timedelta(seconds=AGAIN_S)
        tx.starts.postpone(start.id, again_at)
        open_incident(
            tx,
            _kind(start),
            f"The timer '{start.element}' cannot start the process '{start.key}' and"
            f" tries again every {AGAIN_S:g} s: {failure}",
            actor=ACTOR,
            element=start.element,
        )


def _kind(start: TimerStart) -> str:
    """One open incident a start event."""
    return f"start {start.key} {start.element}"
