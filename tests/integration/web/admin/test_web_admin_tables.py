"""Tables of master data: previewed, taken, refused with row and column."""

from __future__ import annotations

import io
from typing import Any

import pytest

from mpms.factory.domain.tables import rows_of, xlsx_of
from tests.support.site import Browser
from tests.support.web_admin import Office

PAGE = "/admin/places/tables"


def hand_in(admin: Browser, kind: str, name: str, content: bytes) -> Any:
    data = {"file": (io.BytesIO(content), name)}
    return admin.post(f"{PAGE}/{kind}", data=data, content_type="multipart/form-data")


def test_a_workbook_is_previewed_and_taken_with_a_reason(
    office: Office, admin: Browser
) -> None:
    rows = [["code", "name", "email"], ["S-7", "Pigments Ltd", "p@example.com"]]
    preview = hand_in(admin, "suppliers", "suppliers.xlsx", xlsx_of(rows, "suppliers"))
    assert "What would change: 1" in preview.text
    assert "Pigments Ltd" in preview.text
    assert office.rows("SELECT count(*) FROM catalogue_versions") == [(0,)]
    said = {"text": "code,name\nS-7,Pigments Ltd\n", "take": "yes"}
    assert admin.post(f"{PAGE}/suppliers", data=said).status_code == 422
    said["reason"] = "a new supplier"
    assert admin.post(f"{PAGE}/suppliers", data=said).status_code == 303
    out = admin.get(f"{PAGE}/suppliers.csv").text
    assert ["S-7", "Pigments Ltd", ""] in rows_of(out)
    assert "Table of suppliers imported" in admin.get("/admin/places/versions").text
    assert admin.get(f"{PAGE}/suppliers.xlsx").data[:2] == b"PK"
    again = hand_in(admin, "suppliers", "s.csv", out.encode())
    assert "Nothing: all of it is so already." in again.text


def test_lots_are_received_changed_and_counted_by_a_table(
    office: Office, admin: Browser
) -> None:
    text = (
        "lot;material;place;kg;state;expires_on\n"
        "W-1;RM-001;A;250,5;released;2099-01-31\nW-2;RM-002;B;10;;\n"
    )
    preview = hand_in(admin, "lots", "lots.csv", text.encode())
    assert "What would change: 2" in preview.text
    assert office.rows("SELECT count(*) FROM lots") == [(0,)]
    take = {"take": "yes", "reason": "what lay there when we began"}
    assert admin.post(f"{PAGE}/lots", data=take | {"text": text}).status_code == 303
    lots = "SELECT lot, state FROM lots ORDER BY lot"
    assert office.rows(lots) == [("W-1", "released"), ("W-2", "quarantine")]
    counted = "lot,place,kg,state\nW-1,A,249,blocked\n"
    preview = hand_in(admin, "lots", "lots.csv", counted.encode())
    assert "250.5 → 249" in preview.text
    assert admin.post(f"{PAGE}/lots", data=take | {"text": counted}).status_code == 303
    assert office.rows(lots)[0] == ("W-1", "blocked")
    kinds = "SELECT kind, grams FROM stock_moves WHERE lot = 'W-1' ORDER BY id"
    assert office.rows(kinds) == [("receive", 250_500), ("correct", -1_500)]
    out = admin.get(f"{PAGE}/lots.csv").text
    assert rows_of(out)[1][:5] == ["W-1", "RM-001", "A", "249", "blocked"]


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("lots", "lot,material,place,kg\n?,RM-9,moon,x\n", "A lot has letters"),
        ("lots", "lot,state\nW-1,ripe\n", "no state of a lot: ripe"),
        ("lots", "lot,colour\nW-1,red\n", "There is no column colour"),
        ("tanks", "place\ntank\n", "The column volume_l is missing"),
        ("materials", "code,name\nRM-001,\n", "at least one letter"),
        ("materials", "", "Choose a file"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_taken(
    office: Office, admin: Browser, kind: str, text: str, reason: str
) -> None:
    said = {"text": text, "take": "yes", "reason": "really"}
    answer = admin.post(f"{PAGE}/{kind}", data=said)
    assert answer.status_code == 422
    assert reason in answer.text
    assert office.rows("SELECT count(*) FROM catalogue_versions") == [(0,)]
    assert office.rows("SELECT count(*) FROM lots") == [(0,)]


def test_files_that_are_no_tables_are_refused_in_words(
    office: Office, admin: Browser
) -> None:
    assert "no workbook" in hand_in(admin, "lots", "l.xlsx", b"PK\3\4broken").text
    assert "must be UTF-8" in hand_in(admin, "lots", "l.csv", b"\xff\xfe\x00").text
    assert "larger than 2 MB" in hand_in(admin, "lots", "l.csv", b"a" * 2_000_001).text
    assert admin.post(f"{PAGE}/planets", data={}).status_code == 404
    assert office.browser_of("sofia").get(PAGE).status_code == 403
