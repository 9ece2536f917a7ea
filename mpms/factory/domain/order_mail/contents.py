"""Where in a message the order is, and what it says: the attachment, a table, text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mpms.factory.domain.order_mail.catalogue import Catalogue
from mpms.factory.domain.order_mail.charsets import decode
from mpms.factory.domain.order_mail.comparing import clean_text
from mpms.factory.domain.order_mail.csv_file import read_csv
from mpms.factory.domain.order_mail.fields import (
    Field,
    Fields,
    fields_in_lines,
    heading_language,
    numbers_in_subject,
    weigh_fields,
)
from mpms.factory.domain.order_mail.headers import Headers
from mpms.factory.domain.order_mail.html_tables import (
    Item,
    TableItem,
    read_html,
    strikes_out,
)
from mpms.factory.domain.order_mail.json_file import read_json
from mpms.factory.domain.order_mail.materials import (
    Line,
    find_material,
    is_material_line,
    lines_in_block,
    read_lines,
)
from mpms.factory.domain.order_mail.message import (
    LONGEST_FILE,
    LONGEST_TEXT,
    Part,
    leaf_parts,
)
from mpms.factory.domain.order_mail.numbers import known_unit
from mpms.factory.domain.order_mail.outcome import (
    DraftLine,
    OrderDraft,
    Problem,
    Refused,
)
from mpms.factory.domain.order_mail.reasons import choose_language
from mpms.factory.domain.order_mail.recipes import expand_recipe
from mpms.factory.domain.order_mail.remarks import (
    closes_a_letter,
    corrects,
    names_an_amount,
)
from mpms.factory.domain.order_mail.senders import Sender
from mpms.factory.domain.order_mail.tables import (
    ReadWorkbook,
    Row,
    as_text,
    fields_in_cells,
    find_header,
    lines_in_table,
    no_workbook,
)
from mpms.factory.domain.order_mail.text import (
    OwnText,
    begins_an_answered_mail,
    own_text,
    unflow,
    without_bold,
)
from mpms.factory.domain.order_mail.text_tables import table_in_text


@dataclass(frozen=True)
class Contents:
    """The order, or the problems that stand in its way."""

    order: OrderDraft | None
    problems: tuple[Problem, ...]
    language: str
    number: str | None


@dataclass
class _Stated:
    """What the places of a message state, collected until it can be weighed."""

    fields: list[Field] = field(default_factory=list)
    lines: list[Line | Problem] | None = None  # None: nobody stated any
    problems: list[Problem] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    exact: bool = False  # numbers in the fields are JSON's
    without_heading: str = ""  # a line that reads as a material, below no heading


@dataclass(frozen=True)
class _Bodies:
    """The message's text in the forms it came in; None where there is none."""

    plain: OwnText[str] | None
    html: OwnText[Item] | None
    struck_out: bool = False  # plain text cannot say what is struck out

    @property
    def text(self) -> OwnText[str]:
        """The plain text, or the HTML read as text if there is none."""
        if self.plain is not None and not (self.struck_out and self.html is not None):
            return self.plain
        if self.html is None:
            return OwnText(())
        forwarded = self.html.forwarded
        return OwnText(
            tuple(_as_lines(self.html.own)),
            None if forwarded is None else tuple(_as_lines(forwarded)),
        )


def read_contents(
    raw: bytes,
    headers: Headers,
    body_at: int,
    catalogue: Catalogue,
    sender: Sender,
    read_workbook: ReadWorkbook = no_workbook,
) -> Contents:
    """Read a trusted sender's message; Refused where its form alone rules it out."""
    subjects = headers.texts("subject")
    parts = leaf_parts(headers, raw, body_at)
    for part in parts:
        if part.has_unsafe_name:
            shown = clean_text(part.filename, 80)
            raise Refused(Problem("unsupported_attachment", shown))
    bodies = _bodies(parts)
    files = [part for part in parts if part.kind]
    if len(files) > 1:
        names = ", ".join(clean_text(part.filename, 60) for part in files)
        raise Refused(Problem("multiple_orders", names))
    stated = _Stated(fields=numbers_in_subject(" \n ".join(subjects)))
    if files:
        _read_file(files[0], bodies, sender, stated, read_workbook)
        _read_remarks(bodies.text.own, catalogue, sender, stated, below=False)
    else:
        _read_bodies(bodies, catalogue, sender, stated)
        if stated.lines is None:
            stated.without_heading = _without_heading(bodies, catalogue, sender)
    unread = any(part.is_unread_file for part in parts)
    return _conclude(stated, catalogue, sender, unread)


