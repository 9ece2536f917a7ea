"""Tables that people draw in plain text: with bars, tabs, semicolons or spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpms.factory.domain.order_mail.tables import Header, Row, find_header

_RULE = re.compile(r"[\s|+:=_\-\u2013\u2014\u2500-\u257f]+")
_CHUNK = re.compile(r"\S+(?: \S+)*")
_BARS = str.maketrans(dict.fromkeys("\u2502\u2503\u2551", "|"))
_LONGEST = 1000

Cells = list[tuple[int, str]]  # where each begins, and what it says
Cut = Callable[[str], Cells]


@dataclass(frozen=True)
class TextTable:
    """A table in a text: the lines from ``at`` on, up to ``end``."""

    at: int
    end: int
    rows: list[Row]
    header: Header


def table_in_text(lines: Sequence[str]) -> TextTable | None:
    """The first lines that are headed as a table of an order."""
    for at, line in enumerate(lines):
        if not line.strip() or len(line) > _LONGEST:
            continue
        for cut in (_by_bars, _by_tabs, _by_semicolons, _by_spaces):
            cells = cut(line)
            if len(cells) < 2:
                continue
            heading = Row(tuple(text for _, text in cells))
            header = find_header([heading])
            if header is not None:
                rows, end = _rows(lines, at + 1, cut, cells)
                return TextTable(at, end, [heading, *rows], header)
    return None


def _rows(
    lines: Sequence[str], at: int, cut: Cut, head: Cells
) -> tuple[list[Row], int]:
    """The rows down to the first line that is none."""
    rows: list[Row] = []
    for number in range(at, len(lines)):
        line = lines[number]
        if len(line) > _LONGEST:
            return rows, number
        if not line.strip() or _RULE.fullmatch(line):
            continue
        cells = cut(line)
        if cut is _by_spaces:
            if len(cells) < 2:
                return rows, number
            rows.append(_placed(cells, line, head))
        elif len(cells) < 2:
            return rows, number
        else:
            rows.append(Row(tuple(text for _, text in cells)))
    return rows, len(lines)


def _placed(cells: Cells, line: str, head: Cells) -> Row:
    """Each piece under the heading that it stands under, or is nearest to."""
    spans = [(start, start + len(text)) for start, text in head]
    texts = [""] * len(head)
    doubtful = False
    for start, text in cells:
        end = start + len(text)
        column = max(
            range(len(spans)),
            key=lambda n: (
                min(end, spans[n][1]) - max(start, spans[n][0]),
                -abs(start - spans[n][0]),
            ),
        )
        doubtful |= bool(texts[column])
        texts[column] = f"{texts[column]} {text}".strip()
    return Row(tuple(texts), doubtful)


def _by_bars(line: str) -> Cells:
    if "|" not in (line := line.translate(_BARS)):
        return []
    stripped = line.strip()
    cells = stripped.split("|")
    cells = cells[1:] if stripped.startswith("|") else cells
    cells = cells[:-1] if stripped.endswith("|") else cells
    return [(0, cell.strip()) for cell in cells]


def _by_tabs(line: str) -> Cells:
    return [(0, cell.strip()) for cell in line.split("\t")] if "\t" in line else []


def _by_semicolons(line: str) -> Cells:
    return [(0, cell.strip()) for cell in line.split(";")] if ";" in line else []


def _by_spaces(line: str) -> Cells:
    """Pieces that two or more spaces part."""
    line = line.replace("\u00a0", " ") if "  " not in line else line
    return [(found.start(), found[0]) for found in _CHUNK.finditer(line)]
