"""Orders by e-mail: raw bytes in, an order or a reason out; nothing else happens.

What a message may look like is described in ``docs/order_mail.md``. ``reading`` is
not imported here: everybody needs the catalogue, and only the mail desk reads.
"""

from mpms.factory.domain.order_mail.catalogue import (
    Catalogue,
    CatalogueInvalid,
    Material,
    Recipe,
    RecipeLine,
)
from mpms.factory.domain.order_mail.memory import Memory, RememberedMail, settle
from mpms.factory.domain.order_mail.outcome import (
    DraftLine,
    OrderDraft,
    Outcome,
    Reason,
)
from mpms.factory.domain.order_mail.reasons import CODES
from mpms.factory.domain.order_mail.replies import Reply, write_reply
from mpms.factory.domain.order_mail.senders import Sender, Senders, SendersInvalid

__all__ = [
    "CODES",
    "Catalogue",
    "CatalogueInvalid",
    "DraftLine",
    "Material",
    "Memory",
    "OrderDraft",
    "Outcome",
    "Reason",
    "Recipe",
    "RecipeLine",
    "RememberedMail",
    "Reply",
    "Sender",
    "Senders",
    "SendersInvalid",
    "settle",
    "write_reply",
]
