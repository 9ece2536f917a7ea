"""The log of actions holds what people did and nothing that processes did."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from mpms.ports.history.audit import AuditFilter
from mpms.services.history.read_audit import ON_A_PAGE, export_audit, read_audit
from tests.support.site import Browser
from tests.support.web_admin import Office


def act(office: Office, kind: str, actor: str, **data: Any) -> None:
    with office.uow() as tx:
        tx.events.append(kind, actor=actor, data=data)


def test_machines_are_left_out(office: Office) -> None:
    for actor in ("mpms", "robot1", "warehouse", "robot.move", "adam"):
        act(office, "entered", actor)
        act(office, "instance completed", actor)
    act(office, "mail accepted", "mail")
    act(office, "cancel", "root", reason="from a shell")
    lines = read_audit(office.uow, AuditFilter()).lines
    told = [(line.kind, line.actor) for line in lines if line.actor != "test"]
    assert told == [("cancel", "root"), ("instance completed", "adam")]


def test_pages_hold_every_line_once_and_end(office: Office) -> None:
    for number in range(2 * ON_A_PAGE + 7):
        act(office, "token moved", "adam", order=f"MO-{number}")
    found: list[int] = []
    below = None
    for _ in range(10):
        page = read_audit(office.uow, AuditFilter(actor="adam"), below=below)
        found += [line.id for line in page.lines]
        below = page.below
        if below is None:
            break
    assert below is None
    assert len(found) == len(set(found)) == 2 * ON_A_PAGE + 7
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    ("query", "orders"),
    [
        ("who=sofia", ["MO-2"]),
        ("action=suspended", ["MO-1"]),
        ("thing=MO-3", ["MO-3"]),
        ("thing=100%25", []),
        ("thing=mo-2", ["MO-2"]),
        ("until=2020-01-01", []),
        ("since=2020-01-01&who=adam", ["MO-3", "MO-1"]),
        ("since=nonsense&who=adam", ["MO-3", "MO-1"]),
    ],
)
def test_the_log_is_found_by_person_action_thing_and_time(
    office: Office, admin: Browser, query: str, orders: list[str]
) -> None:
    act(office, "suspended", "adam", order="MO-1", reason="leak")
    act(office, "resumed", "sofia", order="MO-2")
    act(office, "resumed", "adam", order="MO-3")
    told = json.loads(admin.get(f"/admin/audit.json?{query}").text)
    assert [line["thing"] for line in told if line["thing"].startswith("MO")] == orders


def test_the_page_shows_old_new_and_reason(office: Office, admin: Browser) -> None:
    act(
        office,
        "person changed",
        "sofia",
        login="ana",
        old={"role": "worker"},
        new={"role": "viewer"},
        reason="<b>retires</b>",
    )
    page = admin.get("/admin/audit").text
    assert "role: worker → viewer" in page
    assert "&lt;b&gt;retires&lt;/b&gt;" in page
    assert "changed a person" in page


def test_the_file_for_spreadsheets_holds_all_and_no_formula(
    office: Office, admin: Browser
) -> None:
    for number in range(1100):
        act(office, "token moved", "adam", order=f"MO-{number}", reason="=1+1")
    text = admin.get("/admin/audit.csv?action=token moved").text
    rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff"))))
    assert len(rows) == 1101
    assert rows[1][5] == "'=1+1"
    assert len(list(export_audit(office.uow, AuditFilter(kind="token moved")))) == 1100
    assert office.told("log of actions fetched")[0][0] == "adam"


def test_the_newest_lines_come_from_an_index(office: Office) -> None:
    office.rows(
        "INSERT INTO events (kind, actor, data) SELECT 'left', 'mpms', '{}'"
        " FROM generate_series(1, 20000)"
    )
    office.rows("ANALYZE events")
    plan = office.rows(
        "EXPLAIN SELECT id FROM events WHERE kind NOT IN ("
        "'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',"
        "'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',"
        "'robot chosen', 'robot released', 'robot state')"
        " ORDER BY at DESC, id DESC LIMIT 50"
    )
    assert "events_of_people" in str(plan)
