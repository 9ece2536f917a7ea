"""Send the replies of the outbox, each at most once.

A reply is marked before it is handed to the mail server. If the process dies before
the server's answer is written down, nobody knows whether the reply went out; it is
left as *sending* and shown, never sent again by itself: one reply too few can be
asked for, two look like two orders.
"""

from __future__ import annotations

import logging

from mpms.ports.mail import Postman, PostmanUnavailable
from mpms.ports.store import UnitOfWork

log = logging.getLogger(__name__)

ATTEMPTS = 8
FIRST_DELAY_S = 5.0
LONGEST_DELAY_S = 900.0


def send_reply(uow: UnitOfWork, postman: Postman, *, process: str) -> bool:
    """Send one due reply; False if none is due."""
    with uow() as tx:
        taken = tx.outbox.take(process)
    if taken is None:
        return False
    reply, attempt = taken
    error = "the mail server refused it"
    try:
        accepted = reply.id in postman.send([reply])
    except PostmanUnavailable as away:
        accepted, error = False, str(away)
    with uow() as tx:
        if accepted:
            tx.outbox.sent(reply.id)
            tx.events.append(
                "reply sent", actor="mpms", data={"to": reply.to, "reply": reply.id}
            )
        elif attempt >= ATTEMPTS:
            tx.outbox.give_up(reply.id, error)
            tx.incidents.open("reply", f"No reply could be sent to {reply.to}: {error}")
        else:
            delay_s = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** (attempt - 1))
            tx.outbox.postpone(reply.id, delay_s=delay_s, error=error)
            log.warning("reply to %s in %g s again: %s", reply.to, delay_s, error)
    return True
