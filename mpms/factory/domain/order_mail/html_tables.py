"""HTML as lines and tables in their order, without what is quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from mpms.factory.domain.order_mail.html_tokens import EndTag, StartTag, Text, tokens
from mpms.factory.domain.order_mail.outcome import Problem, Refused
from mpms.factory.domain.order_mail.tables import Row
from mpms.factory.domain.order_mail.text import is_forward_mark

DEEPEST = 500
DEEPEST_TABLE = 20
WIDEST_SPAN = 100

_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
_UNSEEN = {"head", "script", "style", "title", "template"}
_STRUCK = {"s", "strike", "del"}
_STRUCK_STYLE = re.compile(r"text-decoration[a-z-]*\s*:[^;]*line-through", re.I)
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I
)
_BLOCKS = {
    *("address", "article", "center", "dd", "div", "dl", "dt", "footer", "form"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "p", "pre"),
    *("section", "ul", "ol", "blockquote"),
}
_LISTS = {"ul", "ol"}
_CELLS = {"td", "th"}
_QUOTES = {"gmail_quote", "yahoo_quoted", "protonmail_quote", "zmail_extra"}


@dataclass
class TableItem:
    """A table with the cells as they were written."""

    rows: list[list[_Cell]] = field(default_factory=list)

    def as_rows(self) -> list[Row]:
        """The rows by column, with the places that merged cells above reach into."""
        done: list[Row] = []
        reaching: dict[int, tuple[int, str]] = {}  # column: rows left, the text
        for cells in self.rows:
            merged = frozenset(reaching)
            texts: list[str] = []
            begun: dict[int, tuple[int, str]] = {}
            for cell in [*cells, None]:
                while len(texts) in reaching:
                    texts.append(reaching[len(texts)][1])
                if cell is None:
                    break
                if cell.rowspan > 1:
                    for column in range(len(texts), len(texts) + cell.colspan):
                        begun[column] = cell.rowspan - 1, cell.text
                texts += [cell.text, *[""] * (cell.colspan - 1)]
            left = {at: (n - 1, text) for at, (n, text) in reaching.items() if n > 1}
            reaching = left | begun
            done.append(Row(tuple(texts), merged=merged))
        return done


@dataclass
class _Cell:
    colspan: int = 1
    rowspan: int = 1
    items: list[Item] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [line for line in _all_lines(self.items) if line.strip()]

    @property
    def text(self) -> str:
        return " ".join(line.strip() for line in self.lines)


Item = str | TableItem


def read_html(html: str, is_order_table: Callable[[TableItem], bool]) -> list[Item]:
    """The lines a reader sees; tables that hold no order are read as lines."""
    reader = _Reader()
    for token in tokens(html):
        match token:
            case StartTag():
                reader.start(token)
            case EndTag():
                reader.end(token)
            case Text():
                reader.text(token.content)
    return list(_flatten(reader.finish(), is_order_table))


def strikes_out(html: str) -> bool:
    """Whether something in it is struck out, which plain text beside it cannot say."""
    found = (token for token in tokens(html) if isinstance(token, StartTag))
    return any(map(_is_struck, found))


def _is_struck(token: StartTag) -> bool:
    style = token.attributes.get("style", "")
    return token.name in _STRUCK or _STRUCK_STYLE.search(style) is not None


def _is_unseen(token: StartTag) -> bool:
    """What a reader does not see, or sees struck out."""
    style = token.attributes.get("style", "")
    return (
        token.name in _UNSEEN
        or _is_struck(token)
        or _UNSEEN_STYLE.search(style) is not None
    )


def _all_lines(items: Sequence[Item]) -> Iterator[str]:
    for item in _flatten(items, lambda table: False):
        if isinstance(item, str):
            yield item


def _flatten(
    items: Sequence[Item], is_order_table: Callable[[TableItem], bool]
) -> Iterator[Item]:
    for item in items:
        if isinstance(item, str) or is_order_table(item):
            yield item
            continue
        for row in item.rows:
            has_table = any(isinstance(i, TableItem) for c in row for i in c.items)
            if has_table or any(len(cell.lines) > 1 for cell in row):
                for cell in row:
                    yield from _flatten(cell.items, is_order_table)
            else:
                yield "\t".join(cell.text for cell in row)


class _Reader:
    """Collects lines; each quote and each cell collects its own."""

    def __init__(self) -> None:
        self._open: list[tuple[str, str, bool]] = []  # tag, what it began, unseen
        self._unseen = 0
        self._preformatted = 0
        self._collecting: list[list[Item]] = [[]]
        self._tables: list[TableItem] = []
        self._line: list[str] = []
        self._list_ended = False

    def finish(self) -> list[Item]:
        self._end_line()
        self._close_down_to(0)
        return self._collecting[0]

    def start(self, token: StartTag) -> None:
        tag, attributes = token.name, token.attributes
        if tag == "br":
            self._end_line(even_empty=True)
        if tag in _VOID:
            return
        if len(self._open) >= DEEPEST:
            raise Refused(Problem("unreadable_message", where="HTML"))
        self._close_implied(tag)
        began = ""
        classes = attributes.get("class", "").split()
        if tag == "blockquote" or not _QUOTES.isdisjoint(classes):
            began = "quote"
        elif tag == "table":
            began = "table"
        elif tag in _CELLS and self._tables:
            began = "cell"
        if began or tag in _BLOCKS:
            self._end_line()
        unseen = _is_unseen(token)
        self._open.append((tag, began, unseen))
        self._unseen += unseen
        self._preformatted += tag == "pre"
        if began == "quote":
            self._collecting.append([])
        elif began == "table":
            self._start_table()
        elif began == "cell":
            self._start_cell(attributes)
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])

    def _start_table(self) -> None:
        if len(self._tables) >= DEEPEST_TABLE:
            raise Refused(Problem("unreadable_message", where="HTML"))
        table = TableItem()
        self._collecting[-1].append(table)
        self._tables.append(table)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        table = self._tables[-1]
        if not table.rows:
            table.rows.append([])
        cell = _Cell(_span(attributes, "colspan"), _span(attributes, "rowspan"))
        table.rows[-1].append(cell)
        self._collecting.append(cell.items)

    def end(self, token: EndTag) -> None:
        tag = token.name
        walls = {"table"} if tag in {*_CELLS, "tr"} else {*_CELLS, "table"}
        at = self._innermost({tag}, walls - {tag} if tag != "table" else set())
        if at is not None:
            self._close_down_to(at)

    def _close_implied(self, tag: str) -> None:
        """Close what HTML lets a writer leave open."""
        if tag == "body":
            ends = {"head"}
        elif tag in _CELLS:
            ends = _CELLS
        elif tag == "tr":
            ends = {*_CELLS, "tr"}
        else:
            return
        while (at := self._innermost(ends, {"table"})) is not None:
            self._close_down_to(at)

    def _innermost(self, tags: set[str], walls: set[str]) -> int | None:
        """Where one of the tags was opened last, if no wall stands before it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] in tags:
                return at
            if self._open[at][0] in walls:
                return None
        return None

    def _close_down_to(self, at: int) -> None:
        while len(self._open) > at:
            tag, began, unseen = self._open.pop()
            if began or tag in _BLOCKS:
                self._end_line()
            self._unseen -= unseen
            self._preformatted -= tag == "pre"
            self._list_ended |= tag in _LISTS
            if began == "quote":
                self._end_quote(self._collecting.pop())
            elif began == "table":
                self._tables.pop()
            elif began == "cell":
                self._collecting.pop()

    def _end_quote(self, quoted: list[Item]) -> None:
        """A quote is dropped, unless it is how the program forwards a message."""
        for item in quoted:
            if not isinstance(item, str):
                return
            if item.strip():
                if is_forward_mark(item):
                    self._collecting[-1] += quoted
                return

    def text(self, data: str) -> None:
        if self._unseen:
            return
        if self._preformatted:
            *whole, rest = data.split("\n")
            for line in whole:
                self._line.append(line)
                self._end_line(even_empty=True)
            self._line.append(rest)
            return
        self._line.append(data)

    def _end_line(self, even_empty: bool = False) -> None:
        text = "".join(self._line)
        self._line.clear()
        if not self._preformatted:
            text = " ".join(word for word in _html_words(text) if word)
        if not text and not even_empty:
            return
        if self._list_ended and text:
            in_list = any(tag in _LISTS for tag, *_ in self._open)
            if not in_list:
                self._collecting[-1].append("")
            self._list_ended = False
        self._collecting[-1].append(text)


def _html_words(text: str) -> list[str]:
    """HTML collapses its own white space, but not the no-break space."""
    return text.translate(_COLLAPSING).split(" ")


_COLLAPSING = {ord(c): " " for c in "\t\n\r\f"}


def _span(attributes: dict[str, str], name: str) -> int:
    value = attributes.get(name, "").strip()
    if not value.isdecimal() or len(value) > 4:
        return 1
    return max(1, min(int(value), WIDEST_SPAN))
