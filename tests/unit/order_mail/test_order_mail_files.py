"""Attachments and tables: read by their columns, refused where a line could be lost."""

import io
import json
import zipfile
from collections.abc import Callable
from decimal import Decimal

import pytest

from mpms.factory.domain.order_mail import Outcome

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
HTML = "text/html; charset=utf-8"


def lines_of(outcome: Outcome) -> list[tuple[str, str, str | None]]:
    assert outcome.order is not None, outcome.reasons
    return [(line.material, f"{line.kg}", line.lot) for line in outcome.order.lines]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_csv_is_read_with_every_delimiter(
    delimiter: str, with_file: Build, read: Read
) -> None:
    rows = [["Code", "Menge", "Unit", "Charge", "x"], ["RM-001", "5", "kg", "L1", "y"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    assert lines_of(read(with_file(text.encode(), "o.csv"))) == [
        ("RM-001", "5.000", "L1")
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("code,qty\nRM-001,5", "missing_unit"),
        ("code,qty,unit\nRM-001,5,6,kg", "bad_line"),
        ("code,qty,unit\nRM-001,,kg", "bad_number"),
        ("code,qty,unit\n,5,kg", "unknown_material"),
        ("code,qty,unit\nRM-01,5,kg", "unknown_material"),
        ('code,qty,unit\n"RM-001,5,kg', "unsupported_attachment"),
        ("code,qty,qty,unit\nRM-001,5,6,kg", "bad_line"),
        ("code,qty (g),unit\nRM-001,5,kg", "bad_line"),
        ("code,qty (gal)\nRM-001,5", "unknown_unit"),
        ("code,qty,unit\n\n,,", "no_lines"),
        ("a,b\n1,2", "no_lines"),
        ("", "no_lines"),
        ("code,qty,unit\n" + "RM-001,1,g\n" * 1500, "too_many_lines"),
    ],
)
def test_a_doubtful_table_is_refused(
    text: str, code: str, with_file: Build, read: Read
) -> None:
    assert code in read(with_file(text.encode(), "o.csv")).codes


def test_the_name_decides_where_the_code_is_the_customers_own(
    with_file: Build, read: Read
) -> None:
    text = "Artikelnummer;Bezeichnung;Menge (kg)\n4711;Wasser;5\n;Talkum;6\n"
    assert lines_of(read(with_file(text.encode(), "o.csv"))) == [
        ("RM-001", "5.000", None),
        ("RM-014", "6.000", None),
    ]


def test_the_attachments_values_win_but_not_its_number(
    with_file: Build, workbook: Build, read: Read
) -> None:
    rows = [["Due", "2026-12-01"], ["Priority", ""], ["Code", "Qty", "Unit"]]
    sheet = workbook([*rows, ["RM-001", Decimal("1.250"), "kg"]])
    text = "Due: 2026-11-01\nPriority: low\n"
    outcome = read(with_file(sheet, "o.xlsx", text=text))
    assert outcome.order is not None
    assert str(outcome.order.due) == "2026-12-01"
    assert outcome.order.priority == "low"
    assert lines_of(outcome) == [("RM-001", "1.250", None)]
    other = workbook([["Order", "MO-2026-0902"], ["Code", "Qty"], ["RM-001", "5 kg"]])
    assert read(with_file(other, "o.xlsx")).codes == ("conflicting_order_number",)


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (60 << 20))
    return packed.getvalue()


def test_a_workbook_is_measured_before_it_is_unpacked(
    with_file: Build, workbook: Build, read: Read
) -> None:
    entity = '<!DOCTYPE w [<!ENTITY a "aaaa">]>'
    row = ["Code", "Qty", "Unit"]
    for content in (
        bomb(),
        b"PK\x03\x04 nothing",
        b"PK\x01\x02" * 1000,
        workbook([row, ["RM-001", 5, "kg"]], doctype=entity),
        workbook([row, ["RM-001", 5, "kg"]])[:-30],
    ):
        outcome = read(with_file(content, "o.xlsx"))
        assert outcome.codes == ("unsupported_attachment",)


