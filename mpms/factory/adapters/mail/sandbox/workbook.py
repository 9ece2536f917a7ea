"""The first sheet of an XLSX workbook, read by calamine after it was measured.

Calamine unpacks what it is given and makes room for every cell between the first and
the last one: a file of a few hundred bytes may ask for 500 GB. So the archive is
measured and packed anew first, and the sheet's extent is bounded. Calamine does not
tell which rows are hidden and which cells hold an error: those rows are doubtful.
"""

from __future__ import annotations

import io
import math
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from xml.etree import ElementTree

from python_calamine import CalamineError, CalamineWorkbook

from mpms.factory.domain.order_mail.tables import Cell, Row, as_text

LARGEST_MEMBER = 10 << 20
LARGEST_TOTAL = 40 << 20
LARGEST_LIST = 1 << 20  # of sheets or relations
MOST_MEMBERS = 500
MOST_CELLS = 200_000
LARGEST_EXTENT = 1_000_000
_PACKAGE = "_rels/.rels"
_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_NUMBER = re.compile(r"[0-9]{1,7}")
_ID = re.compile(r"\{[^}]*/relationships\}id")
_TRUE = {"1", "true"}

Found = float | str | bool | time | date | datetime | timedelta


def read_workbook(data: bytes) -> list[Row]:
    """The rows of the first sheet; ValueError if damaged or too large."""
    try:
        members = _unpack(data)
        doubtful = _measure(members[_first_sheet(members)])
        found = _cells(_pack(members))
    except (
        *(zipfile.BadZipFile, zlib.error, ElementTree.ParseError, CalamineError),
        *(EOFError, KeyError, NotImplementedError, RuntimeError, OSError),
    ) as cause:
        raise ValueError(f"no readable workbook: {cause}") from None
    return [
        Row(tuple(map(_cell, cells)), doubtful=number in doubtful)
        for number, cells in enumerate(found)
    ]


def workbook_texts(data: bytes) -> list[list[str]]:
    """The same as texts, for tables that an administrator hands in. ValueError."""
    return [[as_text(cell) for cell in row.cells] for row in read_workbook(data)]


def _unpack(data: bytes) -> dict[str, bytes]:
    """The XML members, none larger than it may be, whatever the archive says."""
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        raise ValueError("the workbook has too many members")
    members: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if sum(info.file_size for info in infos) > LARGEST_TOTAL:
            raise ValueError("unpacked, the workbook is too large")
        for info in infos:
            if info.filename.endswith((".xml", ".rels")):
                members[info.filename] = _member(archive, info)
    return members


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    plain = info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    if not plain or info.file_size > LARGEST_MEMBER:
        raise ValueError(f"{info.filename[:100]} is too large or packed unusually")
    with archive.open(info) as member:
        content = member.read(LARGEST_MEMBER + 1)
    if len(content) > LARGEST_MEMBER:
        raise ValueError(f"{info.filename[:100]} is larger than it says")
    if b"<!DOCTYPE" in content or b"\0" in content:
        raise ValueError("a document type or a wide encoding is not accepted")
    return content


def _pack(members: Mapping[str, bytes]) -> io.BytesIO:
    """The measured members alone: what calamine reads is what was measured."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    packed.seek(0)
    return packed


def _first_sheet(members: Mapping[str, bytes]) -> str:
    """The name of the member that holds the sheet which stands first."""
    targets = _related(members, "", _PACKAGE)
    workbook = targets.get("officeDocument", "")
    if not workbook.endswith(".xml"):
        raise ValueError("the file is no XLSX workbook")
    sheet = _tree(members[workbook]).find("{*}sheets/{*}sheet")
    if sheet is None:
        raise ValueError("the workbook has no sheet")
    number = next((v for key, v in sheet.items() if _ID.fullmatch(key)), "")
    directory, name = posixpath.split(workbook)
    return _related(members, directory, f"{directory}/_rels/{name}.rels")[number]


def _related(
    members: Mapping[str, bytes], directory: str, relations: str
) -> dict[str, str]:
    """The members that a file of relations names, by identifier and by kind."""
    found: dict[str, str] = {}
    for relation in _tree(members[relations]):
        target = posixpath.join("/", directory, relation.get("Target", ""))
        name = posixpath.normpath(target).lstrip("/")
        found[relation.get("Type", "").rpartition("/")[2]] = name
        found[relation.get("Id", "")] = name
    return found


def _tree(content: bytes) -> ElementTree.Element:
    if len(content) > LARGEST_LIST:
        raise ValueError("the workbook lists too much")
    return ElementTree.fromstring(content)  # noqa: S314, no document type in it


def _measure(sheet: bytes) -> set[int]:
    """The doubtful rows; ValueError if the sheet reaches too far."""
    extent = _Extent()
    parser = ElementTree.XMLParser(target=extent)  # noqa: S314, as above
    parser.feed(sheet)
    parser.close()
    return extent.doubtful


class _Extent:
    """Counts rows and cells while the sheet is parsed, and keeps none of it."""

    def __init__(self) -> None:
        self.doubtful: set[int] = set()
        self._cells = 0
        self._row = self._column = -1
        self._lowest = self._widest = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if name == "row":
            stated = attributes.get("r", "")
            self._row = int(stated) - 1 if _NUMBER.fullmatch(stated) else self._row + 1
            self._column = -1
            if attributes.get("hidden") in _TRUE:
                self.doubtful.add(self._row)
        elif name == "c":
            place = _REFERENCE.fullmatch(attributes.get("r", ""))
            row = int(place[2]) - 1 if place else self._row
            self._column = _index(place[1]) if place else self._column + 1
            if attributes.get("t") == "e":
                self.doubtful.add(row)
            self._reach(row)

    def _reach(self, row: int) -> None:
        self._cells += 1
        self._lowest = max(self._lowest, row)
        self._widest = max(self._widest, self._column)
        extent = (self._lowest + 1) * (self._widest + 1)
        if self._cells > MOST_CELLS or extent > LARGEST_EXTENT:
            raise ValueError("the sheet has too many cells or reaches too far")

    def close(self) -> None: ...


def _index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _cells(packed: io.BytesIO) -> Iterable[list[Found]]:
    try:
        with CalamineWorkbook.from_filelike(packed) as workbook:
            sheet = workbook.get_sheet_by_index(0)
            return sheet.to_python(skip_empty_area=False)
    except Exception:
        raise
    except BaseException as fault:  # a panic in Rust is no Exception
        if type(fault).__name__ != "PanicException":
            raise
        raise ValueError("calamine could not read the workbook") from None


def _cell(found: Found) -> Cell:
    if isinstance(found, str):
        return found
    if isinstance(found, bool):
        return str(int(found))
    if isinstance(found, datetime):
        return found.date().isoformat()
    if isinstance(found, date | time):
        return found.isoformat()
    if isinstance(found, timedelta):
        return str(found)
    if not math.isfinite(found):
        raise ValueError("a cell holds no number")
    return Decimal(repr(found))  # Excel stores 0.1 as 0.10000000000000001
