"""``mail.read``: look for new orders; a mailbox that is away is the model's matter."""

from __future__ import annotations

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.ports.mail.intake import Intake, MailboxUnavailable


class ReadMail:
    """Runs the intake. The intake itself makes sure that nothing counts twice."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def __call__(self, job: Job) -> Answer:
        try:
            mails, accepted = self._intake()
        except MailboxUnavailable as away:
            raise BusinessError("MailboxUnavailable", str(away)) from away
        return Done({"mails": mails, "accepted": accepted})
