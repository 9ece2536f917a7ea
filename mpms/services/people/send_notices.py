"""Tell people by mail that something of their account was changed.

Each notice is claimed before it is sent, and sent at most once; what the mail server
did not take is tried again for a day.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from mpms.domain.people.notice_texts import write_notice
from mpms.ports.outgoing_mail import MailSender, MailServerAway, Reply, ReplyInDoubt
from mpms.ports.store import UnitOfWork

log = logging.getLogger(__name__)

AT_ONCE = 50
PAUSE_S = 60.0


@dataclass
class SendNotices:
    """One a worker; any number of workers may do this on one database."""

    uow: UnitOfWork
    mail_sender: MailSender | None
    site_url: str
    _not_before_s: float = 0.0

    def __call__(self) -> bool:
        """False if nothing was to be done, or nobody can send mails."""
        if self.mail_sender is None or time.monotonic() < self._not_before_s:
            return False
        with self.uow() as tx:
            taken = tx.notices.take(AT_ONCE)
        if not taken:
            return False
        mails = []
        for one in taken:
            words = write_notice(
                one.what,
                one.language,
                name=one.name,
                at=f"{one.at.astimezone():%Y-%m-%d %H:%M %Z}",
                by=one.by,
                url=f"{self.site_url}/me",
            )
            number = f"notice-{one.id}"
            mails.append(
                Reply(
                    number,
                    one.address,
                    words.subject,
                    words.body,
                    in_reply_to=None,
                    is_answer=False,
                )
            )
        try:
            sent = self.mail_sender.send(mails)
        except ReplyInDoubt as doubt:
            log.warning("notices about accounts may have gone out: %s", doubt)
            return True
        except MailServerAway as away:
            log.warning("notices about accounts wait: %s", away)
            self._not_before_s = time.monotonic() + PAUSE_S
            with self.uow() as tx:
                tx.notices.give_back([one.id for one in taken])
            return False
        for mail in mails:
            if mail.id not in sent:
                log.warning("a notice to %s was refused", mail.to)
        return True
