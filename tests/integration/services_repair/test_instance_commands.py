"""``mpms instances``: every action from the command line, answers in JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from mpms import cli
from tests.support import drawings
from tests.support.repair_shop import RepairShop

Run = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def mpms(
    shop: RepairShop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Return a function that runs a command: exit code, JSON, and what it complains."""
    monkeypatch.setenv("MPMS_DATABASE_URL", shop.url)

    def run(*words: str) -> tuple[int, Any, str]:
        code = cli.main(["instances", *words])
        printed = capsys.readouterr()
        return code, json.loads(printed.out) if printed.out else None, printed.err

    return run


def test_instances_are_listed_and_shown(shop: RepairShop, mpms: Run) -> None:
    shop.deploy("p", "start a b end")
    shop.deploy("q", "start x end", x=drawings.script("x", "y = missing + 1"))
    run = shop.start("p", business_key="F-1", n=1)
    stuck = shop.start("q")
    code, found, _ = mpms("list", "--process", "p")
    assert code == 0
    assert [(i["id"], i["version"], i["key"]) for i in found] == [(run, 1, "p")]
    assert found[0]["business_key"] == "F-1"
    _, found, _ = mpms("list", "--incidents")
    assert [(i["id"], i["incidents"]) for i in found] == [(stuck, 1)]
    _, view, _ = mpms("show", run)
    assert view["variables"] == {"n": 1}
    assert [(t["element"], t["state"]) for t in view["tokens"]] == [("a", "waiting")]


def test_a_token_is_repaired_by_the_name_of_its_element(
    shop: RepairShop, mpms: Run
) -> None:
    shop.deploy("p", "start a b c end")
    run = shop.start("p")
    why = ["--reason", "the scale is broken"]
    code, view, _ = mpms("skip", run, "a", "kg=4", "colour=blue", *why)
    assert code == 0
    assert view["variables"] == {"kg": 4, "colour": "blue"}
    mpms("move", run, "b", "c", *why)
    assert shop.open(run) == ["c"]
    mpms("set", run, 'lots=["x"]', "--remove", "kg", *why)
    assert shop.variables(run) == {"lots": ["x"], "colour": "blue"}
    code, view, _ = mpms("cancel-activity", run, "c", *why)
    assert (code, view["status"]) == (0, "cancelled")
    code, view, _ = mpms("restart", run, "b", "--set", "kg=5", *why)
    assert (code, view["restarted_from"]) == (0, run)
    assert view["variables"]["kg"] == 5
    mpms("cancel", view["id"], *why)
    assert shop.status(view["id"]) == "cancelled"


def test_a_refusal_is_one_sentence(shop: RepairShop, mpms: Run) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p")
    before = shop.dump()
    code, _, said = mpms("move", run, "a", "nowhere", "--reason", "x")
    assert code == 1
    assert "no element 'nowhere' in version 1 of the process 'p'" in said
    code, _, said = mpms("skip", run, "b", "--reason", "x")
    assert (code, "No live task is at 'b'" in said) == (1, True)
    code, _, said = mpms("set", run, "nothing", "--reason", "x")
    assert (code, "NAME=VALUE" in said) == (1, True)
    code, _, said = mpms("skip", run, "a", "--reason", " ")
    assert (code, "Enter a reason" in said) == (1, True)
    assert shop.dump() == before


def test_instances_and_processes_stand_still_and_go_on(
    shop: RepairShop, mpms: Run
) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    code, told, _ = mpms("suspend", run, "--reason", "drill")
    assert (code, told) == (0, {"done": [run], "failed": {}})
    code, told, _ = mpms("suspend", run, "--reason", "drill")
    assert code == 1
    assert "suspended by" in told["failed"][run]
    _, found, _ = mpms("list", "--suspended")
    assert found[0]["suspended"]["reason"] == "drill"
    mpms("resume", run)
    code, told, _ = mpms(
        "suspend", "--process", "p", "--with-instances", "--reason", "drill"
    )
    assert (code, told["instances"]) == (0, 1)
    code, told, _ = mpms("resume", "--process", "p", "--with-instances")
    assert (code, told["instances"]) == (0, 1)


def test_incidents_are_retried_by_number_or_by_filter(
    shop: RepairShop, mpms: Run
) -> None:
    shop.deploy("q", "start x b end", x=drawings.script("x", "y = missing + 1"))
    first, second = shop.start("q"), shop.start("q")
    (number, _) = (i.id for i in shop.incidents())
    for run in (first, second):
        mpms("set", run, "missing=1", "--reason", "forgotten")
    code, told, _ = mpms("retry", str(number), "--reason", "mended")
    assert (code, told) == (0, {"retried": [number], "failed": {}})
    code, told, _ = mpms("retry", "--kind", "stuck", "--reason", "mended")
    assert (code, [r["instance_id"] for r in told]) == (0, [second])
    assert shop.incidents() == []
    code, told, _ = mpms("retry", str(number), "--reason", "again")
    assert (code, list(told["failed"])) == (1, [str(number)])


def test_instances_are_migrated_after_the_plan_is_seen(
    shop: RepairShop, mpms: Run
) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    shop.deploy("p", "start weigh end")
    code, plan, _ = mpms("migrate", "p", "--to", "2", "--plan")
    assert code == 1
    assert "not in the new version" in plan[0]["obstacles"][0]
    rename = ["--rename", "a=weigh"]
    code, plan, _ = mpms("migrate", "p", "--to", "2", "--plan", *rename)
    assert (code, plan[0]["can_go"]) == (0, True)
    code, told, _ = mpms("migrate", "p", "--to", "2", *rename, "--reason", "v2")
    assert (code, told) == (0, [{"instance_id": run, "error": None}])
    assert shop.open(run) == ["weigh"]


def test_old_history_is_counted_and_deleted(shop: RepairShop, mpms: Run) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    shop.answer(run, "a")
    shop.rows("UPDATE instances SET ended_at = now() - interval '40 days'")
    code, told, _ = mpms("purge", "--older-than", "30", "--dry-run")
    assert (code, told["instances"], told["dry_run"]) == (0, 1, True)
    code, told, said = mpms("purge", "--older-than", "30")
    assert (code, told) == (1, None)
    assert "Enter a reason" in said
    code, told, _ = mpms("purge", "--older-than", "30", "--reason", "rules")
    assert (code, told["instances"]) == (0, 1)
    assert shop.rows("SELECT count(*) FROM instances") == [(0,)]
