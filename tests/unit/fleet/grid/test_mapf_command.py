"""``shopfloor mapf`` prints figures of a checked plan, or names what it cannot use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shopfloor import cli

ROOT = Path(__file__).resolve().parents[4]
MAP = "type octile\nheight 3\nwidth 5\nmap\n.....\n@.@@.\n.....\n"
HALL = ".........\n" * 3 + "@@@...@@@\n" * 3 + ".........\n" * 3
ROWS = [(0, 0, 4, 0), (4, 0, 0, 0), (0, 2, 4, 2)]


def scenario(rows: list[tuple[int, int, int, int]], size: str = "5\t3") -> str:
    lines = ["version 1"]
    lines += [f"0\tbay.map\t{size}\t{a}\t{b}\t{c}\t{d}\t1.0" for a, b, c, d in rows]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bay.map").write_text(MAP)
    (tmp_path / "bay.scen").write_text(scenario(ROWS))
    return tmp_path


def called(
    folder: Path, capsys: pytest.CaptureFixture[str], *more: str, agents: int = 3
) -> tuple[int, Any, str]:
    arguments = ["mapf", str(folder / "bay.map"), "--scen", str(folder / "bay.scen")]
    code = cli.main([*arguments, "--agents", str(agents), *more])
    said = capsys.readouterr()
    return code, json.loads(said.out) if said.out else None, said.err


@pytest.mark.parametrize("planner", ["pibt", "lacam"])
def test_the_figures_of_a_plan_are_printed(
    planner: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = called(folder, capsys, "--planner", planner)
    assert code == 0
    assert answer["solved"] is answer["valid"] is True
    assert (answer["planner"], answer["agents"]) == (planner, 3)
    assert answer["lower_bound"] == 12
    assert 12 < answer["sum_of_costs"] <= 3 * answer["makespan"]
    assert answer["time_ms"] > 0
    assert answer["faults"] == []


def test_with_a_time_limit_the_first_plan_is_made_better_until_then(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bay.map").write_text(f"type octile\nheight 9\nwidth 9\nmap\n{HALL}")
    rows = [(x, y, 8 - x, 8 - y) for y in (0, 2, 6, 8) for x in (0, 1, 2, 6, 7, 8)]
    (folder / "bay.scen").write_text(scenario(rows, "9\t9"))
    more = ("--time-limit-s", "0.3", "--no-rings")
    code, answer, _ = called(folder, capsys, *more, agents=24)
    first = answer["first"]
    assert (code, answer["valid"], first["valid"]) == (0, True, True)
    assert answer["lower_bound"] <= answer["sum_of_costs"] < first["sum_of_costs"]
    assert first["time_ms"] < answer["time_ms"]
    assert "first" not in called(folder, capsys, agents=24)[1]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_of_any_system_are_read_and_empty_lines_passed_over(
    end: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in ("bay.map", "bay.scen"):
        text = (folder / file).read_text() + "\n"
        (folder / file).write_bytes(text.replace("\n", end).encode())
    assert called(folder, capsys)[0] == 0


def test_whca_is_the_third_planner(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = called(folder, capsys, "--planner", "whca", agents=1)
    assert (code, answer["sum_of_costs"], answer["valid"]) == (0, 4, True)


def test_a_plan_that_does_not_exist_ends_with_one_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bay.map").write_text("type octile\nheight 1\nwidth 4\nmap\n....\n")
    rows = [(0, 0, 3, 0), (3, 0, 0, 0)]
    (folder / "bay.scen").write_text(scenario(rows, "4\t1"))
    code, answer, _ = called(folder, capsys, agents=2)
    assert (code, answer["solved"], answer["valid"]) == (1, False, None)
    assert answer["why_not"] == "no plan exists"
    assert answer["sum_of_costs"] is answer["makespan"] is None


@pytest.mark.parametrize(
    ("rows", "agents", "more", "named"),
    [
        (
            [(0, 0, 4, 0), (0, 0, 4, 2)],
            2,
            (),
            ":3: robots 0 and 1 have the same start",
        ),
        (
            [(0, 0, 4, 0), (0, 2, 4, 0)],
            2,
            (),
            ":3: robots 0 and 1 have the same goal",
        ),
        (
            [(0, 1, 4, 0)],
            1,
            (),
            ":2: the start of robot 0: cell (0, 1) is a wall",
        ),
        ([(0, 0, 2, 1)], 1, (), "the goal of robot 0: cell (2, 1) is a wall"),
        ([(0, 0, 7, 1)], 1, (), "the goal of robot 0: cell (7, 1) is outside"),
        (ROWS, 4, (), "has 3 rows, too few for 4 agents"),
        (ROWS, 0, (), "--agents is 1 or more, not 0"),
        (ROWS, 3, ("--planner", "cbs"), "no planner 'cbs', only pibt, lacam, whca"),
        (ROWS, 3, ("--time-limit-s", "0"), "--time-limit-s is more than 0"),
        (ROWS, 3, ("--time-limit-s", "nan"), "--time-limit-s is more than 0"),
        (ROWS, 3, ("--seed", "-1"), "--seed is 0 or more, not -1"),
        (ROWS, 3, ("--planner", "whca", "--no-rings"), "whca plans rings"),
    ],
)
def test_bad_input_is_named_and_nothing_is_printed_as_a_result(
    rows: list[tuple[int, int, int, int]],
    agents: int,
    more: tuple[str, ...],
    named: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "bay.scen").write_text(scenario(rows))
    code, answer, said = called(folder, capsys, *more, agents=agents)
    assert (code, answer) == (2, None)
    assert said.startswith("shopfloor: ")
    assert named in said


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("bay.map", "nonsense", "there is no line 'map'"),
        ("bay.map", MAP.replace("@.@@.", "@.@@"), "has 4 cells, not 5"),
        ("bay.map", MAP.replace(".", "@"), "the floor has no free cell"),
        ("bay.scen", "nonsense", "names no version"),
        ("bay.scen", "", "names no version"),
        ("bay.scen", "version 1\n", "has 0 rows, too few for 3 agents"),
        ("bay.scen", "version 1\n0\tbay.map\t5\n", "bay.scen:2 is no scenario row"),
        ("bay.scen", scenario(ROWS, "9\t9"), "for a map of 9 by 9 cells"),
    ],
)
def test_a_broken_file_is_named(
    file: str,
    text: str,
    named: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / file).write_text(text)
    code, answer, said = called(folder, capsys)
    assert (code, answer) == (2, None)
    assert named in said


@pytest.mark.parametrize("package", ["numba", "numpy"])
def test_without_the_extra_the_command_that_installs_it_is_named(package: str) -> None:
    asks = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import fleet.grid, fleet.grid.kinematics\n"
        "fleet.grid.GridTraffic\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert f"ExtraMissing: grid traffic needs {package}; install with" in last
    assert "pip install 'mpms[sim]'" in last
