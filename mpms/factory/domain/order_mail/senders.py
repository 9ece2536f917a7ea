"""Who may order, how each of them writes numbers, and whose word we believe."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail.catalogue import load_object

AuthenticationForm = Literal["authserv_id", "microsoft365"]


class SendersInvalid(MpmsError):
    """The list of senders cannot be used."""


@dataclass(frozen=True)
class Sender:
    """One allowed address. ``decimal`` is its decimal sign, None if unknown."""

    address: str
    company: str = ""
    decimal: str | None = None
    may_forward: bool = False


@dataclass(frozen=True)
class Senders:
    """The allow-list and the mail host whose results count.

    Microsoft 365 writes its results without a name of its own. They count only where
    the plant has set ``authentication_form`` to ``microsoft365``, and then only as the
    topmost Authentication-Results header.
    """

    allowed: tuple[Sender, ...]
    trusted_authserv_id: str | None = None
    orders_mailbox: str | None = None
    authentication_form: AuthenticationForm = "authserv_id"
    accept_smtp_auth: bool = False
    results_below_received: bool = False  # the host adds its Received above them
    _by_address: Mapping[str, Sender] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = {lower_ascii(sender.address): sender for sender in self.allowed}
        if len(found) != len(self.allowed):
            raise SendersInvalid("an address is listed twice")
        object.__setattr__(self, "_by_address", found)
        if self.authentication_form == "authserv_id" and not self.trusted_authserv_id:
            raise SendersInvalid(
                "'trusted_authserv_id' must name the trusted mail host"
            )

    @classmethod
    def nobody(cls) -> Senders:
        """For a sandbox that shows mail and takes no orders."""
        return cls((), trusted_authserv_id="nobody")

    @property
    def host_adds_received_last(self) -> bool:
        """Microsoft and Google do; they also remove results of their name that others
        wrote. Of other hosts a field below ``Received`` may be the sender's."""
        host = lower_ascii(self.trusted_authserv_id or "")
        google = host == "google.com" or host.endswith(".google.com")
        microsoft = self.authentication_form == "microsoft365"
        return self.results_below_received or google or microsoft

    def find(self, address: str) -> Sender | None:
        return self._by_address.get(lower_ascii(address))

    @classmethod
    def from_json(cls, text: str | bytes) -> Senders:
        """Read ``senders.json``; SendersInvalid names what is wrong with it."""
        loaded = load_object(text, SendersInvalid)
        entries = loaded.get("senders")
        if not isinstance(entries, list):
            raise SendersInvalid("'senders' must be a list")
        return cls(
            allowed=tuple(_sender(n, entry) for n, entry in enumerate(entries, 1)),
            trusted_authserv_id=_text_or_none(loaded, "trusted_authserv_id"),
            orders_mailbox=_text_or_none(loaded, "orders_mailbox"),
            authentication_form=_form(loaded),
            accept_smtp_auth=_truth(loaded, "accept_smtp_auth", "the list"),
            results_below_received=_truth(loaded, "results_below_received", "the list"),
        )

    def to_json(self) -> str:
        return json.dumps(
            {
                "trusted_authserv_id": self.trusted_authserv_id,
                "orders_mailbox": self.orders_mailbox,
                "authentication_form": self.authentication_form,
                "accept_smtp_auth": self.accept_smtp_auth,
                "results_below_received": self.results_below_received,
                "senders": [
                    {
                        "address": sender.address,
                        "company": sender.company,
                        "decimal": sender.decimal,
                        "may_forward": sender.may_forward,
                    }
                    for sender in self.allowed
                ],
            }
        )


def lower_ascii(text: str) -> str:
    """Lower A-Z only: the Kelvin sign must not become a k in somebody's address."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def _sender(number: int, entry: object) -> Sender:
    where = f"sender {number}"
    if not isinstance(entry, dict):
        raise SendersInvalid(f"{where} must be an object")
    address = entry.get("address")
    if not isinstance(address, str) or address.strip().count("@") != 1:
        raise SendersInvalid(f"{where}: 'address' must be an e-mail address")
    decimal = entry.get("decimal")
    if decimal not in {None, ".", ","}:
        raise SendersInvalid(f"{where}: 'decimal' must be '.', ',' or null")
    company = entry.get("company", "")
    if not isinstance(company, str):
        raise SendersInvalid(f"{where}: 'company' must be a text")
    may_forward = _truth(entry, "may_forward", where)
    return Sender(address.strip(), company, decimal, may_forward)


def _form(fields: Mapping[str, object]) -> AuthenticationForm:
    match fields.get("authentication_form", "authserv_id"):
        case "authserv_id":
            return "authserv_id"
        case "microsoft365":
            return "microsoft365"
    raise SendersInvalid(
        "'authentication_form' must be 'authserv_id' or 'microsoft365'"
    )


def _text_or_none(fields: Mapping[str, object], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise SendersInvalid(f"{key!r} must be a text or null")
    return value


def _truth(fields: Mapping[str, object], key: str, where: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise SendersInvalid(f"{where}: {key!r} must be true or false")
    return value
