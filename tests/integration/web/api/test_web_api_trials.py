"""Trying files of one's own: by whom, and what it takes from everybody else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from mpms.adapters.postgres.database.connections import Connections
from mpms.bootstrap.trials import ChildTrials
from mpms.domain.errors import DatabaseAway, ServerBusy
from mpms.domain.instances.steps import Variables
from mpms.domain.models.decision_sheets import Decided
from mpms.domain.people.people import Role
from mpms.engine.runner import SpiffEngine
from mpms.ports.engine import Decisions
from tests.support.web_api import Plant

DMN = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"
    id="d" name="d" namespace="urn:d"><decision id="size" name="size">
    <variable id="v" name="size"/>
    <literalExpression id="e"><text>{text}</text></literalExpression>
    </decision></definitions>"""
TABLE = DMN.format(text='"small"')
SLOW = DMN.format(text="for i in 1..9000 return matches(x, &quot;(a*)*b&quot;)")


class Watched(SpiffEngine):
    """Says how many connections are lent while something is tried."""

    def __init__(self, plant: Plant) -> None:
        super().__init__()
        self._plant = plant
        self.lent: list[int] = []

    def decide(
        self,
        xml: bytes,
        key: str,
        variables: Variables,
        *,
        now: datetime,
        decisions: Decisions | None = None,
    ) -> Decided:
        self.lent.append(self._plant.services.connections._lent)
        return super().decide(xml, key, variables, now=now, decisions=decisions)


@pytest.fixture
def trials() -> Iterator[ChildTrials]:
    made = ChildTrials({})
    yield made
    made.close()


def test_a_viewer_tries_what_is_deployed_and_no_file_of_his_own(plant: Plant) -> None:
    plant.deploy_files({"size.dmn": TABLE.encode()})
    viewer = plant.program(Role.VIEWER)
    path = "/decisions/size/try"
    assert viewer.post(path, {"variables": {}})["outputs"] == {"size": "small"}
    for where, body in (
        (path, {"content": TABLE}),
        ("/models/lint", {"files": {"size.dmn": TABLE}}),
        ("/decisions/size/rules", {"content": TABLE, "rules": []}),
    ):
        assert viewer("POST", where, body).status_code == 403


def test_nobody_holds_a_connection_while_a_file_is_tried(plant: Plant) -> None:
    watched = Watched(plant)
    plant.change(trials=watched)
    plant.deploy_files({"size.dmn": TABLE.encode()})
    admin = plant.program(Role.ADMIN)
    admin.post("/decisions/size/try", {"content": TABLE}, key="once")
    assert watched.lent == [0]


def test_a_file_that_is_tried_in_a_child_gives_the_same(
    plant: Plant, trials: ChildTrials
) -> None:
    plant.change(trials=trials)
    plant.deploy_files({"size.dmn": TABLE.encode()})
    admin = plant.program(Role.ADMIN)
    tried = admin.post("/decisions/size/try", {"content": TABLE})
    assert tried["outputs"] == {"size": "small"}
    slow = admin.post(
        "/decisions/size/try",
        {"content": SLOW, "variables": {"x": "a" * 50_000}},
    )
    assert "steps" in slow["error"] or "too long" in slow["error"]


def test_too_many_at_once_are_told_to_come_back(plant: Plant) -> None:
    class Taken(SpiffEngine):
        def sheets(self, xml: bytes) -> Any:
            raise ServerBusy

    plant.change(trials=Taken())
    plant.deploy_files({"size.dmn": TABLE.encode()})
    told = plant.program(Role.ADMIN)("POST", "/decisions/size/try", {})
    assert told.status_code == 503
    assert told.json["type"].endswith("#problem-server-busy")


SECRET_PLACE = 'connection to server on socket "/run/secret/.s.PGSQL.5432" failed'


@pytest.mark.parametrize(
    "path", ["/api/v1/instances", "/engine-rest/version", "/v2/topology", "/cockpit"]
)
def test_a_database_that_is_away_is_told_without_naming_files(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    secret = plant.token(Role.ADMIN).secret
    plant.person("vera", Role.VIEWER)
    browser = plant.browser_of("vera")

    def away(self: Connections) -> None:
        raise DatabaseAway(SECRET_PLACE)

    plant.app()
    monkeypatch.setattr(Connections, "_borrow", away)
    headers = {} if path == "/cockpit" else {"Authorization": f"Bearer {secret}"}
    told = browser.get(path, headers=headers)
    assert told.status_code == 503
    assert "/run/secret" not in told.text
    assert told.headers["Retry-After"]


def test_a_one_time_password_opens_nothing_to_read(plant: Plant) -> None:
    plant.person("nora", Role.ADMIN)
    browser = plant.browser_of("nora")
    with plant.uow() as tx:
        tx.people.set_password_once("nora", True)
    for path in ("/api/v1/instances", "/api/v1/people", "/events", "/cockpit"):
        told = browser.get(path)
        assert told.status_code in (303, 401, 403), path
        assert "nora" not in told.text
