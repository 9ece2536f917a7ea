"""Lines of the history are found by what they are about, few or many, by an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.adapters.postgres.history import audit
from mpms.bootstrap import Services
from mpms.domain.history.kinds import Audit, Kind, Kinds
from mpms.domain.people.people import Role
from mpms.ports.history.audit import AuditFilter
from mpms.services.history.read_audit import read_audit

ODD = 'o\'neill \\ 100% "x"'


@pytest.fixture(params=[audit.FEW, 0], ids=["few lines", "many lines"])
def services(
    database_url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Services]:
    """What is found must not depend on how it is looked for."""
    monkeypatch.setattr(audit, "FEW", request.param)
    services = bootstrap.connect(database_url)
    yield services
    services.close()


def about(services: Services, thing: str, **more: Any) -> list[Any]:
    found = read_audit(services.uow, AuditFilter(thing=thing, **more))
    return [line.data["n"] for line in found.lines]


def test_a_line_is_found_by_the_beginning_of_its_values(services: Services) -> None:
    lines: list[dict[str, Any]] = [
        {"order": "MO-2026-0042", "reason": "because of ada"},
        {"order": "MO-2026-0043", "login": "Ada"},
        {"material": ODD},
        {"big": "y" * 300},
    ]
    with services.uow() as tx:
        for number, data in enumerate(lines):
            tx.events.append("person changed", actor="ben", data=data | {"n": number})
        told = {"order": "MO-2026-0042", "n": 9}
        tx.events.append("entered", actor="ben", data=told)
    assert about(services, "MO-2026-0042") == [0]
    assert about(services, "mo-2026") == [1, 0]
    assert about(services, "ada") == [1]
    assert about(services, "2026") == []
    assert about(services, ODD) == about(services, "O'NEILL \\") == [2]
    assert about(services, "100%") == about(services, "y" * 300) == []
    assert about(services, "mo-2026", actor="ada") == []
    assert about(services, " ") == [3, 2, 1, 0]


def test_kinds_of_plug_ins_are_in_the_log_as_they_say(
    pool: Connections, queries: Queries
) -> None:
    told = {"oven lit": Audit.ALWAYS, "bell rang": Audit.BY_PEOPLE, "tick": Audit.NEVER}
    kinds = Kinds.of(Kind(name, audit=audit) for name, audit in told.items())
    uow = PostgresUnitOfWork(pool, queries, kinds=kinds)
    with uow() as tx:
        for who in ("ada", "oven"):
            for name in told:
                tx.events.append(name, actor=who, data={})
    with uow() as tx:
        tx.people.add("ada", "Ada", Role.WORKER)
    found = [(line.actor, line.kind) for line in read_audit(uow, AuditFilter()).lines]
    assert found == [("oven", "oven lit"), ("ada", "bell rang"), ("ada", "oven lit")]


def test_a_line_is_found_by_its_instance(services: Services, database_url: str) -> None:
    mine, gone = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2))
    with services.uow() as tx:
        for n, instance_id in enumerate((mine, gone)):
            data = {"n": n, "set": {}}
            tx.events.append(
                "variables set", actor="ben", instance_id=instance_id, data=data
            )
    assert about(services, mine) == [0]
    assert about(services, gone.upper()) == [1]


def test_no_line_is_refused_for_what_an_index_cannot_hold(services: Services) -> None:
    """Whoever sends strange signs must not keep an action out of the history."""
    lines: list[dict[str, Any]] = [
        {"odd": "\0"},
        {"many": "one", **{f"k{i}": f"{i:05d}" + "z" * 190 for i in range(9000)}},
        {"face": "\N{GRINNING FACE} smile", "bell": "\a"},
        {"path": "C:\\user\\u0000"},
    ]
    with services.uow() as tx:
        for number, data in enumerate(lines):
            tx.events.append("person changed", actor="ben", data=data | {"n": number})
    assert about(services, "") == [3, 2, 1, 0]
    assert about(services, "\N{GRINNING FACE}") == [2]
    assert about(services, "one") == [1]


def test_what_is_no_object_is_about_nothing(database_url: str) -> None:
    with psycopg2.connect(database_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT things_of('[1]'), things_of('{\"a\": null}')")
        assert cursor.fetchone() == ("", "")
    connection.close()
