"""Header fields read in linear time, counting every field any parser might see.

The standard library's parser shows the first of two From fields, needs minutes for a
long Subject and recurses on comments; a sender check must not depend on it.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from mpms.factory.domain.order_mail.charsets import decode
from mpms.factory.domain.order_mail.outcome import Problem, Refused

LONGEST_BLOCK = 1 << 20
LONGEST_FIELD = 1 << 15
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_WORD = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_PARAMETER = re.compile(r'\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;]*)')
_QUOTED_PAIR = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Headers:
    """The fields of one block in their order, topmost first; names in lower case."""

    fields: tuple[tuple[str, bytes], ...]

    def all(self, name: str) -> list[bytes]:
        return [value for key, value in self.fields if key == name]

    def above(self, name: str, mark: str) -> list[bytes]:
        """Those that stand above the topmost ``mark``."""
        found: list[bytes] = []
        for key, value in self.fields:
            if key == mark:
                break
            if key == name:
                found.append(value)
        return found

    def first(self, name: str) -> bytes | None:
        return next((value for key, value in self.fields if key == name), None)

    def texts(self, name: str) -> list[str]:
        """A field's values in words; Refused if nobody could have typed one."""
        values = self.all(name)
        if any(len(value) > LONGEST_FIELD for value in values):
            raise Refused(Problem("unreadable_message", where=name))
        return [decode_words(decode(value, None)).strip() for value in values]


def split_headers(
    raw: bytes, start: int = 0, end: int | None = None
) -> tuple[Headers, int]:
    """The header fields of a stretch of bytes, and the offset of its body."""
    end = len(raw) if end is None else end
    if blank := _LINE_END.match(raw, start, end):
        return Headers(()), blank.end()
    found = _BLANK_LINE.search(raw, start, min(end, start + LONGEST_BLOCK))
    block_end = found.start() if found else min(end, start + LONGEST_BLOCK)
    fields: list[tuple[str, list[bytes]]] = []
    for line in _LINE_END.split(raw[start:block_end]):
        if line[:1] in (b" ", b"\t"):
            if fields:
                fields[-1][1].append(line)
            continue
        name, colon, value = line.partition(b":")
        if colon:
            fields.append((name.strip().lower().decode("latin-1"), [value]))
    headers = Headers(tuple((name, b"".join(parts)) for name, parts in fields))
    return headers, found.end() if found else end


def decode_words(text: str) -> str:
    """Decode RFC 2047 words; a character split over two words is made whole."""
    if "=?" not in text:
        return text
    done: list[str] = []
    pending: tuple[str, bytes] | None = None
    at = 0
    for word in _WORD.finditer(text):
        between, at = text[at : word.start()], word.end()
        charset, data = word[1].lower(), _word_bytes(word[2], word[3])
        if pending and not between.strip() and pending[0] == charset:
            pending = charset, pending[1] + data
            continue
        if pending:
            done.append(decode(pending[1], pending[0]))
        if between.strip() or pending is None:
            done.append(between)
        pending = charset, data
    if pending:
        done.append(decode(pending[1], pending[0]))
    return "".join(done) + text[at:]


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(data, header=True)
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return data


@dataclass(frozen=True)
class Value:
    """A structured field such as ``text/plain; charset=utf-8``."""

    main: str
    parameters: dict[str, str]


def structured(value: bytes | None) -> Value:
    """Read a Content-Type or Content-Disposition, in RFC 2231 form too."""
    if value is None or len(value) > LONGEST_FIELD:
        return Value("", {})
    text = decode(value, None)
    main, _, rest = text.partition(";")
    found: dict[str, str] = {}
    for key, content in _parameters(rest):
        found.setdefault(key, content)
    return Value(main.split("(")[0].strip().lower(), _joined(found))


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at >= 0:
        end = at
        if match := _PARAMETER.match(text, at):
            content, end = match[2], match.end()
            if content.startswith('"'):
                content = _QUOTED_PAIR.sub(r"\1", content[1:].removesuffix('"'))
            yield match[1].lower(), content.strip()
        at = text.find(";", end) + 1 or -1


def _joined(found: dict[str, str]) -> dict[str, str]:
    """Put ``name*0*=…; name*1=…`` together and decode what is encoded."""
    plain = {k: decode_words(v) for k, v in found.items() if "*" not in k}
    for base in {key.split("*")[0] for key in found if "*" in key}:
        if f"{base}*" in found:
            plain[base] = _extended(found[f"{base}*"], None)[0]
            continue
        pieces: list[str] = []
        charset: str | None = None
        for number in range(100):
            if (piece := found.get(f"{base}*{number}*")) is not None:
                if number == 0:
                    text, charset = _extended(piece, None)
                else:
                    text = decode(unquote_to_bytes(piece), charset)
                pieces.append(text)
            elif (piece := found.get(f"{base}*{number}")) is not None:
                pieces.append(piece)
            else:
                break
        if pieces:
            plain[base] = "".join(pieces)
    return plain


def _extended(text: str, charset: str | None) -> tuple[str, str | None]:
    if text.count("'") >= 2:
        charset, _, text = text.split("'", 2)
    return decode(unquote_to_bytes(text), charset), charset
