"""What a person reads in a buyer's list without thinking of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.factory.domain.order_mail import Outcome

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
HTML = "text/html; charset=utf-8"


def table(*rows: str) -> str:
    """Cells parted by bars; ``2>text`` is two columns wide."""
    made = ""
    for row in rows:
        cells = (cell.partition(">") for cell in row.split("|"))
        made += "<tr>" + "".join(
            f"<td colspan={wide}>{text}</td>" if mark else f"<td>{wide}</td>"
            for wide, mark, text in cells
        )
    return f"<table>{made}</table>"


@pytest.mark.parametrize(
    "body",
    [
        "Materials:\n1 Water 310 kg\n2. Talc 20 kg\n",
        "Materials:\nPos. 1: Water 310 kg\nPos. 2: Talc 20 kg\n",
        "Materials:\nWater 310 kg\nTalc 20 kg\n----------\nTotal: 330 kg\n",
        "Code\tQty (kg)\nRM-001\t310\nRM-014\t20\n",
        "Code    Qty    Unit\nRM-001  310    kg\n\nRM-014  20     kg\n\nBye\n",
    ],
)
def test_positions_rules_and_totals_of_a_text_are_no_materials(
    body: str, build: Build, read: Read
) -> None:
    order = read(build(body)).order
    assert order is not None
    assert [(n.material, f"{n.kg:f}") for n in order.lines] == [
        ("RM-001", "310.000"),
        ("RM-014", "20.000"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ("Material|Qty (bags)|Qty (kg)", "Water|3|75"),
        ("Item|Material|Qty|Unit|Price|Amount", "1|Water|75|kg|2|150"),
        ("Code|2>Quantity|Note", "|kg|l|", "RM-001|75||x"),
        ("2>Order of November|", "Code|kg|Note", "RM-001|75|x", "Total|75|"),
        ("Code|Weight|UM", "RM-001|kg 75|", "|75|kg"),
    ],
)
def test_a_heading_is_understood_by_what_stands_beside_it(
    rows: tuple[str, ...], build: Build, read: Read
) -> None:
    order = read(build(table(*rows), content_type=HTML)).order
    assert order is not None
    assert [(n.material, f"{n.kg:f}") for n in order.lines] == [("RM-001", "75.000")]


def test_a_cell_that_is_not_understood_is_named_by_row_and_heading(
    build: Build, read: Read
) -> None:
    rows = ("Pos|Code|Order qty|Unit", "1|RM-001|5|kg", "2|RM-002|1O|kg")
    (reason,) = read(build(table(*rows), content_type=HTML)).reasons
    assert (reason.code, reason.where) == (
        "bad_number",
        "#2 2 | RM-002 | 1O | kg [Order qty]",
    )


UNIT = "Code|Material|Qty|Unit"


@pytest.mark.parametrize(
    "body",
    [
        table(UNIT, "RM-001|Water|310|kg", 'RM-014|Talc|20|"'),
        table(UNIT, "RM-001|Water|310|kg", "RM-014|Talc|20|do."),
        table(UNIT, "RM-001|Water|310|kg", "RM-014|Talc|20|-\u2033-"),
        table(UNIT, "RM-001|Water|310|kg", UNIT, "RM-014|Talc|20|kg"),
        table(UNIT, "RM-001|Water|310|kg") + "<p>p. 2</p>" + table(UNIT, "|Talc|20|kg"),
        table(UNIT, "RM-001|Water|310|kg") + table("Item|Qty|Unit", "Pallet|2|pcs"),
        table(UNIT, "RM-001|Water|310|kg", "4>Deliver to gate 3, 24 h before"),
        table(UNIT, "|Liquids||", "|Water|310|kg", "|Fillers||", "|Talc|20|kg"),
        "<table><tr><td>Code<td>kg<tr><td>RM-001<td><s>300</s> 310<tr>"
        "<td><del>RM-002</del><td><span style='text-decoration: line-through'>5</span>"
        "</table>",
        table("Réf.|Désignation|Qté|Unité", "RM-001|Eau|310|kilogrammes"),
        table("Codice|Descrizione|Quantità|UM", "RM-001|Acqua|310|kg", "||310|Totale"),
        table("Artikelcode|Omschrijving|Aantal|Eenheid", "RM-001|Water|310|kg"),
        table("Código|Descrição|Qtd.|Un.", "RM-001|Água|310|kg"),
        table("Kod|Nazwa|Ilość|J.m.", "RM-001|Woda|310|kg", "|Razem|310|kg"),
        table("Code|Bags|kg/bag|Total (kg)", "RM-001|31|10|310"),
        "<table><tr><td>Code<td>Lot<td>Menge in kg<tr><td rowspan=2>RM-001<td>A<td>300"
        "<tr><td>B<td>10</table>",
        "<span style='display:none'>Materials:</span>" + table(UNIT, "RM-001||310|kg"),
    ],
)
def test_odd_tables_are_read_as_a_person_reads_them(
    body: str, build: Build, read: Read
) -> None:
    outcome = read(build(body, content_type=HTML))
    assert outcome.order is not None, outcome.reasons
    kg = {"RM-001": 0.0, "RM-014": 0.0}
    for line in outcome.order.lines:
        kg[line.material] += float(line.kg)
    assert kg == {"RM-001": 310, "RM-014": 20 if "Talc" in body else 0}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (table(UNIT, 'RM-001|Water|310|"'), '#1 RM-001 | Water | 310 | "'),
        (table(UNIT, "RM-001||310|kg", "|Additive X||kg"), "#2 Additive X | kg"),
        (
            table(UNIT, "RM-001||310|kg") + "<p>Sorry, please make that 300 kg.</p>",
            "Sorry, please make that 300 kg.",
        ),
        (
            table(UNIT, "RM-001||310|kg") + table("Pos|Code|kg", "1|RM-014|20"),
            "#0 Pos | Code | kg",
        ),
    ],
)
def test_what_an_odd_table_leaves_open_is_named(
    body: str, where: str, build: Build, read: Read
) -> None:
    outcome = read(build(body, content_type=HTML))
    assert outcome.order is None
    assert where in {reason.where.partition(" [")[0] for reason in outcome.reasons}


@pytest.mark.parametrize(
    "remark",
    [
        "Correction: RM-014 Talc 25 kg instead of 20 kg",
        "Bitte RM-014 doch streichen.",
        "Por favor, 25 kg en lugar de 20.",
        "RM-014 yerine RM-015 olacak",
        "RM-002 Titanium dioxide 12 kg",
    ],
)
def test_a_change_below_the_list_is_never_passed_over(
    remark: str, build: Build, read: Read
) -> None:
    listed = "Materials:\nWater 5 kg\nTalc 20 kg\n\n"
    (reason,) = read(build(f"{listed}{remark}\n\nRegards\nJane\n")).reasons
    assert (reason.code, reason.where) == ("bad_line", remark)
    # What the letter says after its end, and what an older one said, is no change.
    older = f"{listed}Kind regards\nJane\n{remark}\n"
    assert read(build(older)).order is not None
    quoted = f"{listed}Le 2 novembre 2026, Jane a écrit :\n{remark}\n"
    assert read(build(quoted)).order is not None


def test_a_change_beside_a_file_is_never_passed_over(
    with_file: Build, read: Read
) -> None:
    csv = b"Code;Qty;Unit\r\nRM-001;5;kg\r\n"
    said = "RM-001 should be 8 kg instead of 5."
    (reason,) = read(with_file(csv, "order.csv", text=said)).reasons
    assert (reason.code, reason.where) == ("bad_line", said)
    assert read(with_file(csv, "order.csv", text="5 kg of RM-001 as usual")).order


def test_what_is_struck_out_is_not_read_from_the_plain_text_beside_it(
    build: Build, read: Read
) -> None:
    plain = "Materials:\nWater 5 kg\nTalc 20 kg\n"
    html = "<p>Materials:<br>Water 5 kg<br><s>Talc 20 kg</s></p>"
    parts = "".join(
        f"--b\nContent-Type: text/{kind}; charset=utf-8\n\n{text}\n"
        for kind, text in (("plain", plain), ("html", html))
    )
    mail = build(f"{parts}--b--\n", content_type="multipart/alternative; boundary=b")
    order = read(mail).order
    assert order is not None
    assert [line.material for line in order.lines] == ["RM-001"]


def test_materials_without_a_heading_are_named_in_the_refusal(
    build: Build, read: Read
) -> None:
    (reason,) = read(build("We need the following:\n\nRM-001 Water 5 kg\n")).reasons
    assert (reason.code, reason.where) == ("no_lines", "RM-001 Water 5 kg")
