"""``shopfloor plan`` prints JSON, and says in words what it cannot use."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from shopfloor import plan_command

MAP = "type octile\nheight 3\nwidth 6\nmap\n..@..@\n..@..@\n.....@\n"


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    path = tmp_path / "hall.map"
    path.write_text(MAP)
    return path


def called(*arguments: object) -> int:
    parser = argparse.ArgumentParser(prog="shopfloor")
    plan_command.add_parser(parser.add_subparsers(required=True))
    return plan_command.run(parser.parse_args(["plan", *map(str, arguments)]))


def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("method", ["auto", "lazy_theta", "a_star", "d_star_lite"])
def test_a_path_is_printed(
    method: str, hall: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--start", 0, 0, "--goal", 4, 0, "--method", method)
    assert called(hall, *options) == 0
    found = answer(capsys)
    assert found["status"] == "ok"
    assert found["points"][0] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert found["points"][-1] == pytest.approx([4.0, 0.0], abs=1e-5)
    assert 5.0 < found["length"] <= 8.0
    assert found["faults"] == []


@pytest.mark.parametrize(
    ("goal", "status"),
    [
        ((2, 0), "goal_blocked"),
        ((9, 9), "goal_outside"),
        (("nan", 0), "goal_not_finite"),
    ],
)
def test_no_path_ends_with_one_and_the_cause(
    goal: tuple[object, object],
    status: str,
    hall: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert called(hall, "--start", 0, 0, "--goal", *goal) == 1
    found = answer(capsys)
    assert found["status"] == status
    assert found["length"] is None
    assert found["points"] == []


def test_a_margin_closes_what_is_too_narrow(
    hall: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--start", 0, 0, "--goal", 4, 2)
    assert called(hall, *options) == 0
    capsys.readouterr()
    assert called(hall, *options, "--margin", 0.5) == 1
    assert answer(capsys)["status"] in ("goal_blocked", "unreachable")


def test_a_scenario_is_planned_row_by_row(
    hall: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scen = tmp_path / "hall.scen"
    scen.write_text(
        "version 1\n0 hall.map 6 3 0 0 4 0 8\n0 hall.map 6 3 1 1 0 2 1.41421\n"
    )
    assert called(hall, "--scen", scen) == 0
    found = answer(capsys)
    assert (found["queries"], found["found"], found["faulty"]) == (2, 2, 0)
    assert [row["row"] for row in found["rows"]] == [1, 2]
    assert found["rows"][0]["octile_length"] == 8.0
    scen.write_text("version 1\n0 hall.map 6 3 0 0 2 0 8\n")
    assert called(hall, "--scen", scen) == 1
    assert answer(capsys)["rows"][0]["status"] == "goal_blocked"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.map", "--start", 0, 0, "--goal", 1, 1), "cannot be read"),
        (("none.png", "--start", 0, 0, "--goal", 1, 1), "neither a .map nor a .yaml"),
        (("HALL",), "needs --start X Y and --goal X Y, or --scen FILE"),
        (("HALL", "--start", 0, 0), "needs --start X Y and --goal X Y"),
        (
            ("HALL", "--start", 0, 0, "--goal", 1, 1, "--method", "magic"),
            "there is no planner 'magic'; there are auto, lazy_theta",
        ),
        (("HALL", "--scen", "none.scen"), "none.scen cannot be read"),
        (("HALL", "--scen", "a", "--start", 0, 0), "brings its own starts"),
        (("HALL", "--start", 0, 0, "--goal", 1, 1, "--margin", -1), "a margin is 0"),
    ],
)
def test_what_cannot_be_used_ends_with_two_and_the_reason(
    arguments: tuple[object, ...],
    words: str,
    hall: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert called(*(hall if a == "HALL" else a for a in arguments)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("shopfloor: ")
    assert words in said.err
