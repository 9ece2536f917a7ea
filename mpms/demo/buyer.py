"""The demo's customer, who orders paint by e-mail."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpSender
from mpms.embedded.mail import MailHome
from mpms.factory.ports.store import UnitOfWork

BUYER = "buyer@example.com"
# Each begins at a place of its own: three orders at once need not queue at the first.
PAINTS = (
    (
        "Matt white wall paint",
        "RM-001 Water 310 kg",
        "RM-002 Titanium dioxide 120.5 kg",
        "RM-003 Calcium carbonate 240 kg",
    ),
    (
        "Brick red facade paint",
        "RM-011 Red iron oxide 42.5 kg",
        "RM-004 Acrylic dispersion 180 kg",
        "RM-014 Talc 95 kg",
    ),
    (
        "Sky blue wall paint",
        "RM-012 Phthalo blue paste 12.8 kg",
        "RM-001 Water 150 kg",
        "RM-005 Cellulose thickener 6.4 kg",
    ),
)


class Buyer:
    """Sends orders to the demo's mail server."""

    def __init__(self, home: MailHome, uow: UnitOfWork, address: str = BUYER) -> None:
        self._home = home
        self._uow = uow
        self._address = address
        self._mail_sender = SmtpSender(
            SmtpAccount(
                home.host,
                home.smtp_port,
                Security.PLAIN,
                address,
                address,
                Password(home.password(address)),
            )
        )
        self._sent: set[str] = set()

    def send_order(self) -> str:
        """Mail an order with the next free number, as a customer would."""
        year = date.today().year
        with self._uow() as tx:
            taken = {o.number for o in tx.orders.listing(limit=10_000)} | self._sent
        count = 1
        while f"MO-{year}-{count:04d}" in taken:
            count += 1
        number = f"MO-{year}-{count:04d}"
        message = self._message(number, *PAINTS[(count - 1) % len(PAINTS)])
        self.hand_over(bytes(message))
        self._sent.add(number)
        return number

    def hand_over(self, raw: bytes) -> None:
        """Give any message to the server, as from this customer."""
        self._mail_sender.send_raw(self._address, [self._home.orders], raw)

    def _message(self, number: str, product: str, *materials: str) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"] = self._address, self._home.orders
        message["Subject"] = f"Order {number}"
        message["Message-ID"] = make_msgid(domain="example.com")
        message["Date"] = format_datetime(datetime.now(UTC))
        lines = "".join(f"- {line}\n" for line in materials)
        message.set_content(
            f"Order: {number}\nProduct: {product}\n"
            f"Due: {date.today() + timedelta(days=3)}\n\nMaterials:\n{lines}"
        )
        return message
