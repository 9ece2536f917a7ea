"""HTML as lines and tables in their order, without what is quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from mpms.domain.order_mail.outcome import Problem, Refused
from mpms.domain.order_mail.tables import Row
from mpms.domain.order_mail.text import is_forward_mark

DEEPEST = 500
DEEPEST_TABLE = 20
WIDEST_SPAN = 100

_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
_UNSEEN = {"head", "script", "style", "title", "template", "noscript"}
_BLOCKS = {
    *("address", "article", "center", "dd", "div", "dl", "dt", "footer", "form"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "p", "pre"),
    *("section", "ul", "ol", "blockquote"),
}
_LISTS = {"ul", "ol"}


@dataclass
class TableItem:
    """A table with the cells as they were written."""

    rows: list[list[_Cell]] = field(default_factory=list)

    def as_rows(self) -> list[Row]:
        """The rows by column; a row that a merged cell reaches into is doubtful."""
        done: list[Row] = []
        reaching: dict[int, int] = {}
        for cells in self.rows:
            doubtful = any(count > 0 for count in reaching.values())
            reaching = {i: n - 1 for i, n in reaching.items() if n > 1}
            texts: list[str] = []
            for cell in cells:
                if cell.rowspan > 1:
                    reaching[len(texts)] = cell.rowspan - 1
                texts += [cell.text, *[""] * (cell.colspan - 1)]
            done.append(Row(tuple(texts), doubtful))
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
    parser = _Reader()
    parser.feed(html)
    parser.close()
    return list(_flatten(parser.finish(), is_order_table))


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


class _Reader(HTMLParser):
    """Collects lines; each quote and each cell collects its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool]] = []  # tag, begins a quote
        self._unseen = 0
        self._preformatted = 0
        self._collecting: list[list[Item]] = [[]]
        self._tables: list[TableItem] = []
        self._line: list[str] = []
        self._list_ended = False

    def finish(self) -> list[Item]:
        self._end_line()
        while self._open:
            self._close(*self._open.pop())
        return self._collecting[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._end_line(even_empty=True)
        if tag in _VOID:
            return
        if len(self._open) >= DEEPEST:
            raise Refused(Problem("unreadable_message", where="HTML"))
        if tag in {"td", "th", "tr"}:
            self._close_implied({"td", "th"} if tag != "tr" else {"td", "th", "tr"})
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        quotes = tag == "blockquote" or "gmail_quote" in classes
        if tag in _BLOCKS or quotes or tag in {"table", "tr", "td", "th"}:
            self._end_line()
        self._open.append((tag, quotes))
        self._unseen += tag in _UNSEEN
        self._preformatted += tag == "pre"
        if quotes:
            self._collecting.append([])
        elif tag == "table":
            self._start_table()
        elif tag == "tr" and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"td", "th"} and self._tables:
            self._start_cell(attributes)

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

    def handle_endtag(self, tag: str) -> None:
        if not any(open_tag == tag for open_tag, _ in self._open):
            return
        inside = {"td", "th"} if tag not in {"td", "th", "tr", "table"} else set()
        for open_tag, _ in reversed(self._open):
            if open_tag == tag:
                break
            if open_tag in inside:
                return  # a stray end tag must not end the cell around it
        while True:
            open_tag, quotes = self._open.pop()
            self._close(open_tag, quotes)
            if open_tag == tag:
                return

    def _close_implied(self, tags: set[str]) -> None:
        while self._open and self._open[-1][0] in tags | {"p", "span", "font", "b"}:
            if not any(tag in tags for tag, _ in self._open):
                return
            self._close(*self._open.pop())

    def _close(self, tag: str, quotes: bool) -> None:
        if tag in _BLOCKS or quotes or tag in {"table", "tr", "td", "th"}:
            self._end_line()
        self._unseen -= tag in _UNSEEN
        self._preformatted -= tag == "pre"
        if quotes:
            quoted = self._collecting.pop()
            first = next((i for i in quoted if not isinstance(i, str) or i.strip()), "")
            if isinstance(first, str) and is_forward_mark(first):
                self._collecting[-1] += quoted
        elif tag == "table" and self._tables:
            self._tables.pop()
        elif tag in {"td", "th"} and self._tables and len(self._collecting) > 1:
            self._collecting.pop()
        if tag in _LISTS:
            self._list_ended = True

    def handle_data(self, data: str) -> None:
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
            in_list = any(tag in _LISTS for tag, _ in self._open)
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