def test_a_member_that_lies_about_its_size_is_refused(
    with_file: Build, read: Read
) -> None:
    content = bytearray(bomb())
    true_size = (60 << 20).to_bytes(4, "little")
    assert content.count(true_size) == 2
    lying = bytes(content).replace(true_size, (1000).to_bytes(4, "little"))
    assert read(with_file(lying, "o.xlsx")).codes == ("unsupported_attachment",)


FAR_CELL = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
MANY_CELLS = "<row>" + "<c/>" * 200_001 + "</row>"
ERROR_CELL = (
    '<row r="1"><c t="str"><v>Code</v></c><c t="str"><v>Lot</v></c>'
    '<c t="str"><v>Qty (kg)</v></c></row>'
    '<row r="2"><c t="str"><v>RM-001</v></c><c t="e"><v>#REF!</v></c>'
    "<c><v>0.10000000000000001</v></c></row>"
)


@pytest.mark.parametrize(
    ("sheet", "code"),
    [
        (FAR_CELL, "unsupported_attachment"),
        (MANY_CELLS, "unsupported_attachment"),
        ('<row><c t="s"><v>7</v></c></row>', "unsupported_attachment"),
        ("<row><c><v>1e999</v></c></row>", "unsupported_attachment"),
        (ERROR_CELL, "bad_line"),
    ],
    ids=["far", "many", "unknown text", "infinite", "error"],
)
def test_a_sheet_that_reaches_too_far_or_holds_an_error_is_refused(
    sheet: str, code: str, with_file: Build, workbook: Build, read: Read
) -> None:
    outcome = read(with_file(workbook([], sheet=sheet), "o.xlsx"))
    assert outcome.codes == (code,)


def test_a_number_of_a_sheet_is_the_one_that_was_typed(
    with_file: Build, workbook: Build, read: Read
) -> None:
    sheet = workbook([], sheet=ERROR_CELL.replace('t="e"', 't="str"'))
    assert lines_of(read(with_file(sheet, "o.xlsx"))) == [("RM-001", "0.100", "#REF!")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unsupported_attachment"),
        ("[1]", "unsupported_attachment"),
        ("[" * 100_000, "unsupported_attachment"),
        ('{"order": "MO-2026-0901", "order": "x"}', "unsupported_attachment"),
        ('{"lines": [{"amount": 1e99999999999999999999}]}', "unsupported_attachment"),
        ("{}", "no_lines"),
        ('{"lines": 5}', "bad_field"),
        ('{"lines": [5]}', "bad_line"),
        ('{"product": [], "lines": []}', "bad_field"),
        ('{"order": 7}', "bad_order_number"),
        ('{"due": "", "lines": []}', "bad_date"),
        ('{"lines": [{"material": "RM-001", "amount": NaN}]}', "bad_number"),
        ('{"lines": [{"material": "RM-001", "amount": true}]}', "bad_number"),
        ('{"lines": [{"material": 1, "amount": 5, "unit": "kg"}]}', "bad_line"),
        ('{"lines": [{"material": "RM-001", "amount": 5}]}', "missing_unit"),
        (
            '{"lines": [{"material": "RM-001", "amount": -1e999999, "unit": "kg"}]}',
            "non_positive_amount",
        ),
    ],
)
def test_doubtful_json_is_refused(
    text: str, code: str, with_file: Build, read: Read
) -> None:
    assert code in read(with_file(text.encode(), "o.json")).codes


