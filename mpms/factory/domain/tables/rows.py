"""Rows of texts as CSV and as XLSX.

A workbook is written by hand: one sheet of texts, so that no code loses its leading
zeros and no weight becomes a date.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

Rows = Sequence[Sequence[str]]
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_FIRST = (1980, 1, 1, 0, 0, 0)  # the same table is the same file


def rows_of(text: str) -> list[list[str]]:
    """Of a CSV text, whatever separates its columns."""
    text = text.lstrip("\ufeff")
    first = text.partition("\n")[0]
    delimiter = max(";,\t", key=first.count)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def xlsx_of(rows: Rows, title: str) -> bytes:
    """A workbook with one sheet; its heading stays in sight."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _members(rows, title).items():
            info = zipfile.ZipInfo(name, _FIRST)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def _members(rows: Rows, title: str) -> dict[str, str]:
    return {
        "[Content_Types].xml": (
            f'{_HEAD}<Types xmlns="{_TYPES}">'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType='
            f'"{_KIND}.sheet.main+xml"/>'
            '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
            f'"{_KIND}.worksheet+xml"/></Types>'
        ),
        "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/workbook.xml": (
            f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
            f'<sheet name="{escape(title[:31])}" sheetId="1" r:id="rId1"/>'
            "</sheets></workbook>"
        ),
        "xl/worksheets/sheet1.xml": (
            f'{_HEAD}<worksheet xmlns="{_SHEET}"><sheetViews>'
            '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" '
            'state="frozen"/></sheetView></sheetViews><sheetData>'
            + "".join(_row(number, row) for number, row in enumerate(rows, 1))
            + "</sheetData></worksheet>"
        ),
    }


def _relation(kind: str, target: str) -> str:
    return (
        f'{_HEAD}<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )


def _row(number: int, cells: Sequence[str]) -> str:
    return (
        f'<row r="{number}">'
        + "".join(
            f'<c r="{_letters(column)}{number}" t="inlineStr"><is>'
            f'<t xml:space="preserve">{_plain(cell)}</t></is></c>'
            for column, cell in enumerate(cells)
            if cell
        )
        + "</row>"
    )


def _plain(text: str) -> str:
    """Without characters that XML cannot hold."""
    return escape("".join(c for c in text if c.isprintable() or c in "\t\n"))


def _letters(column: int) -> str:
    return ("" if column < 26 else _letters(column // 26 - 1)) + chr(65 + column % 26)
