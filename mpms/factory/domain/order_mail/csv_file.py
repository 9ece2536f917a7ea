"""CSV as spreadsheets export it, with semicolon, comma, tab or bar."""

from __future__ import annotations

import csv
import io

from mpms.factory.domain.order_mail.tables import Row, find_header

MOST_ROWS = 20_000


def read_csv(text: str) -> list[Row]:
    """The rows by the delimiter that shows a header row; ValueError if damaged."""
    rows: list[Row] = []
    for delimiter in ";,\t|":
        rows = _rows(text, delimiter)
        if find_header(rows) is not None:
            return rows
    return max((_rows(text, d) for d in ";,\t|"), key=_widest)


def _rows(text: str, delimiter: str) -> list[Row]:
    # Strict, because a quote that never ends would swallow the lines below it.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    try:
        for cells in reader:
            rows.append(Row(tuple(cells)))
            if len(rows) > MOST_ROWS:
                raise ValueError("too many rows")
    except csv.Error as cause:
        raise ValueError(str(cause)) from None
    return rows


def _widest(rows: list[Row]) -> int:
    return max((len(row.cells) for row in rows), default=0)