def test_json_numbers_are_exact_for_a_sender_without_a_profile(
    with_file: Build, read: Read
) -> None:
    lines = [{"material": "Carbon black paste", "amount": "1.250", "unit": "kg"}]
    raw = with_file(
        json.dumps({"lines": lines, "product": None}).encode(),
        "o.json",
        sender="buyer@harbourpaints.example.org",
    )
    assert lines_of(read(raw)) == [("RM-013", "1.250", None)]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (
            "<p>Materials:</p><p>Water 5 kg</p><p>Talc 6 kg</p><p>&nbsp;</p><p>Bye</p>",
            [("RM-001", "5.000", None), ("RM-014", "6.000", None)],
        ),
        (
            "Materials:<ul><li>Water 5 kg</li></ul><ul><li>Talc 6 kg</ul>Bye",
            [("RM-001", "5.000", None), ("RM-014", "6.000", None)],
        ),
        (
            "<pre>Materials:\nWater 5 kg\n\nBye</pre>",
            [("RM-001", "5.000", None)],
        ),
        (
            "<title>x</title><style>p{}</style>Materials:<br>Water&nbsp;5&nbsp;kg<br>"
            "<br>--&nbsp;<br>Materials:<br>Talc 5 kg",
            [("RM-001", "5.000", None)],
        ),
        (
            "<table><tr><td>Code<td>Qty<td>Unit<tr><td>RM-001<td>5<td>kg"
            "<tr><td>&nbsp;<td><td></table>",
            [("RM-001", "5.000", None)],
        ),
        (
            "<table><tr><td>x</td></tr></table><table><tr><th>Material</th>"
            "<th>Amount [g]</th></tr><tr><td><p>Talc</p></td><td>500</td></tr>"
            "<tr><td>Total</td><td>500</td></tr></table>"
            "<table><tr><th>Code</th><th>Qty (kg)</th></tr></table>",
            [("RM-014", "0.500", None)],
        ),
    ],
)
def test_html_is_read_as_a_person_sees_it(
    html: str, lines: list[tuple[str, str, str | None]], build: Build, read: Read
) -> None:
    assert lines_of(read(build(html, content_type=HTML))) == lines


def test_a_cell_merged_over_rows_makes_them_doubtful(build: Build, read: Read) -> None:
    html = (
        "<table><tr><th>Code</th><th>Lot</th><th>Qty (kg)</th></tr>"
        "<tr><td>RM-001</td><td rowspan=2>A</td><td>5</td></tr>"
        "<tr><td>RM-002</td><td>6</td></tr></table>"
    )
    assert read(build(html, content_type=HTML)).codes == ("bad_line",)


def test_lines_above_the_table_of_an_answered_mail_are_a_second_order(
    build: Build, read: Read
) -> None:
    table = (
        "<table><tr><th>Code</th><th>Qty (kg)</th></tr>"
        "<tr><td>RM-001</td><td>5</td></tr></table>"
    )
    answered = f"<p>Materials:</p><p>Talc 6 kg</p><p>From: x</p><p>Sent: y</p>{table}"
    assert read(build(answered, content_type=HTML)).codes == ("multiple_orders",)
    introduced = f"<p>Materials:</p><p>as in this table</p>{table}"
    outcome = read(build(introduced, content_type=HTML))
    assert lines_of(outcome) == [("RM-001", "5.000", None)]


def test_a_message_cut_off_in_the_middle_is_refused(
    with_file: Build, read: Read
) -> None:
    raw = with_file(b"code,qty,unit\nRM-001,5,kg\nRM-002,5,kg\n", "o.csv")
    assert read(raw).outcome == "accepted"
    assert read(raw.removesuffix(b"--b--\r\n")).codes == ("unreadable_message",)


@pytest.mark.parametrize(
    "parameter",
    [
        'filename="=?utf-8?B?w7YuY3N2?="',
        "filename*=UTF-8''%C3%B6.csv",
        "filename*0*=UTF-8''%C3%B6; filename*1=.csv",
        "filename=o.CSV; size=99",
    ],
)
def test_file_names_are_understood_in_every_encoding(
    parameter: str, build: Build, read: Read
) -> None:
    body = (
        "--b\nContent-Type: application/octet-stream\n"
        f"Content-Disposition: attachment; {parameter}\n\n"
        "code,qty,unit\nRM-001,5,kg\n--b--\n"
    )
    outcome = read(build(body, content_type='multipart/mixed; boundary="b"'))
    assert lines_of(outcome) == [("RM-001", "5.000", None)]


@pytest.mark.parametrize(
    "name", ["../../etc/o.csv", "..\\o.csv", "/etc/o.csv", "../../etc/passwd"]
)
def test_a_file_name_that_points_elsewhere_is_refused(
    name: str, with_file: Build, read: Read
) -> None:
    raw = with_file(b"code,qty,unit\nRM-001,5,kg\n", name.replace("\\", "\\\\"))
    assert read(raw).codes == ("unsupported_attachment",)
