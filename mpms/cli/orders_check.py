"""``mpms orders check``: what a directory of messages would come to, changing nothing.

For plants that want to try their catalogue and their customers' messages before the
mailbox is connected.
"""

from __future__ import annotations

import json
from pathlib import Path

from mpms.domain.errors import MpmsError
from mpms.factory.adapters.mail.sandbox import MailSandbox
from mpms.factory.domain.order_mail import (
    Catalogue,
    OrderDraft,
    RememberedMail,
    Senders,
    settle,
)
from mpms.settings import Settings


class OrderDirectoryInvalid(MpmsError):
    """The directory does not hold what a check needs."""


def print_check(_: Settings, directory: Path) -> int:
    """Print what every message would come to, as JSON."""
    print(json.dumps(check(directory), ensure_ascii=False, indent=2))
    return 0


def check(directory: Path) -> list[dict[str, object]]:
    """Read every ``*.eml`` from an empty state; one entry a message, in order."""
    if not directory.is_dir():
        raise OrderDirectoryInvalid(f"{directory} is no directory")
    catalogue = Catalogue.from_json(_content(directory / "catalogue.json"))
    senders = Senders.from_json(_content(directory / "senders.json"))
    memory = RememberedMail()
    results: list[dict[str, object]] = []
    with MailSandbox(catalogue, senders) as sandbox:
        for path in _messages(directory):
            outcome = settle(sandbox.read(_content(path)), memory)
            memory.remember(outcome)
            results.append(
                {
                    "file": path.name,
                    "outcome": outcome.outcome,
                    "reply": outcome.reply,
                    "reasons": list(dict.fromkeys(outcome.codes)),
                    "order": None if outcome.order is None else _shown(outcome.order),
                }
            )
    return results


def _messages(directory: Path) -> list[Path]:
    """The messages in the order of expected.json, the others by name after them."""
    by_name = {path.name: path for path in sorted(directory.glob("*.eml"))}
    listed: list[str] = []
    if (directory / "expected.json").is_file():
        try:
            expected = json.loads(_content(directory / "expected.json"))
            listed = [str(entry["file"]) for entry in expected["messages"]]
        except (ValueError, KeyError, TypeError) as cause:
            raise OrderDirectoryInvalid(
                f"{directory / 'expected.json'} has no list of messages: {cause!r}"
            ) from None
    for name in listed:
        if name not in by_name:
            raise OrderDirectoryInvalid(
                f"expected.json names {name!r}, which is not in {directory}"
            )
    return [by_name[name] for name in dict.fromkeys([*listed, *by_name])]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as cause:
        raise OrderDirectoryInvalid(
            f"{path} cannot be read: {cause.strerror}"
        ) from None


def _shown(order: OrderDraft) -> dict[str, object]:
    lines = []
    for line in order.lines:
        shown = {"material": line.material, "kg": str(line.kg)}
        if line.lot is not None:
            shown["lot"] = line.lot
        lines.append(shown)
    shown_order: dict[str, object] = {
        "number": order.number,
        "product": order.product,
        "due": None if order.due is None else order.due.isoformat(),
        "priority": order.priority,
        "lines": lines,
    }
    if order.recipe is not None:
        shown_order |= {"recipe": order.recipe, "batch": order.batch}
    return shown_order
