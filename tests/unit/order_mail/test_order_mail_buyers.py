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
