"""Who gets through which alley, as a table that says why not."""

import csv
import io
from pathlib import Path

import pytest
from PIL import Image

from fleet.bodies.file import load_vehicle
from fleet.bodies.passability import (
    COLUMNS,
    TableWrong,
    Trial,
    as_csv,
    from_csv,
    least_width_m,
    short_reason,
)
from shopfloor.cli import main
from shopfloor.streets.alley import Alley
from shopfloor.streets.passability import try_alley
from shopfloor.vehicles.errors import PlannerUnknown


@pytest.mark.covers("Z34")
def test_who_fails_in_a_narrow_alley_says_where_and_touches_nothing() -> None:
    zebrat = load_vehicle("zebrat")
    narrow = try_alley(Alley(1.0, shortcut_m=0.0), zebrat, "a_star+dwa")
    assert not narrow.passed
    assert narrow.why.startswith("stuck at 7.")
    assert narrow.contacts == 0
    for planner in ("a_star+dwa", "hybrid+teb"):
        wider = try_alley(Alley(1.2, shortcut_m=0.0), zebrat, planner)
        assert wider.passed, wider.why
        assert wider.through == "alley"


@pytest.mark.covers("Z35")
def test_a_car_is_too_wide_and_an_indoor_robot_takes_the_gap() -> None:
    alley = Alley(1.2)
    car = try_alley(alley, load_vehicle("car"), "hybrid+teb")
    assert not car.passed
    assert "as wide as it is" in car.why
    indoor = try_alley(alley, load_vehicle("indoor"), "hybrid+teb")
    assert indoor.passed, indoor.why
    assert indoor.through == "gap"


def test_the_same_seed_gives_the_same_drive() -> None:
    alley, zebrat = Alley(1.6), load_vehicle("zebrat")
    one, again = (try_alley(alley, zebrat, "a_star+mppi", 3) for _ in range(2))
    assert one == again
    assert one != try_alley(alley, zebrat, "a_star+mppi", 4)


def trial(width_m: float, seed: int, why: str = "") -> Trial:
    return Trial(
        "zebrat", "hybrid+teb", width_m, seed, not why, why, "", 1.0, 1.0, 0.0, 0, 0.1
    )


def test_the_least_width_is_that_from_which_every_drive_passed() -> None:
    found = [
        trial(0.9, 0, "stuck at 1.0, 1.0"),
        trial(1.0, 0),
        trial(1.1, 0, "stuck at 1.0, 1.0"),
        trial(1.1, 1),
        trial(1.2, 0),
        trial(1.4, 0),
    ]
    assert least_width_m(found, "hybrid+teb", "zebrat") == 1.2
    assert short_reason(found) == "stuck"
    assert short_reason([trial(1.0, 0)]) == ""


def test_the_table_has_a_row_for_each_drive() -> None:
    rows = list(csv.reader(io.StringIO(as_csv([trial(1.0, 0), trial(1.1, 0, "x")]))))
    assert rows[0] == list(COLUMNS)
    assert [row[4] for row in rows[1:]] == ["yes", "no"]


def test_the_table_is_read_again_and_every_wrong_line_named() -> None:
    drives = [trial(1.0, 0), trial(1.1, 0, "stuck, at 1.0")]
    text = as_csv(drives)
    assert from_csv(text) == drives
    assert from_csv(",".join(COLUMNS)) == []
    for wrong, why in (
        ("", "columns"),
        (text.replace(",yes,", ",maybe,"), "line 2: passed is 'maybe'"),
        (text.replace("1.1", "wide"), "line 3: could not convert"),
        (text + "zebrat\n", "line 4"),
    ):
        with pytest.raises(TableWrong, match=why):
            from_csv(wrong)


@pytest.mark.covers("Z34", "Z35")
def test_the_command_writes_table_and_picture_and_tells_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "who"
    asked = ["--vehicles", "zebrat,car", "--planners", "a_star+dwa", "--out", str(out)]
    assert main(["passability", *asked, "--widths", "1.6"]) == 0
    said = capsys.readouterr()
    assert '"drives": 2, "passed": 1' in said.out
    assert "1 of 2: zebrat a_star+dwa 1.6 m" in said.err
    rows = list(csv.DictReader(out.with_suffix(".csv").open()))
    assert [(r["vehicle"], r["passed"]) for r in rows] == [
        ("zebrat", "yes"),
        ("car", "no"),
    ]
    with Image.open(out.with_suffix(".png")) as picture:
        assert picture.width > 500


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["--planners", "rrt+dwa"], "there is no planner 'rrt+dwa'; there are a_star"),
        (["--widths", "1,wide"], "'wide' is no width in metres"),
        (["--widths", "9"], "does not fit between the houses"),
        (["--widths", "nan"], "wider than 0 m"),
        (["--vehicles", "tank"], "there is no vehicle 'tank'; there are car"),
    ],
)
def test_what_does_not_exist_is_named_before_the_first_drive(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    reason: str,
) -> None:
    assert main(["passability", *asked, "--out", str(tmp_path / "who")]) == 2
    assert reason in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_planner_is_a_pair() -> None:
    with pytest.raises(PlannerUnknown, match=r"hybrid\+teb"):
        try_alley(Alley(), load_vehicle("zebrat"), "teb")
