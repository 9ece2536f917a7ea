"""Write down what one message came to: its row, its order and its reply together.

One transaction holds all of it, so a message leads to everything or to nothing. The
row of the message is what makes it count once: it is unique in its place in the
mailbox, by its sender and Message-ID, and by its bytes.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from mpms.domain.errors import DatabaseAway, InstanceBusy
from mpms.factory.domain.order_mail import Outcome, settle, write_reply
from mpms.factory.domain.order_mail.outcome import Problem
from mpms.factory.domain.order_mail.reading import unreadable
from mpms.factory.domain.order_mail.reasons import explain
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.ports.mail.mailbox import MailMessage
from mpms.factory.ports.mail.mails import MailRecord
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.orders.accept import accept_order
from mpms.factory.services.orders.follow import follow_path
from mpms.ports.engine import Engine
from mpms.ports.outgoing_mail import Reply
from mpms.services.incidents.open import open_incident

log = logging.getLogger(__name__)

ACTOR = "mail"
ATTEMPTS = 3
LONGEST_CAUSE = 500


class AlreadyRead(Exception):
    """Another process wrote the outcome of this message first."""


@dataclass(frozen=True)
class ReleaseRules:
    """Which orders wait for a supervisor."""

    first_of_sender: bool = False
    above_kg: Decimal | None = None

    def hold(self, tx: Transaction, outcome: Outcome) -> str | None:
        """Why an accepted order must wait; None if it need not."""
        if outcome.order is None or outcome.sender is None:
            return None
        if self.first_of_sender and not tx.mails.sender_known(outcome.sender):
            return f"first order of {outcome.sender}"
        total_kg = sum((line.kg for line in outcome.order.lines), Decimal(0))
        if self.above_kg is not None and total_kg > self.above_kg:
            return f"{total_kg} kg are more than {self.above_kg} kg"
        return None


@dataclass(frozen=True)
class RecordMail:
    """Turns what was read into rows, once."""

    uow: UnitOfWork
    engine: Engine
    rules: ReleaseRules = field(default_factory=ReleaseRules)
    site_url: str = ""  # where customers follow their orders; empty: nowhere

    def __call__(self, message: MailMessage, undecided: Outcome) -> str:
        """The outcome that was written down. AlreadyRead, DatabaseAway.

        A message that cannot be stored is rejected, so that it does not lie in front
        of all others for ever; an incident tells why.
        """
        failure: Exception | None = None
        for _ in range(ATTEMPTS):
            try:
                return self._write_down(message, undecided)
            except (AlreadyRead, DatabaseAway):
                raise
            except Exception as error:  # such as a number taken at this very moment
                failure = error
                log.warning("message %s: %s", message.id, error)
        assert failure is not None  # noqa: S101
        if isinstance(failure, InstanceBusy):
            raise failure
        for outcome in _in_its_place(undecided):
            try:
                return self._write_down(message, outcome, failure)
            except (AlreadyRead, DatabaseAway):
                raise
            except Exception as error:
                log.warning("message %s, as a rejection: %s", message.id, error)
        raise failure

    def _write_down(
        self, message: MailMessage, undecided: Outcome, failure: Exception | None = None
    ) -> str:
        sha256 = hashlib.sha256(message.raw or message.headers).hexdigest()
        with self.uow() as tx:
            tx.mails.lock(undecided.sender or sha256)
            outcome = settle(undecided, _Memory(tx))
            if _is_a_copy(outcome, tx.mails.copies(sha256)):
                outcome = _repeated(outcome)
            duplicate = "duplicate_message" in outcome.codes
            held = self.rules.hold(tx, outcome)
            number = _store_order(tx, self.engine, outcome, held)
            mail_id = tx.mails.add(
                MailRecord(
                    message.id,
                    sha256=sha256,
                    size_bytes=message.size_bytes,
                    raw=message.raw,
                    sender=outcome.sender,
                    message_id=outcome.message_id,
                    counts=outcome.trusted
                    and not duplicate
                    and bool(outcome.message_id),
                    outcome=outcome.outcome,
                    reasons=[
                        {"code": r.code, "sentence": r.sentence, "where": r.where}
                        for r in outcome.reasons
                    ],
                    order_number=number,
                )
            )
            if mail_id is None:
                raise AlreadyRead
            follow_url = self._follow_url(tx, number)
            _answer(tx, f"mail-{mail_id}-{sha256[:16]}", mail_id, outcome, follow_url)
            if failure is not None:
                _tell(tx, outcome, failure)
            tx.events.append(
                f"mail {outcome.outcome}",
                actor=ACTOR,
                data={
                    "mail": mail_id,
                    "sender": outcome.sender,
                    "order": number,
                    "reasons": list(outcome.codes),
                },
            )
        return outcome.outcome

    def _follow_url(self, tx: Transaction, number: str | None) -> str:
        if not self.site_url or number is None:
            return ""
        return f"{self.site_url.rstrip('/')}{follow_path(tx, number)}"


def _in_its_place(undecided: Outcome) -> Iterator[Outcome]:
    """Rejections of a message that cannot be stored, from telling to bare."""
    yield replace(
        unreadable(),
        sender=undecided.sender,
        message_id=undecided.message_id,
        trusted=undecided.trusted,
        reply="rejection" if undecided.trusted else "none",
    )
    yield unreadable()


def _is_a_copy(outcome: Outcome, copies: set[str]) -> bool:
    """Whether these very bytes lay elsewhere before, or here under another number.

    What was refused and would be accepted now is no copy: somebody who corrected the
    list of senders may put a message back into the inbox.
    """
    return bool(copies) and (outcome.outcome != "accepted" or "accepted" in copies)


def _repeated(outcome: Outcome) -> Outcome:
    reason = explain(Problem("duplicate_message"), outcome.language)
    return replace(
        outcome, outcome="ignored", reply="none", reasons=(reason,), order=None
    )


def _store_order(
    tx: Transaction, engine: Engine, outcome: Outcome, held: str | None
) -> str | None:
    draft = outcome.order
    if draft is None:
        return None
    order = Order(
        number=draft.number,
        product=draft.product or draft.recipe or "",
        lines=tuple(
            OrderLine(line.material, line.name, line.kg, line.lot)
            for line in draft.lines
        ),
        due=draft.due,
        priority=draft.priority,
        customer=draft.sender,
        status=OrderStatus.WAITING if held else OrderStatus.NEW,
    )
    accept_order(
        tx,
        engine,
        order,
        by=draft.sender,
        held_by=ACTOR,
        why=held or "",
        draft=draft,
    )
    return order.number


def _answer(
    tx: Transaction, reply_id: str, mail_id: int, outcome: Outcome, follow_url: str
) -> None:
    reply = write_reply(outcome, follow_url)
    if reply is None:
        return
    tx.outbox.write(
        mail_id,
        Reply(reply_id, reply.to, reply.subject, reply.body, outcome.message_id),
    )


def _tell(tx: Transaction, outcome: Outcome, failure: Exception) -> None:
    cause = f"{type(failure).__name__}: {failure}".replace("\0", " ")
    plain = cause.encode("utf-8", "replace").decode()[:LONGEST_CAUSE]
    open_incident(
        tx,
        "mail",
        f"A message of {outcome.sender or 'somebody'} could not be stored"
        f" and was rejected: {plain}",
        actor=ACTOR,
    )


@dataclass(frozen=True)
class _Memory:
    """The database as the reader's memory."""

    tx: Transaction

    def message_seen(self, sender: str, message_id: str) -> bool:
        return self.tx.mails.seen(sender, message_id)

    def order_number_taken(self, number: str) -> bool:
        return self.tx.orders.taken(number)
