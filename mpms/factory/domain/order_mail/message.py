"""A message taken apart: bounded depth and size, strict where lines could be lost."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field

from mpms.factory.domain.order_mail.charsets import decode
from mpms.factory.domain.order_mail.headers import (
    Headers,
    Value,
    split_headers,
    structured,
)
from mpms.factory.domain.order_mail.outcome import Problem, Refused

DEEPEST = 20
MOST_PARTS = 200
LONGEST_TEXT = 2 << 20
LONGEST_FILE = 10 << 20
_SIGNATURES = {
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-signature",
}
_ORDER_TYPES = {
    "text/csv": "csv",
    "application/csv": "csv",
    "text/comma-separated-values": "csv",
    "application/json": "json",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_PARENT = re.compile(r"(?:^|[\\/])\.\.(?:[\\/]|$)")
_WHITE = re.compile(rb"[ \t\r\n]+")


@dataclass(frozen=True)
class Part:
    """A leaf of the message, not yet decoded."""

    content: Value
    disposition: str
    filename: str
    encoding: str
    raw: bytes = field(repr=False)  # the whole message: a copy a part would add up
    start: int
    end: int

    @property
    def kind(self) -> str | None:
        """``csv``, ``xlsx`` or ``json`` for an order file: the name before the type."""
        suffix = self.filename.lower().rpartition(".")[2]
        if suffix in {"csv", "xlsx", "json"}:
            return suffix
        return _ORDER_TYPES.get(self.content.main)

    def is_body(self, content_type: str) -> bool:
        return (
            self.content.main == content_type
            and self.disposition != "attachment"
            and not self.filename
        )

    @property
    def is_unread_file(self) -> bool:
        """An attachment that nobody reads; a logo in the text is none."""
        if self.content.main in _SIGNATURES or self.kind:
            return False
        if self.disposition == "attachment":
            return True
        if self.content.main.startswith("image/"):
            return False
        return bool(self.filename) or not self.content.main.startswith("text/")

    @property
    def has_unsafe_name(self) -> bool:
        name = self.filename
        return bool(_PARENT.search(name)) or name.startswith("/") or "\0" in name

    def data(self, longest: int) -> bytes:
        """The decoded bytes; ValueError if damaged or longer than allowed."""
        if self.end - self.start > longest * 3:
            raise ValueError("too long")
        data = self.raw[self.start : self.end]
        if self.encoding == "quoted-printable":
            data = binascii.a2b_qp(data)
        elif self.encoding == "base64":
            data = binascii.a2b_base64(_WHITE.sub(b"", data), strict_mode=True)
        elif self.encoding not in {"", "7bit", "8bit", "binary"}:
            raise ValueError(f"unknown encoding {self.encoding}")
        if len(data) > longest:
            raise ValueError("too long")
        return data

    def text(self) -> str:
        """The decoded text with LF line ends; Refused if it cannot be read."""
        try:
            data = self.data(LONGEST_TEXT)
        except ValueError:
            raise Refused(Problem("unreadable_message", where=self.content.main)) from (
                None
            )
        text = decode(data, self.content.parameters.get("charset"))
        return text.replace("\r\n", "\n").replace("\r", "\n")


def leaf_parts(headers: Headers, raw: bytes, body_at: int) -> list[Part]:
    """All parts that are not multiparts; Refused for what only an attack looks like."""
    if b"\0" in raw:
        raise Refused(Problem("unreadable_message", where="NUL"))
    parts: list[Part] = []
    _collect(_part(headers, raw, body_at, len(raw)), 0, parts)
    return parts


def _collect(part: Part, depth: int, parts: list[Part]) -> None:
    if not part.content.main.startswith("multipart/"):
        parts.append(part)
        if len(parts) > MOST_PARTS:
            raise Refused(Problem("unreadable_message", where="multipart"))
        return
    boundary = part.content.parameters.get("boundary", "")
    if depth >= DEEPEST or not 0 < len(boundary) <= 200:
        raise Refused(Problem("unreadable_message", where="multipart"))
    for start, end in _pieces(part, boundary.encode("utf-8", "replace")):
        headers, at = split_headers(part.raw, start, end)
        _collect(_part(headers, part.raw, at, end), depth + 1, parts)


def _pieces(part: Part, boundary: bytes) -> list[tuple[int, int]]:
    """What stands between the boundary lines; a missing last one means lost lines."""
    delimiter = re.compile(rb"--" + re.escape(boundary) + rb"(--)?[ \t]*(?:(\r?\n)|\Z)")
    pieces: list[tuple[int, int]] = []
    start: int | None = None
    for match in delimiter.finditer(part.raw, part.start, part.end):
        before = match.start()
        if before > part.start and part.raw[before - 1 : before] != b"\n":
            continue
        if start is not None:
            ends = 2 if part.raw[before - 2 : before] == b"\r\n" else 1
            pieces.append((start, max(start, before - ends)))
        if match[1]:
            return pieces
        start = match.end()
        if len(pieces) > MOST_PARTS:
            break
    raise Refused(Problem("unreadable_message", where="multipart"))


def _part(headers: Headers, raw: bytes, start: int, end: int) -> Part:
    content = structured(headers.first("content-type"))
    if not _TYPE.fullmatch(content.main):
        content = Value("text/plain", content.parameters)
    disposition = structured(headers.first("content-disposition"))
    filename = disposition.parameters.get("filename") or content.parameters.get(
        "name", ""
    )
    encoding = (headers.first("content-transfer-encoding") or b"").split(b";")[0]
    return Part(
        content=content,
        disposition=disposition.main,
        filename=filename.strip(),
        encoding=encoding.strip().lower().decode("latin-1"),
        raw=raw,
        start=start,
        end=end,
    )
