"""Any bytes give an outcome; any order written down is read back the same."""

import base64
import csv
import html
import io
import json
import quopri
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import (
    CODES,
    Catalogue,
    DraftLine,
    Outcome,
    RememberedMail,
    Senders,
    write_reply,
)
from mpms.factory.domain.order_mail.reading import read_order_mail, read_unguarded

DATA = Path(__file__).resolve().parents[2] / "data"
CATALOGUE = Catalogue.from_json((DATA / "orders" / "catalogue.json").read_bytes())
SENDERS = Senders.from_json((DATA / "orders" / "senders.json").read_bytes())
SAMPLES = [
    path.read_bytes()
    for directory in ("orders", "orders_more")
    for path in sorted((DATA / directory).glob("*.eml"))
]
EDGES = [b"", b"\0", b"\r", b"\n", b"(", b'"', b"<", b"--", b"=?", b"\xff", b";", b":"]


def calm(examples: int) -> settings:
    """The same examples every time, on however slow a machine."""
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
        ],
    )


def read(raw: bytes) -> Outcome:
    """Read with and without the guard, so that no fault of ours hides behind it."""
    outcome = read_order_mail(
        raw, CATALOGUE, SENDERS, RememberedMail(), read_workbook=read_workbook
    )
    assert outcome == read_unguarded(
        raw, CATALOGUE, SENDERS, (), len(raw), read_workbook
    )
    return outcome


def is_sound(outcome: Outcome) -> bool:
    """What every outcome must keep, whatever it was read from."""
    accepted = outcome.outcome == "accepted"
    assert accepted == (outcome.order is not None) == (outcome.reply == "confirmation")
    assert accepted or outcome.reasons
    assert set(outcome.codes) <= set(CODES)
    if outcome.order is not None:
        assert outcome.trusted
        assert outcome.order.lines
        assert all(line.kg > 0 for line in outcome.order.lines)
    reply = write_reply(outcome)
    assert (reply is None) == (outcome.reply == "none")
    if reply is not None:
        # What cannot be stored or sent as UTF-8 must not get this far.
        (reply.subject + reply.body + outcome.language).encode()
        fields = [reply.to, reply.subject, *(value for _, value in reply.headers)]
        assert all(field.isprintable() for field in fields)
    return True


@calm(100)
@given(st.binary(max_size=2000))
def test_any_bytes_give_an_outcome(raw: bytes) -> None:
    assert is_sound(read(raw))


@calm(100)
@given(body=st.binary(max_size=1500), kind=st.sampled_from(["plain", "html", "csv"]))
def test_any_body_of_a_trusted_sender_gives_an_outcome(
    body: bytes, kind: str, build: Callable[..., bytes]
) -> None:
    assert is_sound(read(build(body, content_type=f"text/{kind}")))