def _conclude(
    stated: _Stated, catalogue: Catalogue, sender: Sender, unread: bool
) -> Contents:
    problems = list(stated.problems)
    fields = weigh_fields(stated.fields, problems)
    lines: tuple[DraftLine, ...] = ()
    product, recipe_name, batch = fields.product, None, None
    if stated.lines:
        lines = read_lines(stated.lines, catalogue, problems)
    elif fields.recipes and not stated.problems:
        recipe, lines = expand_recipe(
            fields, catalogue, sender.decimal, problems, exact=stated.exact
        )
        if recipe is not None:
            product, recipe_name = product or recipe.name, recipe.name
            batch = clean_text(fields.batches[0], 60)
    elif not stated.problems:
        none = "unsupported_attachment" if unread else "no_lines"
        problems.append(Problem(none, stated.without_heading))
    languages = [*stated.languages, *(found.language for found in stated.fields)]
    language = choose_language(languages)
    if problems or fields.number is None:
        return Contents(None, tuple(problems), language, fields.number)
    order = _draft(fields, lines, product, recipe_name, batch)
    used = catalogue.recipe(recipe_name or product or "")
    if used is not None:
        order = replace(order, recipe_version=used.version, recipe_digest=used.digest)
    return Contents(order, (), language, fields.number)


def _draft(
    fields: Fields,
    lines: tuple[DraftLine, ...],
    product: str | None,
    recipe: str | None,
    batch: str | None,
) -> OrderDraft:
    return OrderDraft(
        number=fields.number or "",
        lines=lines,
        sender="",
        product=product,
        due=fields.due,
        priority=fields.priority,
        recipe=recipe,
        batch=batch,
    )


def _read_file(
    part: Part,
    bodies: _Bodies,
    sender: Sender,
    stated: _Stated,
    read_workbook: ReadWorkbook,
) -> None:
    text = bodies.text
    _read_fields(text.own, stated)
    if text.forwarded is not None and not _has_heading(text.own):
        if not sender.may_forward:
            stated.problems.append(Problem("forward_not_allowed"))
        else:
            _read_fields(text.forwarded, stated)
    try:
        if part.kind == "json":
            order = read_json(_text_of(part))
            stated.fields += order.fields
            stated.problems += order.problems
            stated.lines, stated.exact = order.lines, True
        else:
            rows = (
                read_workbook(part.data(LONGEST_FILE))
                if part.kind == "xlsx"
                else read_csv(_text_of(part))
            )
            _read_rows(rows, sender, stated)
    except ValueError:
        name = clean_text(part.filename, 80)
        stated.problems.append(Problem("unsupported_attachment", name))


def _text_of(part: Part) -> str:
    data = part.data(LONGEST_TEXT)
    return decode(data, part.content.parameters.get("charset"))


def _read_rows(rows: Sequence[Row], sender: Sender, stated: _Stated) -> None:
    header = find_header(rows)
    above = rows if header is None else rows[: header.at]
    stated.fields += fields_in_cells(above, "attachment")
    stated.lines = []
    if header is not None:
        stated.languages += header.languages
        stated.lines = lines_in_table(rows, header, sender.decimal)


def _read_bodies(
    bodies: _Bodies, catalogue: Catalogue, sender: Sender, stated: _Stated
) -> None:
    html_own = bodies.html.own if bodies.html else ()
    html_forwarded = bodies.html.forwarded if bodies.html else None
    text = bodies.text
    if _read_table(html_own, catalogue, sender, stated):
        if _lists_materials(_as_lines(html_own), catalogue, sender):
            # An answer above Outlook's copy of an older order: which one is meant?
            stated.problems.append(Problem("multiple_orders"))
        if bodies.plain is not None:
            _read_gaps(bodies.plain.own, stated)
        _read_remarks(_below_tables(html_own), catalogue, sender, stated)
        return
    if _read_text(text.own, catalogue, sender, stated):
        return
    if text.forwarded is None and html_forwarded is None:
        return
    if not sender.may_forward:
        stated.problems.append(Problem("forward_not_allowed"))
        return
    if html_forwarded is not None and _read_table(
        html_forwarded, catalogue, sender, stated
    ):
        return
    _read_text(text.forwarded or (), catalogue, sender, stated)


def _read_table(
    items: Sequence[Item], catalogue: Catalogue, sender: Sender, stated: _Stated
) -> bool:
    """Read the order table; the key lines stand outside it."""
    tables = [item for item in items if isinstance(item, TableItem)]
    if not tables:
        return False
    rows = tables[0].as_rows()
    header = find_header(rows)
    if header is None:
        return False
    above = ["\t".join(map(as_text, row.cells)) for row in rows[: header.at]]
    outside = [item for item in items if isinstance(item, str)]
    stated.fields += fields_in_lines(map(without_bold, [*outside, *above]))
    stated.languages += header.languages
    stated.lines = lines_in_table(rows, header, sender.decimal)
    for other in tables[1:]:
        more = other.as_rows()
        below = find_header(more)
        if below is None:
            continue
        lines = lines_in_table(more, below, sender.decimal)
        if not any(_is_of(line, catalogue) for line in lines):
            continue  # a list of something else, such as packaging
        if below.names == header.names:
            stated.lines += lines  # the same list goes on
        else:
            shown = more[below.at].shown(0)
            stated.problems.append(Problem("multiple_orders", shown))
    return True


def _is_of(line: Line | Problem, catalogue: Catalogue) -> bool:
    return isinstance(line, Line) and not isinstance(
        find_material(line, catalogue), Problem
    )


