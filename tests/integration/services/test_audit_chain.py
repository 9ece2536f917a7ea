"""What people did stays provable when somebody changes, deletes or retains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mpms.domain.history.audit_chain import ChainHead
from mpms.domain.people.people import Role
from mpms.services.history.chain_audit import (
    ChainAudit,
    ChainUnreadable,
    export_chain,
    verify_audit,
    verify_export,
)
from tests.support.site import Site


@pytest.fixture
def plant(database_url: str) -> Any:
    with Site(database_url) as plant:
        plant.person("ada", Role.ADMIN)
        yield plant


def written(plant: Site, *actions: tuple[str, str]) -> None:
    """Lines of the history, and what the worker makes of them."""
    for kind, actor in actions:
        with plant.uow() as tx:
            tx.events.append(kind, actor=actor, data={"login": "wil", "weight": 1.5})
    chain = ChainAudit(plant.uow)
    while chain():
        pass


def texts(plant: Site) -> list[tuple[Any, ...]]:
    return plant.rows(
        "SELECT text::json ->> 'kind', text::json ->> 'actor' FROM audit_chain"
        " ORDER BY number"
    )


THREE = (("PIN changed", "ada"), ("badge changed", "ada"), ("person enabled", "cli"))


def test_what_people_did_is_chained_once_and_what_machines_did_is_not(
    plant: Site,
) -> None:
    written(plant, THREE[0], ("entered", "process"), ("instance started", "mpms"))
    written(plant, *THREE[1:], ("instance started", "ada"))
    assert texts(plant) == [
        ("PIN changed", "ada"),
        ("badge changed", "ada"),
        ("person enabled", "cli"),
        ("instance started", "ada"),
    ]
    check = verify_audit(plant.uow)
    assert (check.fault, check.head.number) == (None, 4)


def test_the_chain_stays_when_the_history_is_deleted(plant: Site) -> None:
    written(plant, *THREE)
    plant.rows("SET mpms.deletes_history = 'on'; DELETE FROM events")
    assert verify_audit(plant.uow).head.number == 3
    assert verify_audit(plant.uow).fault is None


def tampered(plant: Site, statement: str) -> str | None:
    """What is found after somebody with all rights has done this."""
    plant.rows(
        "ALTER TABLE audit_chain DISABLE TRIGGER ALL;"
        "ALTER TABLE events DISABLE TRIGGER ALL;"
        f"{statement};"
        "ALTER TABLE audit_chain ENABLE TRIGGER ALL;"
        "ALTER TABLE events ENABLE TRIGGER ALL"
    )
    return verify_audit(plant.uow).fault


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "UPDATE audit_chain SET text = replace(text, 'ada', 'eve')"
            " WHERE number = 2",
            "line 2 is not as it was written",
        ),
        ("DELETE FROM audit_chain WHERE number = 2", "line 2 is missing"),
        ("DELETE FROM audit_chain WHERE number = 1", "line 1 is missing"),
        (
            "UPDATE events SET actor = 'eve' WHERE kind = 'badge changed'",
            "line 2: the history says something else",
        ),
    ],
)
def test_who_can_write_to_the_database_is_found_out(
    plant: Site, statement: str, fault: str
) -> None:
    written(plant, *THREE)
    assert tampered(plant, statement) == fault


def test_lines_that_are_gone_from_the_end_are_missed_by_a_noted_one(
    plant: Site,
) -> None:
    written(plant, *THREE)
    noted = verify_audit(plant.uow).head
    assert verify_audit(plant.uow, noted).fault is None
    assert tampered(plant, "DELETE FROM audit_chain WHERE number = 3") is None
    assert verify_audit(plant.uow, noted).fault == (
        "the log ends at line 2; line 3 was noted before"
    )
    other = ChainHead(2, "f" * 64)
    assert "is not the one that was noted" in str(verify_audit(plant.uow, other).fault)


def test_nobody_changes_a_line_by_mistake(plant: Site) -> None:
    written(plant, *THREE)
    for statement in ("DELETE FROM audit_chain", "TRUNCATE audit_chain"):
        with pytest.raises(Exception, match="append-only"):
            plant.rows(statement)


def test_an_export_is_verified_without_a_database(plant: Site, tmp_path: Path) -> None:
    written(plant, *THREE)
    lines = list(export_chain(plant.uow))
    check = verify_export(lines)
    assert (check.fault, check.head) == (None, verify_audit(plant.uow).head)
    changed = [lines[0], lines[1].replace("badge", "PIN"), lines[2]]
    assert verify_export(changed).fault == "line 2 is not as it was written"
    assert verify_export([lines[0], lines[2]]).fault == "line 2 is missing"
    with pytest.raises(ChainUnreadable):
        verify_export(["no log"])
