"""Seals: lines that sign the lines before them with the plant's key.

A seal names how many lines it covers and the hash of the last of them; because of the
chain that is all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mpms.factory.domain.records.chain import Entry, Head

SEALED = "sealed"
Verify = Callable[[str, bytes, str], bool]  # key, message, signature; both as hex


def seal_text(record: str, lines: int, last_hash: str) -> bytes:
    """What is signed."""
    return f"mpms seal 1\n{record}\n{lines}\n{last_hash}".encode()


def seal(head: Head, *, key: str, sign: Callable[[bytes], str]) -> Entry:
    """The line that seals a record up to its head."""
    signature = sign(seal_text(head.record, head.lines, head.hash))
    data = {
        "lines": head.lines,
        "hash": head.hash,
        "key": key,
        "signature": signature,
    }
    return Entry(head.record, SEALED, "mpms", data=data)


def seal_fault(
    content: Mapping[str, Any], before: Head, known: frozenset[str], verify: Verify
) -> str | None:
    """Why a seal does not hold; ``before`` is the line before it."""
    data = content.get("data")
    if not isinstance(data, Mapping):
        return "the seal says nothing"
    if (data.get("lines"), data.get("hash")) != (before.lines, before.hash):
        return "the seal belongs to other lines"
    key, signature = str(data.get("key")), str(data.get("signature"))
    if known and key not in known:
        return f"the seal was made with another key, {key}"
    if not verify(key, seal_text(before.record, before.lines, before.hash), signature):
        return "the signature of the seal is wrong"
    return None
