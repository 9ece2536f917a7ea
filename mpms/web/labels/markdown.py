"""The little Markdown that texts of forms use, with nothing that could run.

Headings, bold, italic, code, lists, line breaks, links within this site. Everything
is escaped first; values of process variables are put in afterwards, so that a value
called ``**x**`` or ``<script>`` is shown as what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup, escape

from mpms.domain.forms.reading import PLACEHOLDER

_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_BULLET = re.compile(r"[-*]\s+(.*)")
_NUMBERED = re.compile(r"\d{1,3}[.)]\s+(.*)")
_SLOT = re.compile("\ue000(\\d+)\ue001")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\((/(?!/)[^\s()\"'\\]{0,300})\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"(?<![\w*])[*_]([^*_]+)[*_](?![\w*])")
_CODE = re.compile(r"`([^`]+)`")


def render(text: str, fill: Callable[[str], str]) -> Markup:
    """HTML of a text; ``fill`` gives what stands for each ``{{path}}``."""
    values: list[str] = []

    def slot(match: re.Match[str]) -> str:
        values.append(fill(match[1].strip()))
        return f"\ue000{len(values) - 1}\ue001"

    text = re.sub("[\ue000\ue001]", "", text[:20_000])
    html = _blocks(PLACEHOLDER.sub(slot, text).splitlines())
    return Markup(_SLOT.sub(lambda m: str(escape(values[int(m[1])])), html))  # noqa: S704


def plain(text: str, fill: Callable[[str], str]) -> str:
    """A label or a hint: values put in, no markup."""
    return PLACEHOLDER.sub(lambda match: fill(match[1].strip()), text)


def _blocks(lines: list[str]) -> str:
    done: list[str] = []
    paragraph: list[str] = []
    items: list[str] = []
    listed = "ul"

    def flush() -> None:
        if paragraph:
            done.append(f"<p>{'<br>'.join(paragraph)}</p>")
        if items:
            rows = "".join(f"<li>{item}</li>" for item in items)
            done.append(f"<{listed}>{rows}</{listed}>")
        paragraph.clear()
        items.clear()

    for line in (raw.strip() for raw in lines):
        heading = _HEADING.fullmatch(line)
        bullet = _BULLET.fullmatch(line)
        numbered = _NUMBERED.fullmatch(line)
        if heading:
            flush()
            level = min(len(heading[1]) + 1, 4)
            done.append(f"<h{level}>{_inline(heading[2])}</h{level}>")
        elif bullet or numbered:
            kind = "ul" if bullet else "ol"
            if paragraph or (items and listed != kind):
                flush()
            listed = kind
            items.append(_inline((bullet or numbered)[1]))  # type: ignore[index]
        elif not line:
            flush()
        else:
            if items:
                flush()
            paragraph.append(_inline(line))
    flush()
    return "\n".join(done)


def _inline(text: str) -> str:
    html = str(escape(text))
    html = _CODE.sub(r"<code>\1</code>", html)
    html = _LINK.sub(r'<a href="\2">\1</a>', html)
    html = _BOLD.sub(r"<strong>\1</strong>", html)
    return _ITALIC.sub(r"<em>\1</em>", html)
