"""From bytes to an outcome: transport and sender first, then the order itself."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace

from mpms.factory.domain.order_mail.catalogue import Catalogue
from mpms.factory.domain.order_mail.contents import Contents, read_contents
from mpms.factory.domain.order_mail.headers import Headers, split_headers
from mpms.factory.domain.order_mail.memory import Memory, settle
from mpms.factory.domain.order_mail.outcome import Outcome, Problem, Refused, ReplyKind
from mpms.factory.domain.order_mail.reasons import explain
from mpms.factory.domain.order_mail.sender import (
    is_authenticated,
    read_from,
    was_sent_by_a_program,
)
from mpms.factory.domain.order_mail.senders import Sender, Senders
from mpms.factory.domain.order_mail.tables import ReadWorkbook, no_workbook

LARGEST_MESSAGE = 25 << 20
_LONGEST_MESSAGE_ID = 998
_UNREADABLE = Problem("unreadable_message")


def read_order_mail(
    raw: bytes,
    catalogue: Catalogue,
    senders: Senders,
    memory: Memory,
    *,
    proven_domains: Collection[str] = (),
    read_workbook: ReadWorkbook = no_workbook,
) -> Outcome:
    """Read one message to its outcome. Never raises, whatever the bytes are."""
    undecided = read_undecided(
        raw,
        catalogue,
        senders,
        proven_domains=proven_domains,
        read_workbook=read_workbook,
    )
    return settle(undecided, memory)


def read_undecided(
    raw: bytes,
    catalogue: Catalogue,
    senders: Senders,
    *,
    proven_domains: Collection[str] = (),
    size: int | None = None,
    read_workbook: ReadWorkbook = no_workbook,
) -> Outcome:
    """As ``read_order_mail``, but repeated messages and numbers are still undecided.

    ``size`` is the message's true size where ``raw`` is only its beginning.
    """
    size = len(raw) if size is None else size
    try:
        return read_unguarded(
            raw, catalogue, senders, proven_domains, size, read_workbook
        )
    except Exception:
        return _after_a_fault(raw, senders, proven_domains, size)


def _after_a_fault(
    raw: bytes, senders: Senders, proven_domains: Collection[str], size: int
) -> Outcome:
    """We failed at this message: its sender gets a rejection instead of silence."""
    try:
        outcome, _ = _screen(split_headers(raw)[0], senders, proven_domains, size)
    except Exception:
        return unreadable()
    return outcome if outcome.reasons else _refuse(outcome, _UNREADABLE)


def read_unguarded(
    raw: bytes,
    catalogue: Catalogue,
    senders: Senders,
    proven_domains: Collection[str],
    size: int,
    read_workbook: ReadWorkbook = no_workbook,
) -> Outcome:
    """As ``read_undecided``, but a fault of our own comes out as an exception."""
    headers, body_at = split_headers(raw)
    outcome, sender = _screen(headers, senders, proven_domains, size)
    if sender is None:
        return outcome
    try:
        contents = read_contents(
            raw, headers, body_at, catalogue, sender, read_workbook
        )
        return _conclude(contents, outcome)
    except Refused as refused:
        return _refuse(outcome, *refused.problems)


def unreadable() -> Outcome:
    """The outcome of a message nobody could look into: rejected, without a reply."""
    return _refuse(Outcome("rejected", "none"), _UNREADABLE)


def _screen(
    headers: Headers, senders: Senders, proven_domains: Collection[str], size: int
) -> tuple[Outcome, Sender | None]:
    """The checks before anything is read; a sender only if all of them pass."""
    address = read_from(headers)
    known = Outcome(
        "rejected", "rejection", sender=address, message_id=_message_id(headers)
    )
    silent = replace(known, reply="none")
    automatic = was_sent_by_a_program(headers)
    authenticated = address is not None and is_authenticated(
        headers, address, senders, proven_domains
    )
    if size > LARGEST_MESSAGE:
        reply: ReplyKind = "rejection" if authenticated and not automatic else "none"
        return _refuse(replace(known, reply=reply), Problem("too_large")), None
    if automatic:
        ignored = replace(silent, outcome="ignored")
        return _refuse(ignored, Problem("auto_submitted")), None
    if address is None:
        return _refuse(silent, Problem("malformed_sender", "From")), None
    if not authenticated:
        problem = Problem("sender_not_authenticated", address)
        return _refuse(silent, problem), None
    sender = senders.find(address)
    if sender is None:
        return _refuse(known, Problem("sender_not_allowed", address)), None
    return replace(known, trusted=True), sender


def _conclude(contents: Contents, known: Outcome) -> Outcome:
    known = replace(known, language=contents.language, number=contents.number)
    if contents.order is None:
        return _refuse(known, *contents.problems)
    order = replace(contents.order, sender=known.sender or "")
    return replace(known, outcome="accepted", reply="confirmation", order=order)


def _refuse(outcome: Outcome, *problems: Problem) -> Outcome:
    reasons = tuple(explain(problem, outcome.language) for problem in problems)
    return replace(outcome, reasons=reasons)


def _message_id(headers: Headers) -> str | None:
    value = (headers.first("message-id") or b"").strip()
    if not value:
        return None
    if len(value) > _LONGEST_MESSAGE_ID or not value.isascii():
        return f"<sha256.{hashlib.sha256(value).hexdigest()}>"
    text = value.decode("ascii")
    return "".join(c for c in text if c.isprintable() and c != " ")