@calm(120)
@given(
    sample=st.integers(0, len(SAMPLES) - 1),
    edits=st.lists(
        st.tuples(
            st.floats(0, 1), st.integers(0, 40), st.sampled_from(EDGES) | st.binary()
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_a_damaged_sample_gives_an_outcome(
    sample: int, edits: list[tuple[float, int, bytes]]
) -> None:
    raw = SAMPLES[sample]
    for place, removed, inserted in edits:
        at = int(place * len(raw))
        raw = raw[:at] + inserted + raw[at + removed :]
    assert is_sound(read(raw))


@dataclass(frozen=True)
class Written:
    """An order to write down."""

    number: str
    product: str
    due: date
    priority: str
    lines: tuple[tuple[str, DraftLine], ...]  # how the material is called


WORDS = {
    "en": ("Order", "Product", "Due", "Priority", "Materials"),
    "es": ("Pedido", "Producto", "Entrega", "Prioridad", "Materiales"),
    "de": ("Auftrag", "Produkt", "Liefertermin", "Priorität", "Rohstoffe"),
    "tr": ("Sipariş no", "Ürün", "Teslim tarihi", "Öncelik", "Malzemeler"),
}
COLUMNS = {
    "en": ("Material", "Quantity", "Unit", "Lot"),
    "es": ("Materia prima", "Cantidad", "Unidad", "Lote"),
    "de": ("Rohstoff", "Menge", "Einheit", "Charge"),
    "tr": ("Malzeme", "Miktar", "Birim", "Parti"),
}
PRIORITIES = {
    "en": ("low", "normal", "high", "urgent"),
    "es": ("baja", "normal", "alta", "urgente"),
    "de": ("niedrig", "normal", "hoch", "dringend"),
    "tr": ("düşük", "normal", "yüksek", "acil"),
}
ENGLISH = PRIORITIES["en"]
BUYERS = {".": "orders@brightcoat.example.com", ",": "einkauf@nordfarben.example.org"}

plain_words = st.text(
    st.characters(categories=["Lu", "Ll", "Nd", "Sc"], include_characters="<>&'\"()%"),
    min_size=1,
    max_size=12,
)


@st.composite
def lines(draw: st.DrawFn, with_lots: bool) -> tuple[str, DraftLine]:
    material = draw(st.sampled_from(CATALOGUE.materials))
    called = draw(
        st.sampled_from(
            [
                material.code,
                material.name,
                *material.aliases,
                f"{material.code} {material.name}",
            ]
        )
    )
    grams = draw(st.integers(1, int(material.max_kg * 1000)))
    lot = draw(st.none() | st.from_regex(r"[A-Z]{1,3}-[0-9]{1,5}", fullmatch=True))
    kg = Decimal(grams).scaleb(-3)
    line = DraftLine(material.code, material.name, kg, lot if with_lots else None)
    return called, line


@st.composite
def orders(draw: st.DrawFn, with_lots: bool = True) -> Written:
    return Written(
        number=f"MO-{draw(st.integers(1000, 9999))}-{draw(st.integers(1000, 9999))}",
        product=" ".join(draw(st.lists(plain_words, min_size=1, max_size=4))),
        due=draw(st.dates(date(2020, 1, 1), date(2099, 12, 31))),
        priority=draw(st.sampled_from(ENGLISH)),
        lines=tuple(draw(st.lists(lines(with_lots), min_size=1, max_size=8))),
    )


def amount(kg: Decimal, decimal_sign: str, style: int) -> str:
    """A weight as this sender's people write it: with groups or without."""
    group = {0: "", 1: "." if decimal_sign == "," else ",", 2: "'"}[style]
    return f"{kg:,f}".replace(",", "g").replace(".", decimal_sign).replace("g", group)


def dated(due: date, style: int) -> str:
    return [
        due.isoformat(),
        f"{due.day}.{due.month}.{due.year}",
        f"{due.day:02}/{due.month:02}/{due.year}",
    ][style]


def key_lines(order: Written, language: str, style: int) -> list[tuple[str, str]]:
    priority = PRIORITIES[language][ENGLISH.index(order.priority)]
    values = (order.number, order.product, dated(order.due, style), priority)
    return list(zip(WORDS[language][:4], values, strict=True))


def rows_of(
    order: Written, language: str, decimal_sign: str, style: int
) -> list[list[str]]:
    rows = [list(COLUMNS[language])]
    for called, line in order.lines:
        rows.append(
            [called, amount(line.kg, decimal_sign, style), "kg", line.lot or ""]
        )
    return rows


def assert_same(outcome: Outcome, order: Written) -> None:
    assert outcome.order is not None, outcome.reasons
    read_back = outcome.order
    assert (read_back.number, read_back.product) == (order.number, order.product)
    assert (read_back.due, read_back.priority) == (order.due, order.priority)
    assert read_back.lines == tuple(line for _, line in order.lines)


languages = st.sampled_from(sorted(WORDS))
signs = st.sampled_from([".", ","])
styles = st.integers(0, 2)


@calm(60)
@given(
    order=orders(with_lots=False),
    language=languages,
    sign=signs,
    style=styles,
    amount_first=st.booleans(),
    encoded=st.booleans(),
)
def test_an_order_written_as_text_reads_back_equal(
    order: Written,
    language: str,
    sign: str,
    style: int,
    amount_first: bool,
    encoded: bool,
    build: Callable[..., bytes],
) -> None:
    text = [f"{key}: {value}" for key, value in key_lines(order, language, style)]
    text += ["", f"{WORDS[language][4]}:"]
    for called, line in order.lines:
        kg = f"{amount(line.kg, sign, style)} kg"
        text.append(f"- {kg} {called}" if amount_first else f"- {called}: {kg}")
    body = "\r\n".join([*text, "", "Bye"]).encode()
    extra = ""
    if encoded:
        body = base64.encodebytes(body)
        extra = "Content-Transfer-Encoding: base64\r\n"
    assert_same(read(build(body, sender=BUYERS[sign], subject="x", extra=extra)), order)


@calm(40)
@given(order=orders(), language=languages, sign=signs, style=styles)
def test_an_order_written_as_html_reads_back_equal(
    order: Written, language: str, sign: str, style: int, build: Callable[..., bytes]
) -> None:
    keys = "".join(
        f"<p>{key}: {html.escape(value)}</p>\n"
        for key, value in key_lines(order, language, style)
    )
    table = "".join(
        "<tr>" + "".join(f"<td><p>{html.escape(c)}</p></td>" for c in row) + "</tr>\n"
        for row in rows_of(order, language, sign, style)
    )
    page = f"<html><body>{keys}<table>{table}</table></body></html>"
    raw = build(
        quopri.encodestring(page.encode()),
        sender=BUYERS[sign],
        subject="x",
        content_type="text/html; charset=utf-8",
        extra="Content-Transfer-Encoding: quoted-printable\r\n",
    )
    assert_same(read(raw), order)


@calm(40)
@given(
    order=orders(),
    language=languages,
    sign=signs,
    style=styles,
    delimiter=st.sampled_from(";,\t"),
)
def test_an_order_written_as_csv_reads_back_equal(
    order: Written,
    language: str,
    sign: str,
    style: int,
    delimiter: str,
    with_file: Callable[..., bytes],
) -> None:
    page = io.StringIO()
    writer = csv.writer(page, delimiter=delimiter)
    writer.writerows(key_lines(order, language, style))
    writer.writerows(rows_of(order, language, sign, style))
    content = page.getvalue().encode("utf-8-sig")
    raw = with_file(content, "o.csv", sender=BUYERS[sign], subject="x")
    assert_same(read(raw), order)


@calm(40)
@given(order=orders(), language=languages, sign=signs)
def test_an_order_written_as_a_workbook_reads_back_equal(
    order: Written,
    language: str,
    sign: str,
    with_file: Callable[..., bytes],
    workbook: Callable[..., bytes],
) -> None:
    rows: list[list[object]] = [list(pair) for pair in key_lines(order, language, 0)]
    rows += [[], list(COLUMNS[language])]
    for called, line in order.lines:
        rows.append([called, line.kg, "kg", line.lot or ""])
    raw = with_file(workbook(rows), "o.xlsx", sender=BUYERS[sign], subject="x")
    assert_same(read(raw), order)


@calm(40)
@given(order=orders(), as_text=st.booleans())
def test_an_order_written_as_json_reads_back_equal(
    order: Written, as_text: bool, with_file: Callable[..., bytes]
) -> None:
    content = {
        "order": order.number,
        "product": order.product,
        "due": order.due.isoformat(),
        "priority": order.priority,
        "lines": [
            {
                "material": called,
                "amount": str(line.kg) if as_text else float(line.kg),
                "unit": "kg",
                "lot": line.lot,
            }
            for called, line in order.lines
        ],
    }
    raw = with_file(
        json.dumps(content).encode(),
        "o.json",
        sender="buyer@harbourpaints.example.org",
        subject="x",
    )
    assert_same(read(raw), order)


@pytest.mark.parametrize("style", [0, 1, 2])
def test_the_writer_writes_what_people_write(style: int) -> None:
    written = amount(Decimal("1250.500"), ",", style)
    assert written == ("1250,500", "1.250,500", "1'250,500")[style]
