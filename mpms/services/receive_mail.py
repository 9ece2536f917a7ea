"""Read the mailbox: every message has one outcome, every order is stored once.

What became of a message is a row, written in one transaction with the order and the
reply. Moving the message to another folder comes after the commit and means nothing:
a crash in between leaves a message in the inbox that is known, and is only moved.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from mpms.domain.order_mail import Outcome, settle, write_reply
from mpms.domain.orders import Order, OrderLine, OrderStatus
from mpms.ports.mail import Letter, LetterId, Mailbox, MailboxSession, Reply
from mpms.ports.store import MailRecord, Transaction, UnitOfWork
from mpms.services.accept_order import accept_order

log = logging.getLogger(__name__)

FOLDERS = {"accepted": "Processed", "ignored": "Processed", "rejected": "Rejected"}
ACTOR = "mail"
Reader = Callable[[Letter], Outcome]


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
class ReceiveMail:
    """Reads what is new; see ``mpms.ports.plant.Intake``."""

    uow: UnitOfWork
    mailbox: Mailbox
    read: Reader
    rules: ReleaseRules = ReleaseRules()

    def __call__(self) -> tuple[int, int]:
        """Read everything that lies in the inbox. MailboxUnavailable."""
        mails = accepted = 0
        with self.mailbox.open() as session:
            for letter_id, outcome in self._outcomes(session):
                mails += 1
                accepted += outcome == "accepted"
                session.file_away(letter_id, FOLDERS[outcome])
        return mails, accepted

    def _outcomes(self, session: MailboxSession) -> Iterator[tuple[LetterId, str]]:
        letters = session.letters()
        with self.uow() as tx:
            known = tx.mails.known(letters)
        for letter_id in letters:
            if letter_id in known:
                with self.uow() as tx:
                    yield letter_id, tx.mails.outcome(letter_id) or "ignored"
                continue
            letter = session.fetch(letter_id)
            if letter is None:
                continue
            try:
                yield letter_id, self.receive(letter)
            except AlreadyRead:
                continue

    def receive(self, letter: Letter) -> str:
        """Read one message and write down everything it leads to, once."""
        undecided = self.read(letter)
        with self.uow() as tx:
            if undecided.sender:
                tx.mails.lock_sender(undecided.sender)
            outcome = settle(undecided, _Memory(tx))
            duplicate = "duplicate_message" in outcome.codes
            counts = outcome.trusted and not duplicate and bool(outcome.message_id)
            held = self.rules.hold(tx, outcome)
            number = self._store(tx, outcome, held)
            mail_id = tx.mails.add(
                MailRecord(
                    letter.id,
                    sha256=hashlib.sha256(letter.raw or letter.headers).hexdigest(),
                    size_bytes=letter.size_bytes,
                    raw=letter.raw,
                    sender=outcome.sender,
                    message_id=outcome.message_id,
                    counts=counts,
                    outcome=outcome.outcome,
                    reasons=[
                        {"code": r.code, "sentence": r.sentence, "where": r.where}
                        for r in outcome.reasons
                    ],
                    order_number=number,
                )
            )
            if mail_id is None:
                # Another process read this very message meanwhile.
                raise AlreadyRead
            self._answer(tx, mail_id, outcome)
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

    @staticmethod
    def _store(tx: Transaction, outcome: Outcome, held: str | None) -> str | None:
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
        accept_order(tx, order, by=draft.sender)
        if held:
            data = {"order": order.number, "why": held}
            tx.events.append("order waits for release", actor=ACTOR, data=data)
        return order.number

    @staticmethod
    def _answer(tx: Transaction, mail_id: int, outcome: Outcome) -> None:
        reply = write_reply(outcome)
        if reply is None:
            return
        tx.outbox.write(
            mail_id,
            Reply(
                f"mail-{mail_id}",
                reply.to,
                reply.subject,
                reply.body,
                outcome.message_id,
            ),
        )


class AlreadyRead(Exception):
    """Another process wrote the outcome of this message first."""


@dataclass(frozen=True)
class _Memory:
    """The database as the reader's memory."""

    tx: Transaction

    def message_seen(self, sender: str, message_id: str) -> bool:
        return self.tx.mails.seen(sender, message_id)

    def order_number_taken(self, number: str) -> bool:
        return self.tx.orders.taken(number)
