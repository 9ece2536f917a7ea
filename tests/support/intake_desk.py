"""The desk where mail becomes orders, over a real database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mpms.factory.adapters.mail.sandbox import MailSandbox
from mpms.factory.domain.order_mail import Catalogue, Outcome, Senders
from mpms.factory.ports.mail.mailbox import Mailbox, MailMessage
from mpms.factory.services.mail.receive import ReceiveMail
from tests.support.factory import Factory

DATA = Path(__file__).resolve().parents[1] / "data" / "orders"


def patient_sandbox() -> MailSandbox:
    """Reads mail of the buyers and materials in ``tests/data/orders``."""
    catalogue = Catalogue.from_json((DATA / "catalogue.json").read_bytes())
    senders = Senders.from_json((DATA / "senders.json").read_bytes())
    # A loaded machine is slow; what this is for is tested elsewhere.
    return MailSandbox(catalogue, senders, wall_s=300)


class IntakeDesk(Factory):
    """An intake over a mailbox, and what one sees in the database."""

    def __init__(self, url: str, sandbox: MailSandbox) -> None:
        super().__init__(url)
        self.sandbox = sandbox

    def read(self, message: MailMessage) -> Outcome:
        if message.raw is None:
            return self.sandbox.read(message.headers, size=message.size_bytes)
        return self.sandbox.read(message.raw)

    def intake(self, mailbox: Mailbox, **options: Any) -> ReceiveMail:
        given: dict[str, Any] = {"read": self.read, "round_s": 600.0}
        return ReceiveMail(self.uow, mailbox, engine=self.engine, **given | options)

    def outcomes(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT outcome FROM mails ORDER BY id")]

    def codes(self) -> list[list[str]]:
        rows = self.rows("SELECT reasons FROM mails ORDER BY id")
        return [[reason["code"] for reason in row[0]] for row in rows]

    def orders(self) -> list[str]:
        return [row[0] for row in self.rows("SELECT number FROM orders ORDER BY 1")]

    def replies(self) -> list[tuple[Any, ...]]:
        return self.rows("SELECT recipient, in_reply_to FROM outbox ORDER BY mail_id")

    def incidents_of(self, kind: str) -> list[str]:
        return [each.message for each in self.incidents() if each.kind == kind]
