"""The first sheet of an XLSX workbook, bounded before anything is unpacked.

Common readers unpack first and ask later: a 470 kB file costs them a gigabyte. Only
the four members an order needs are read here, and no document type is accepted.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from xml.parsers import expat

from mpms.domain.order_mail.tables import Cell, Row

LARGEST_MEMBER = 10 << 20
LARGEST_TOTAL = 40 << 20
MOST_MEMBERS = 500
MOST_CELLS = 200_000
WIDEST = 200
_DATE_FORMATS = {*range(14, 18), 22, *range(27, 37), *range(50, 59)}
_QUOTED_IN_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}")
_EPOCH, _EPOCH_1904 = date(1899, 12, 30), date(1904, 1, 1)

Start = Callable[[str, Mapping[str, str]], None]


def read_xlsx(data: bytes) -> list[Row]:
    """The rows of the first sheet; ValueError if damaged or too large."""
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        raise ValueError("the workbook has too many members")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(_Members(archive))
    except (
        *(zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, KeyError),
        *(NotImplementedError, RuntimeError, OSError, InvalidOperation),
        OverflowError,
    ) as cause:
        raise ValueError(f"no readable workbook: {cause}") from None


class _Members:
    """The archive's members, each unpacked at most once and never past its limit."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        infos = archive.infolist()
        total = sum(info.file_size for info in infos)
        if total > LARGEST_TOTAL:
            raise ValueError("unpacked, the workbook is too large")
        self._archive = archive
        self._infos = {info.filename: info for info in infos}

    def read(self, name: str) -> bytes | None:
        info = self._infos.get(name)
        if info is None:
            return None
        plain = info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if not plain or info.file_size > LARGEST_MEMBER:
            raise ValueError(f"{name[:100]} is too large or packed unusually")
        with self._archive.open(info) as member:
            content = member.read(LARGEST_MEMBER + 1)
        if len(content) > LARGEST_MEMBER:
            raise ValueError(f"{name[:100]} is larger than it says")
        return content


def _read(members: _Members) -> list[Row]:
    workbook = _Workbook()
    workbook.parse(members.read("xl/workbook.xml"))
    relations = _Relations()
    relations.parse(members.read("xl/_rels/workbook.xml.rels"))
    target = relations.targets.get(workbook.first_sheet)
    if target is None:
        raise ValueError("the workbook has no sheet")
    strings, styles = _Strings(), _Styles()
    if shared := members.read("xl/sharedStrings.xml"):
        strings.parse(shared)
    if styled := members.read("xl/styles.xml"):
        styles.parse(styled)
    path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    sheet = _Sheet(strings.texts, styles.date_styles(), workbook.starts_1904)
    sheet.parse(members.read(posixpath.normpath(path)))
    return sheet.finished()


class _Xml:
    """Expat with everything refused that could fetch, expand or recurse."""

    def parse(self, content: bytes | None) -> None:
        if content is None:
            raise ValueError("a member of the workbook is missing")
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.StartElementHandler = lambda name, attributes: self.start(
            name.rpartition(" ")[2],
            {key.rpartition(" ")[2]: value for key, value in attributes.items()},
        )
        parser.EndElementHandler = lambda name: self.end(name.rpartition(" ")[2])
        parser.CharacterDataHandler = self.text
        parser.Parse(content, True)

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


def _refuse_doctype(*_: object) -> None:
    raise ValueError("a document type is not accepted")


class _Workbook(_Xml):
    def __init__(self) -> None:
        self.first_sheet = ""
        self.starts_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet" and not self.first_sheet:
            self.first_sheet = attributes.get("id", "")
        elif name == "workbookPr":
            self.starts_1904 = attributes.get("date1904") in {"1", "true"}


class _Relations(_Xml):
    def __init__(self) -> None:
        self.targets: dict[str, str] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("Type", "").endswith("/worksheet"):
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")


class _Strings(_Xml):
    def __init__(self) -> None:
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._in_text = False
        self._phonetic = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "si":
            self._pieces = []
        self._in_text = name == "t"
        self._phonetic += name == "rPh"

    def end(self, name: str) -> None:
        self._in_text = False
        self._phonetic -= name == "rPh"
        if name == "si":
            self.texts.append("".join(self._pieces))

    def text(self, data: str) -> None:
        if self._in_text and not self._phonetic:
            self._pieces.append(data)


class _Styles(_Xml):
    """Which cell styles show a number as a date."""

    def __init__(self) -> None:
        self._formats: dict[str, str] = {}
        self._cells: list[str] = []
        self._in_cells = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "numFmt":
            code = attributes.get("formatCode", "")
            self._formats[attributes.get("numFmtId", "")] = code
        elif name == "xf" and self._in_cells:
            self._cells.append(attributes.get("numFmtId", "0"))
        self._in_cells = self._in_cells or name == "cellXfs"

    def end(self, name: str) -> None:
        self._in_cells = self._in_cells and name != "cellXfs"

    def date_styles(self) -> set[str]:
        return {str(i) for i, number in enumerate(self._cells) if self._dates(number)}

    def _dates(self, number: str) -> bool:
        if number in self._formats:
            code = _QUOTED_IN_FORMAT.sub("", self._formats[number]).lower()
            return "y" in code or "d" in code
        return number.isdecimal() and int(number[:6]) in _DATE_FORMATS


class _Sheet(_Xml):
    def __init__(
        self, strings: list[str], date_styles: set[str], starts_1904: bool
    ) -> None:
        self._strings = strings
        self._date_styles = date_styles
        self._epoch = _EPOCH_1904 if starts_1904 else _EPOCH
        self._rows: list[Row] = []
        self._cells: dict[int, Cell] = {}
        self._hidden = False
        self._column = -1
        self._kind = self._style = ""
        self._pieces: list[str] = []
        self._in_value = False
        self._phonetic = 0
        self._count = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "row":
            self._cells, self._column = {}, -1
            self._hidden = attributes.get("hidden") in {"1", "true"}
        elif name == "c":
            match = _REFERENCE.fullmatch(attributes.get("r", ""))
            self._column = _index(match[1]) if match else self._column + 1
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._pieces = []
            self._count += 1
            if self._count > MOST_CELLS:
                raise ValueError("too many cells")
        self._in_value = name in {"v", "t"}
        self._phonetic += name == "rPh"

    def text(self, data: str) -> None:
        if self._in_value and not self._phonetic:
            self._pieces.append(data)

    def end(self, name: str) -> None:
        self._in_value = False
        self._phonetic -= name == "rPh"
        if name == "c" and self._column < WIDEST:
            self._cells[self._column] = self._value("".join(self._pieces))
        elif name == "row":
            width = max(self._cells, default=-1) + 1
            cells = tuple(self._cells.get(i, "") for i in range(width))
            self._rows.append(Row(cells, doubtful=self._hidden))

    def _value(self, text: str) -> Cell:
        if self._kind == "s":
            return (
                self._strings[int(text)]
                if text.isdecimal() and self._knows(text)
                else ""
            )
        if self._kind == "n" and text.strip():
            number = Decimal(text.strip())
            if not number.is_finite():
                raise ValueError("a cell holds no number")
            return self._date(number) if self._style in self._date_styles else number
        return text[:10] if self._kind == "d" else text

    def _knows(self, text: str) -> bool:
        return len(text) < 9 and int(text) < len(self._strings)

    def _date(self, serial: Decimal) -> str:
        if not 0 < serial < 2_958_466:
            return str(serial)
        return (self._epoch + timedelta(days=int(serial))).isoformat()

    def finished(self) -> list[Row]:
        return self._rows


def _index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
