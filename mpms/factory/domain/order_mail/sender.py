"""Who sent a message, and whether the mail host we trust vouches for it.

The parser is our own because the usual ones refuse Microsoft 365's form, and because
a mail host copies text of the sender into its results: comments and quoted strings
must never look like results.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mpms.factory.domain.order_mail.charsets import decode
from mpms.factory.domain.order_mail.headers import LONGEST_FIELD, Headers
from mpms.factory.domain.order_mail.senders import Senders, lower_ascii

_NAMED = re.compile(r"([^<>,:;]*)<([^<>]*)>\s*")
_ADDRESS = re.compile(
    r"""[^\s"?(),:;<>@\[\]\\]+@(?:[^\W_](?:[\w-]*[^\W_])?\.)*[^\W_](?:[\w-]*[^\W_])?"""
)
_HARMLESS = re.compile(r"[^\w.@+-]")
_LENGTH = re.compile(rb"(?:^|;)\s*l\s*=", re.IGNORECASE)
_AUTO = re.compile(r"\s*([^\s;(]*)")


@dataclass(frozen=True)
class _Text:
    """A field without its comments; ``quoted`` marks characters inside quotes."""

    characters: str
    quoted: str  # one "q" or "." for each character


def read_from(headers: Headers) -> str | None:
    """The one address of the one From field, A-Z in lower case; else None."""
    fields = headers.all("from")
    if len(fields) != 1 or len(fields[0]) > LONGEST_FIELD:
        return None
    text = _without_comments(decode(fields[0], None))
    if text is None:
        return None
    quotable = "".join(
        "?" if mark == "q" else c
        for c, mark in zip(text.characters, text.quoted, strict=True)
    )
    address = quotable.strip()
    if "<" in quotable or ">" in quotable:
        shape = _NAMED.fullmatch(quotable)
        if shape is None:
            return None
        named, address = shape[1].strip(), shape[2].strip()
        if "@" in named and lower_ascii(named) != lower_ascii(address):
            return None
    if len(address) > 254 or _ADDRESS.fullmatch(address) is None:
        return None
    return lower_ascii(address)


def _without_comments(text: str) -> _Text | None:
    """Drop comments, unwrap quoted strings; None if one of them never ends."""
    characters: list[str] = []
    marks: list[str] = []
    depth, in_quotes, escaped = 0, False, False
    for c in text:
        if escaped:
            escaped = False
        elif c == "\\" and (depth or in_quotes):
            escaped = True
            continue
        elif depth:
            depth += (c == "(") - (c == ")")
            if depth:
                continue
            c = " "
        elif c == '"':
            in_quotes = not in_quotes
            continue
        elif c == "(" and not in_quotes:
            depth = 1
        if depth:
            continue
        characters.append(c)
        marks.append("q" if in_quotes else ".")
    if depth or in_quotes or escaped:
        return None
    return _Text("".join(characters), "".join(marks))


def was_sent_by_a_program(headers: Headers) -> bool:
    """An automatic answer, a list or a bounce: nothing a person waits for."""
    for value in headers.all("auto-submitted"):
        word = _AUTO.match(decode(value[:200], None))
        if word is None or word[1].lower() != "no":
            return True
    bulk = {b"bulk", b"junk", b"list"}
    if any(value.strip().lower() in bulk for value in headers.all("precedence")):
        return True
    return_path = headers.first("return-path")
    return return_path is not None and return_path.strip() in {b"", b"<>"}


def is_authenticated(
    headers: Headers,
    address: str,
    senders: Senders,
    proven_domains: Collection[str] = (),
) -> bool:
    """Whether the From domain is proven, by the trusted host or by our own check."""
    domain = address.rpartition("@")[2]
    if any(_same_domain(proven, domain) for proven in proven_domains):
        return True
    results = _trusted_results(headers, senders)
    if results is None:
        return False
    if _may_have_lines_added(headers):
        results = [result for result in results if result.method == "auth"]
    dmarc = [result for result in results if result.method == "dmarc"]
    if dmarc and all(r.passed and r.says("header.from", domain) for r in dmarc):
        return True
    for result in results:
        if result.method == "dkim" and result.passed and _is_aligned(result, domain):
            return True
        if (
            senders.accept_smtp_auth
            and result.method == "auth"
            and result.passed
            and result.values("smtp.auth") == {address}
        ):
            return True
    return False


def _may_have_lines_added(headers: Headers) -> bool:
    """Whether a signature covers a part of the body only: what its host says of it, and
    of DMARC, which may rest on it, holds for a message that was not sent so."""
    return any(_LENGTH.search(value) for value in headers.all("dkim-signature"))


@dataclass(frozen=True)
class _Result:
    method: str
    result: str
    properties: tuple[tuple[str, str], ...]

    @property
    def passed(self) -> bool:
        return self.result == "pass"

    def values(self, name: str) -> set[str]:
        return {value for key, value in self.properties if key == name}

    def says(self, name: str, domain: str) -> bool:
        found = self.values(name)
        return bool(found) and all(_same_domain(value, domain) for value in found)


def _is_aligned(dkim: _Result, domain: str) -> bool:
    if dkim.values("header.d"):
        return dkim.says("header.d", domain)
    # Google names the identity, whose domain the signing domain vouches for.
    identities = dkim.values("header.i")
    return bool(identities) and all(
        "@" in identity and _same_domain(identity.rpartition("@")[2], domain)
        for identity in identities
    )


def _same_domain(one: str, other: str) -> bool:
    return bool(one) and lower_ascii(one) == lower_ascii(other)


def _trusted_results(headers: Headers, senders: Senders) -> list[_Result] | None:
    """The results in the topmost field of the trusted host; None without one."""
    name = "authentication-results"
    below = senders.host_adds_received_last
    for value in headers.all(name) if below else headers.above(name, "received"):
        segments = _segments(value)
        if senders.authentication_form == "microsoft365":
            # Without a name, only the position tells whose field this is.
            nameless = segments is not None and "=" in segments[0]
            return list(_results(segments)) if segments and nameless else None
        if segments is None:
            if _may_be_ours(value, senders):
                return None
            continue
        named, trusted = segments[0].split(), senders.trusted_authserv_id
        if trusted and named and _same_domain(named[0], trusted):
            return list(_results(segments[1:]))
    return None


def _may_be_ours(value: bytes, senders: Senders) -> bool:
    """A broken field of our host must not open the way to a lower, forged one."""
    start = decode(value[:LONGEST_FIELD], None).lstrip().lower()
    return start.startswith((senders.trusted_authserv_id or "").lower())


def _segments(value: bytes) -> list[str] | None:
    """The parts between semicolons; what was quoted cannot act as syntax."""
    if len(value) > LONGEST_FIELD:
        return None
    text = _without_comments(decode(value, None))
    if text is None:
        return None
    safe = "".join(
        _HARMLESS.sub("?", c) if mark == "q" else c
        for c, mark in zip(text.characters, text.quoted, strict=True)
    )
    return safe.split(";")


def _results(segments: list[str]) -> Iterator[_Result]:
    for segment in segments:
        words = re.sub(r"\s*=\s*", "=", segment.strip()).split()
        if not words:
            continue
        method, _, result = words[0].partition("=")
        pairs = (word.partition("=") for word in words[1:] if "=" in word)
        yield _Result(
            method=method.partition("/")[0].lower(),
            result=result.lower(),
            properties=tuple((key.lower(), lower_ascii(v)) for key, _, v in pairs),
        )
