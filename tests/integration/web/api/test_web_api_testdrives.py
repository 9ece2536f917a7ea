"""Test-drives by the API."""

from __future__ import annotations

import time

from mpms.bootstrap.testdrive_child import ChildDrives
from mpms.settings import Settings
from tests.support.web_api import Plant

PATIENCE_S = 120.0


def test_a_program_begins_a_test_drive_and_reads_its_report(plant: Plant) -> None:
    plant.deploy()
    plant.change(drives=ChildDrives(Settings.read({}), plant.url))
    leader = plant.program("supervisor")
    asked = {"process": "papers", "orders": "20", "seeds": 2, "people": 2}
    begun = leader.post("/testdrives", asked)
    give_up_at = time.monotonic() + PATIENCE_S
    while (told := leader.get(f"/testdrives/{begun['id']}"))["running"]:
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
    assert (told["refused"], told["done"], told["of"]) == (None, 40, 40)
    report = told["report"]
    assert report["orders"] == {"count": 20, "source": "generated"}
    assert report["new"]["figures"]["ended_share"]["mean"] == 1.0
    assert [step["name"] for step in report["times"]] == ["Look", "Print", "File"]


def test_what_is_wrong_is_said_at_once(plant: Plant) -> None:
    leader = plant.program("supervisor")
    answer = leader("POST", "/testdrives", {"process": "papers", "orders": "fortnight"})
    assert answer.status_code == 422
    assert "fortnight" in answer.text
    unknown = leader("GET", "/testdrives/00000000-0000-4000-8000-000000000000")
    assert unknown.status_code == 404
    assert plant.program("viewer")("POST", "/testdrives", {}).status_code == 403
