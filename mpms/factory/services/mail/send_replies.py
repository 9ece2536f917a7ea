"""Send the replies of the outbox, each at most once.

A reply is marked before it is handed to the mail server. If the process dies before
the server's answer is written down, nobody knows whether the reply went out; it is
shown as an incident and never sent again by itself: one reply too few can be asked
for, two look like two orders.
"""

from __future__ import annotations

import logging

from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.ports.outgoing_mail import MailSender, MailServerAway, Reply, ReplyInDoubt
from mpms.services.incidents.open import open_incident

log = logging.getLogger(__name__)

ACTOR = "mpms"
LOST = "reply"  # incident: a reply was not sent, or nobody knows
AWAY = "mail server"  # incident: replies wait for their server
SHOWN_AFTER = 3  # attempts
ATTEMPTS = 300  # about three days
FIRST_DELAY_S = 5.0
LONGEST_DELAY_S = 900.0
FORGOTTEN_S = 1800.0  # longer than any handing over


def send_reply(uow: UnitOfWork, mail_sender: MailSender, *, process: str) -> bool:
    """Send one due reply; False if none is due."""
    with uow() as tx:
        taken = tx.outbox.take(process)
        if taken is None:
            _show_forgotten(tx)
            return False
    reply, attempt = taken
    try:
        accepted = reply.id in mail_sender.send([reply])
    except ReplyInDoubt as doubt:
        _lose(uow, reply, str(doubt), in_doubt=True)
    except MailServerAway as away:
        if attempt < ATTEMPTS:
            _postpone(uow, reply, attempt, str(away))
        else:
            _lose(uow, reply, str(away), in_doubt=False)
    else:
        if accepted:
            _finish(uow, reply)
        else:
            why = mail_sender.refusals.get(reply.id, "the mail server refused it")
            _lose(uow, reply, why, in_doubt=False)
    return True


def _finish(uow: UnitOfWork, reply: Reply) -> None:
    with uow() as tx:
        tx.outbox.sent(reply.id)
        tx.workers.reached("smtp")
        tx.incidents.resolve(by=ACTOR, kind=AWAY)
        tx.events.append(
            "reply sent", actor=ACTOR, data={"to": reply.to, "reply": reply.id}
        )


def _postpone(uow: UnitOfWork, reply: Reply, attempt: int, error: str) -> None:
    delay_s = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** min(attempt - 1, 20))
    with uow() as tx:
        tx.outbox.postpone(reply.id, delay_s=delay_s, error=error)
        tx.workers.failed("smtp", error)
        if attempt >= SHOWN_AFTER:
            told = f"Replies cannot be sent: {error}"
            open_incident(tx, AWAY, told, actor=ACTOR)
    log.warning("reply to %s in %g s again: %s", reply.to, delay_s, error)


def _lose(uow: UnitOfWork, reply: Reply, error: str, *, in_doubt: bool) -> None:
    with uow() as tx:
        if in_doubt:
            tx.outbox.doubt(reply.id, error)
            what = f"It is not known whether the reply to {reply.to} went out"
        else:
            tx.outbox.give_up(reply.id, error)
            what = f"No reply could be sent to {reply.to}"
        tx.incidents.open(LOST, f"{what}: {error}")
        tx.events.append(
            "reply in doubt" if in_doubt else "reply given up",
            actor=ACTOR,
            data={"to": reply.to, "reply": reply.id, "error": error},
        )


def _show_forgotten(tx: Transaction) -> None:
    error = "the process that sent it ended"
    recipients = tx.outbox.forgotten(FORGOTTEN_S, error)
    if recipients:
        shown = ", ".join(sorted(set(recipients))[:5])
        open_incident(
            tx,
            LOST,
            f"It is not known whether {len(recipients)} replies went out"
            f" (to {shown}): {error}",
            actor=ACTOR,
        )
