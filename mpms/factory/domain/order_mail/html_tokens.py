"""HTML cut into tags and text in linear time.

The standard library's parser starts over at every bracket of an unclosed comment or
quote, so a few hundred kilobytes keep it busy for minutes. Here every character is
looked at a bounded number of times, and what is left open ends where the text ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

_TAG = re.compile(r"[A-Za-z][^\s/>]*")
_GAP = re.compile(r"[\s/]*")
_SPACE = re.compile(r"\s*")
_ATTRIBUTE = re.compile(r"[^>][^\s/>=]*")
_UNQUOTED = re.compile(r"[^\s>]*")
_RAW_END = {
    tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in ("script", "style")
}


@dataclass(frozen=True)
class Text:
    """Characters between tags."""

    content: str


@dataclass(frozen=True)
class StartTag:
    name: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class EndTag:
    name: str


Token = Text | StartTag | EndTag


def tokens(html: str) -> Iterator[Token]:
    """The tags and texts of a page in their order; comments are dropped."""
    at = 0
    while (bracket := html.find("<", at)) >= 0:
        if bracket > at:
            yield Text(unescape(html[at:bracket]))
        if html.startswith("<!--", bracket):
            at = _after(html, "-->", bracket + 4)
        elif html.startswith(("<!", "<?"), bracket):
            at = _after(html, ">", bracket)
        elif html.startswith("</", bracket):
            if name := _TAG.match(html, bracket + 2):
                yield EndTag(name[0].lower())
            at = _after(html, ">", bracket)
        elif name := _TAG.match(html, bracket + 1):
            tag = name[0].lower()
            attributes, at = _attributes(html, name.end())
            yield StartTag(tag, attributes)
            if tag in _RAW_END:
                end = _RAW_END[tag].search(html, at)
                at = end.start() if end else len(html)
        else:
            yield Text("<")
            at = bracket + 1
    if at < len(html):
        yield Text(unescape(html[at:]))


def _after(html: str, mark: str, start: int) -> int:
    found = html.find(mark, start)
    return len(html) if found < 0 else found + len(mark)


def _attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag, and where the text goes on behind it."""
    found: dict[str, str] = {}
    while True:
        at = _end(_GAP, html, at)
        if html.startswith(">", at):
            return found, at + 1
        name = _ATTRIBUTE.match(html, at)
        if name is None:
            return found, len(html)
        value = ""
        equals = _end(_SPACE, html, name.end())
        if html.startswith("=", equals):
            value, at = _value(html, _end(_SPACE, html, equals + 1))
        else:
            at = name.end()
        found.setdefault(name[0].lower(), value)


def _value(html: str, at: int) -> tuple[str, int]:
    quote = html[at : at + 1]
    if quote in {'"', "'"}:
        end = html.find(quote, at + 1)
        if end < 0:
            return html[at + 1 :], len(html)
        return unescape(html[at + 1 : end]), end + 1
    end = _end(_UNQUOTED, html, at)
    return unescape(html[at:end]), end


def _end(pattern: re.Pattern[str], html: str, at: int) -> int:
    match = pattern.match(html, at)
    return match.end() if match else at