def _below_tables(items: Sequence[Item]) -> list[str]:
    last = max(n for n, item in enumerate(items) if isinstance(item, TableItem))
    return _as_lines(items[last + 1 :])


def _read_remarks(
    lines: Sequence[str],
    catalogue: Catalogue,
    sender: Sender,
    stated: _Stated,
    *,
    below: bool = True,
) -> None:
    """What stands below a list and orders, changes or cancels something is doubtful;
    beside a file only what changes."""
    for line in map(without_bold, lines):
        if closes_a_letter(line):
            return
        named = catalogue.names_in(line)
        changes = corrects(line) and (named or names_an_amount(line))
        orders = below and named and is_material_line(line, sender.decimal, catalogue)
        if changes or orders:
            stated.problems.append(Problem("bad_line", clean_text(line, 120)))


def _without_heading(bodies: _Bodies, catalogue: Catalogue, sender: Sender) -> str:
    """The first line that reads as a material, so that its writer sees what lacks."""
    return next(
        (
            clean_text(line, 120)
            for line in bodies.text.own
            if is_material_line(line, sender.decimal, catalogue)
        ),
        "",
    )


def _lists_materials(
    lines: Sequence[str], catalogue: Catalogue, sender: Sender
) -> bool:
    """Whether the text beside a table has material lines of its own."""
    lines = [without_bold(line) for line in lines]
    at = _heading_at(lines)
    if at is None:
        return False
    block = lines_in_block(lines[at + 1 :], sender.decimal, catalogue)
    return any(isinstance(line, Line) and known_unit(line.unit) for line in block)


def _read_gaps(lines: Sequence[str], stated: _Stated) -> None:
    """Take from the plain text what the HTML beside it leaves out."""
    known = {found.name for found in stated.fields if found.origin == "text"}
    other = _Stated()
    _read_fields(lines, other)
    stated.fields += [
        found
        for found in other.fields
        if found.name not in known or found.name == "number"
    ]


def _read_text(
    lines: Sequence[str], catalogue: Catalogue, sender: Sender, stated: _Stated
) -> bool:
    """Read key lines and, below its heading, the materials; False without one."""
    lines = [without_bold(line) for line in lines]
    _read_fields(lines, stated)
    at = _heading_at(lines)
    table = table_in_text(lines if at is None else _block(lines[at + 1 :]))
    if at is None and table is None:
        return False
    if at is None:
        at = -1
    else:
        stated.languages.append(heading_language(lines[at]) or "")
    block = lines[at + 1 :]
    if table is not None:
        stated.languages += table.header.languages
        stated.lines = lines_in_table(table.rows, table.header, sender.decimal)
        block = block[table.end :]
    else:
        stated.lines = lines_in_block(block, sender.decimal, catalogue)
        block = block[len(_block(block)) :]
    end = len(block)
    for number, line in enumerate(block):
        if begins_an_answered_mail(block, number):
            end = number
            break
        if heading_language(line):
            stated.problems.append(Problem("multiple_orders", clean_text(line, 60)))
            end = number
            break
    _read_remarks(block[:end], catalogue, sender, stated)
    return True


def _block(lines: Sequence[str]) -> Sequence[str]:
    """The lines up to the blank one that ends what stands under a heading."""
    begun = False
    for number, line in enumerate(lines):
        if begun and not line.strip():
            return lines[:number]
        begun = begun or bool(line.strip())
    return lines


def _read_fields(lines: Sequence[str], stated: _Stated) -> None:
    """The key lines above the materials heading, or all if there is none."""
    lines = [without_bold(line) for line in lines]
    at = _heading_at(lines)
    if at is None and (table := table_in_text(lines)) is not None:
        lines = [*lines[: table.at], *lines[table.end :]]
    stated.fields += fields_in_lines(lines[:at])


def _heading_at(lines: Sequence[str]) -> int | None:
    return next((n for n, line in enumerate(lines) if heading_language(line)), None)


def _has_heading(lines: Sequence[str]) -> bool:
    return _heading_at([without_bold(line) for line in lines]) is not None


def _as_lines(items: Sequence[Item]) -> list[str]:
    """Text without its tables; those that hold an order were looked at before."""
    return [item for item in items if isinstance(item, str)]


def _bodies(parts: Sequence[Part]) -> _Bodies:
    plain: list[str] = []
    html: list[Item] = []
    struck_out = False
    for part in parts:
        if part.is_body("text/plain"):
            plain += _plain_lines(part)
        elif part.is_body("text/html"):
            text = part.text()
            html += read_html(text, _is_order_table)
            struck_out = struck_out or strikes_out(text)
    return _Bodies(
        plain=own_text(plain) if any(line.strip() for line in plain) else None,
        html=own_text(html, rendered=True) if html else None,
        struck_out=struck_out,
    )


def _plain_lines(part: Part) -> list[str]:
    text = part.text()
    if part.content.parameters.get("format", "").lower() == "flowed":
        deletes = part.content.parameters.get("delsp", "").lower() == "yes"
        text = unflow(text, deletes)
    return text.split("\n")


def _is_order_table(table: TableItem) -> bool:
    return find_header(table.as_rows()) is not None
