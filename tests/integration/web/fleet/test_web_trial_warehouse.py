"""A preset is launched from a page, its robots are commanded and watched."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from mpms.domain.people.people import Role
from mpms.factory.adapters.trial_warehouse import SimulatedWarehouse
from tests.support.waiting import until
from tests.support.warehouse_site import WarehouseSite
from tests.support.web_api import Plant

HERE = "/warehouse/trial"


@pytest.fixture
def trial() -> Iterator[SimulatedWarehouse]:
    trial = SimulatedWarehouse()
    yield trial
    trial.stop()


@pytest.mark.covers("K61", "K62", "K66")
def test_a_preset_is_launched_and_its_robots_do_what_a_person_says(
    database_url: str, trial: SimulatedWarehouse
) -> None:
    with WarehouseSite(database_url) as plant:
        leader = plant.browser(Role.SUPERVISOR, trial=trial)
        assert "None runs." in leader.get(HERE).text
        said = leader.post(f"{HERE}/launch", data={"preset": "small"})
        assert said.status_code == 303
        state = leader.get("/api/v1/warehouse/trial").json["state"]
        assert len(state["robots"]) == 2
        page = leader.get(f"{HERE}/now").text
        for shape in ("trial-robot", "trial-units", "trial-belts"):
            assert shape in page
        unit = state["storage_units"][0]
        where = {"x": str(unit["x_m"]), "y": str(unit["y_m"])}
        leader.post(f"{HERE}/command", data={"robot": "kiva1", "act": "drive"} | where)

        def robot() -> dict[str, object]:
            robots = leader.get("/api/v1/warehouse/trial").json["state"]["robots"]
            found: dict[str, object] = robots[0]
            return found

        until(
            "it is there",
            lambda: (
                robot()["x_m"] == unit["x_m"]
                and robot()["y_m"] == unit["y_m"]
                and robot()["status"] == "idle"
            ),
        )
        leader.post(f"{HERE}/command", data={"robot": "kiva1", "act": "lift"})
        until("it carries", lambda: robot()["carries"] == unit["id"])
        leader.post(f"{HERE}/launch", data={"preset": "medium"})
        state = leader.get("/api/v1/warehouse/trial").json["state"]
        assert len(state["robots"]) == 8


def test_what_cannot_be_done_is_said(
    database_url: str, trial: SimulatedWarehouse
) -> None:
    with Plant(database_url) as plant:
        plant.change(trial=trial)
        calls = plant.program(Role.SUPERVISOR)
        none = calls("POST", "/warehouse/trial/command", {"line": "mov 1 1 kiva1"})
        assert none.status_code == 422
        assert "Launch a warehouse first." in none.text
        assert calls("POST", "/warehouse/trial", {"preset": "vast"}).status_code == 422
        calls.post("/warehouse/trial", {"preset": "small"})
        for line, why in (
            ("dance kiva1", "no verb"),
            ("mov 1 1 kiva77", "kiva77"),
            ("mov 900 1 kiva1", "900"),
        ):
            refused = calls("POST", "/warehouse/trial/command", {"line": line})
            assert refused.status_code == 422
            assert why in refused.text
        worker = plant.program(Role.WORKER)
        assert worker("POST", "/warehouse/trial/end").status_code == 403
        pid = trial.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        none_runs = {"state": None}
        until("it is gone", lambda: calls("GET", HERE).json == none_runs)
        calls.post("/warehouse/trial", {"preset": "small"})
        assert calls.get("/warehouse/trial")["state"]["robots"]
        calls.post("/warehouse/trial/end")
        assert calls.get("/warehouse/trial")["state"] is None


def test_a_warehouse_at_which_nobody_looks_ends(database_url: str) -> None:
    trial = SimulatedWarehouse(idle_s=0.4)
    trial.launch("small")
    until("it has ended", lambda: trial.pid is None)
