"""Read the mailbox: every message has one outcome, every order is stored once.

What became of a message is a row, see ``record_mail``. Moving the message to another
folder comes after the commit and means nothing: a crash in between leaves a message
in the inbox that is known, and is only moved.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mpms.domain.order_mail import Outcome
from mpms.ports.mail import (
    Letter,
    LetterId,
    Mailbox,
    MailboxSession,
    MailboxUnavailable,
)
from mpms.ports.store import UnitOfWork
from mpms.services.record_mail import ACTOR, AlreadyRead, RecordMail, ReleaseRules
from mpms.services.watch_mailbox import CHANGED

__all__ = ["ReceiveMail", "ReleaseRules"]

log = logging.getLogger(__name__)

FOLDERS = {"accepted": "Processed", "ignored": "Processed", "rejected": "Rejected"}
AWAY = "mailbox"  # the kind of incident that says why no mail can be read
CONCERN = "mail account"  # and the one that says what will go wrong soon
ROUND_S = 30.0
Reader = Callable[[Letter], Outcome]


@dataclass(frozen=True)
class ReceiveMail:
    """Reads what is new; see ``mpms.ports.plant.Intake``.

    A round ends after ``round_s`` and asks for another one, so that a full inbox does
    not look like a mailbox that hangs.
    """

    uow: UnitOfWork
    mailbox: Mailbox
    read: Reader
    rules: ReleaseRules = field(default_factory=ReleaseRules)
    round_s: float = ROUND_S
    stopping: Callable[[], bool] = lambda: False
    concern: Callable[[], str | None] = lambda: None
    _failed: dict[LetterId, int] = field(default_factory=dict)

    def __call__(self) -> tuple[int, int]:
        """Read what lies in the inbox. MailboxUnavailable, shown as an incident."""
        if self.stopping():
            return 0, 0
        try:
            with self.mailbox.open() as session:
                result = self._round(session)
        except MailboxUnavailable as away:
            if self.stopping():
                return 0, 0
            with self.uow() as tx:
                tx.incidents.open(AWAY, f"The mailbox cannot be read: {away}")
            raise
        concern = self.concern()
        with self.uow() as tx:
            if tx.incidents.resolve(by=ACTOR, kind=AWAY):
                tx.events.append("mailbox back", actor=ACTOR)
            if concern is None:
                tx.incidents.resolve(by=ACTOR, kind=CONCERN)
            else:
                tx.incidents.open(CONCERN, concern)
        return result

    def receive(self, letter: Letter) -> str:
        """Read one message and write down everything it leads to. AlreadyRead."""
        return RecordMail(self.uow, self.rules)(letter, self.read(letter))

    def _round(self, session: MailboxSession) -> tuple[int, int]:
        end_at = time.monotonic() + self.round_s
        letters = self._in_turn(session.letters())
        with self.uow() as tx:
            known = tx.mails.known(letters)
        mails = accepted = 0
        can_file = True
        for letter_id in letters:
            if self.stopping() or time.monotonic() > end_at:
                with self.uow() as tx:
                    tx.deliveries.throw(CHANGED)
                break
            outcome = known.get(letter_id)
            if outcome is None:
                outcome = self._read(session, letter_id)
                if outcome is None:
                    continue
                mails += 1
                accepted += outcome == "accepted"
            can_file = can_file and _file_away(session, letter_id, outcome)
        return mails, accepted

    def _in_turn(self, letters: Sequence[LetterId]) -> list[LetterId]:
        """Oldest first, but what could not be fetched before comes last: one message
        that breaks its server must not keep all others from being read."""
        for gone in self._failed.keys() - set(letters):
            del self._failed[gone]
        return sorted(letters, key=lambda letter: self._failed.get(letter, 0))

    def _read(self, session: MailboxSession, letter_id: LetterId) -> str | None:
        try:
            letter = session.fetch(letter_id)
        except MailboxUnavailable as away:
            self._failed[letter_id] = self._failed.get(letter_id, 0) + 1
            raise MailboxUnavailable(
                f"{away} (at message {letter_id.uid} of {letter_id.folder})"
            ) from away
        self._failed.pop(letter_id, None)
        if letter is None:
            return None
        try:
            return self.receive(letter)
        except AlreadyRead:
            return None


def _file_away(session: MailboxSession, letter_id: LetterId, outcome: str) -> bool:
    """Whether it went; if the server itself is away, the next fetch will tell."""
    try:
        session.file_away(letter_id, FOLDERS[outcome])
    except MailboxUnavailable as away:
        log.warning("message %s stays in the inbox: %s", letter_id.uid, away)
        return False
    return True
