"""A message taken apart: bounded depth and size, strict where lines could be lost."""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass

from mpms.domain.order_mail.charsets import decode
from mpms.domain.order_mail.headers import Headers, Value, split_headers, structured
from mpms.domain.order_mail.outcome import Problem, Refused

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
    body: bytes

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
        if len(self.body) > longest * 3:
            raise ValueError("too long")
        if self.encoding in {"", "7bit", "8bit", "binary"}:
            data = self.body
        elif self.encoding == "quoted-printable":
            data = binascii.a2b_qp(self.body)
        elif self.encoding == "base64":
            data = binascii.a2b_base64(_WHITE.sub(b"", self.body), strict_mode=True)
        else:
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
    _collect(headers, raw[body_at:], 0, parts)
    return parts


def _collect(headers: Headers, body: bytes, depth: int, parts: list[Part]) -> None:
    part = _part(headers, body)
    if not part.content.main.startswith("multipart/"):
        parts.append(part)
        if len(parts) > MOST_PARTS:
            raise Refused(Problem("unreadable_message", where="multipart"))
        return
    boundary = part.content.parameters.get("boundary", "")
    if depth >= DEEPEST or not 0 < len(boundary) <= 200:
        raise Refused(Problem("unreadable_message", where="multipart"))
    for piece in _pieces(body, boundary.encode("utf-8", "replace")):
        inner, at = split_headers(piece)
        _collect(inner, piece[at:], depth + 1, parts)


def _pieces(body: bytes, boundary: bytes) -> list[bytes]:
    """What stands between the boundary lines; a missing last one means lost lines."""
    delimiter = re.compile(
        rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r?\n|\Z)"
    )
    pieces: list[bytes] = []
    start: int | None = None
    for match in delimiter.finditer(body):
        if start is not None:
            pieces.append(_without_first_line_end(body[start : match.start()]))
        if match[1]:
            return pieces
        start = match.end()
        if len(pieces) > MOST_PARTS:
            break
    raise Refused(Problem("unreadable_message", where="multipart"))


def _without_first_line_end(piece: bytes) -> bytes:
    if piece.startswith(b"\r\n"):
        return piece[2:]
    return piece[1:] if piece.startswith(b"\n") else piece


def _part(headers: Headers, body: bytes) -> Part:
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
        body=body,
    )
