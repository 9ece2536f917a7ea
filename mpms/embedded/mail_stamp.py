"""What the embedded mail server writes on top of a message it takes.

The intake trusts the topmost Authentication-Results of its own host, so this server
always writes one, and removes every one that the client brought along.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import format_datetime

# Only the two plain forms of an address; whatever else From may contain is no pass.
ADDRESS = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\-]{1,64}@[A-Za-z0-9.\-]{1,253}"
FROM = re.compile(rf"\s*(?:[^<>@,;:()\r\n]*<({ADDRESS})>|({ADDRESS}))\s*")
LONGEST_FROM = 1000
FOREIGN = {b"authentication-results", b"return-path"}


def stamp(
    message: bytes, *, user: str, return_path: str, host: str, at: datetime
) -> bytes:
    """Return the message as it goes into a mailbox."""
    head, body = _split(message)
    fields = [field for field in _fields(head) if _name(field) not in FOREIGN]
    origins = [_value(field) for field in fields if _name(field) == b"from"]
    top = (
        f"Return-Path: <{_clean(return_path)}>\r\n"
        f"Authentication-Results: {host};\r\n"
        f" dkim=none; {_dmarc(origins, user)}\r\n"
        f"Received: from localhost by {host} with ESMTPA;\r\n"
        f" {format_datetime(at)}\r\n"
    )
    return top.encode("ascii", "replace") + b"".join(fields) + b"\r\n" + body


def automatic_reply_key(message: bytes) -> str | None:
    """Return what marks a repeated automatic reply; None for any other message.

    A sender that died before it noted the success sends its reply again, with the
    same Message-ID.
    """
    fields = [(_name(f), _value(f).strip()) for f in _fields(_split(message)[0])]
    automatic = any(
        name == b"auto-submitted" and value.lower().startswith("auto-replied")
        for name, value in fields
    )
    ids = [value for name, value in fields if name == b"message-id"]
    if not automatic or len(ids) != 1:
        return None
    return hashlib.sha256(ids[0].encode()).hexdigest()


def _dmarc(origins: list[str], user: str) -> str:
    if len(origins) != 1 or len(origins[0]) > LONGEST_FROM:
        return "dmarc=fail"
    match = FROM.fullmatch(origins[0])
    if match is None:
        return "dmarc=fail"
    address = match[1] or match[2]
    result = "pass" if address.lower() == user.lower() else "fail"
    return f"dmarc={result} header.from={address.rpartition('@')[2].lower()}"


def _split(message: bytes) -> tuple[bytes, bytes]:
    """Return the header block with its last line end, and the body."""
    if message.startswith((b"\r\n", b"\n")):
        return b"", message.split(b"\n", 1)[1]
    end = re.search(rb"\r?\n\r?\n", message)
    if end is None:
        return message.rstrip(b"\r\n") + b"\r\n", b""
    return message[: end.start()] + b"\r\n", message[end.end() :]


def _fields(head: bytes) -> Iterator[bytes]:
    """Yield header fields with their continuation lines.

    A lone carriage return is a line end for some readers and not for others; here it
    becomes a space, so that no field hides behind one.
    """
    field = b""
    for line in head.splitlines(keepends=False) if b"\r" not in head else _lines(head):
        if line[:1] in b" \t" and field:
            field += line + b"\r\n"
            continue
        if field:
            yield field
        field = line + b"\r\n"
    if field:
        yield field


def _lines(head: bytes) -> list[bytes]:
    lines = re.split(rb"\r?\n", head)
    if lines and not lines[-1]:
        lines.pop()
    return [line.replace(b"\r", b" ") for line in lines]


def _name(field: bytes) -> bytes:
    return field.split(b":", 1)[0].strip().lower()


def _value(field: bytes) -> str:
    value = field.partition(b":")[2]
    return re.sub(rb"\r\n(?=[ \t])", b"", value).decode("utf-8", "replace")


def _clean(text: str) -> str:
    return re.sub(r"[^!-;=?-~]", "", text)[:254]
