"""Files with mistakes, strategies of others, sweeps that go on, comparisons."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.statistics import difference, interval, surely_less
from fleet.rmfs.strategies.base import PROBLEMS
from fleet.rmfs.strategies.registry import Registry
from shopfloor.cli import main
from shopfloor.experiments.rmfs import files, running
from shopfloor.experiments.rmfs.sweep_file import read_sweep

ROOT = Path(__file__).resolve().parents[3]


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["rmfs", *arguments]) == 2
    return capsys.readouterr().err.splitlines()


def test_every_mistake_of_three_files_is_told_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = written(
        tmp_path / "layout.yaml",
        "robots: 8\ntop_speed_kmh: 5\npick_east: 0\nrobotz: 3\n",
    )
    scenario = written(
        tmp_path / "scenario.yaml", "mode: fil\nduration_h: soon\nskus: 10\n"
    )
    controllers = written(
        tmp_path / "controllers.yaml",
        "poa: PodMatching\nta:\n  strategy: Balanced\n  reallocation: 3\nfoo: Bar\n",
    )
    told = refusal(
        capsys,
        "run",
        *("--layout", layout),
        *("--scenario", scenario),
        *("--controllers", controllers),
    )
    told = [line.removeprefix("shopfloor: ") for line in told]
    assert f"{layout}:2: top_speed_kmh has the wrong unit; use top_speed_mps" in told
    assert f"{layout}:3: the layout has no pick station" in told
    assert f"{layout}:4: robotz is not known here; did you mean robots" in told
    assert f"{scenario}:1: mode is 'fil'; there are fill, poisson, file" in told
    assert f"{scenario}:2: duration_h is not a number" in told
    known = (
        "CommonLines, DueTime, FCFS, FastLane, Integrated, PodMatch,"
        " PodMatchFastLane, Random, Workload"
    )
    assert (
        f"{controllers}:1: poa has no strategy 'PodMatching'; there are {known}"
    ) in told
    assert any(line.startswith(f"{controllers}:2: ta Balanced has no") for line in told)
    assert any(line.startswith(f"{controllers}:5: foo is no decision") for line in told)


@pytest.mark.covers("R35", "R71", "R72")
def test_a_strategy_of_another_package_is_one_class_and_one_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "strategy"))
    points = [EntryPoint("few", "nearest_few:NearestFew", running.STRATEGIES)]
    monkeypatch.setattr(running, "entry_points", lambda group: points)
    listed = running.registry().listed()["psa"]["strategies"]["NearestFew"]
    assert listed["parameters"] == {"places": {"type": "whole number", "default": 3}}
    asked = running.prepare(settings=["psa=NearestFew", "psa.places=5"])
    record = running.run(asked, hours=0.1).record
    assert record["strategy_psa"] == "NearestFew"
    assert record["orders"] > 5
    del sys.modules["nearest_few"]


def test_a_strategy_that_cannot_be_loaded_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = [EntryPoint("gone", "not_there:Strategy", running.STRATEGIES)]
    monkeypatch.setattr(running, "entry_points", lambda group: points)
    with pytest.raises(RmfsRefused, match=r"the strategy gone .* cannot be loaded"):
        running.registry()


@pytest.mark.covers("RC1", "RC8", "RC10", "RC15")
def test_the_list_of_strategies_has_every_problem_with_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rmfs", "strategies", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed) == list(PROBLEMS)
    balanced = listed["ta"]["strategies"]["Balanced"]["parameters"]
    defaults = {name: each["default"] for name, each in balanced.items()}
    assert defaults == {
        "weight_input": 1.0,
        "weight_output": 2.0,
        "weight_repositioning": 0.0,
        "reallocation_s": 30.0,
        "robots_per_station": 9,
        "prefer_same_tier": True,
    }
    assert {"Random", "SamePod"} <= set(listed["roa"]["strategies"])


@pytest.mark.covers("R1", "R2", "R54", "R58", "R73", "R74", "R75", "RC18", "RC21")
def test_a_run_prints_one_object_and_writes_all_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["run", "--hours", "0.1", "--json", "--out", str(out), "--events"]
    assert main(["rmfs", *arguments, "csv"]) == 0
    record = json.loads(capsys.readouterr().out)
    named = (
        "orders_per_h items_per_h score pile_on bundles_per_h distance_km_per_h "
        "trips_per_h pick_station_idle order_turnover_s late_share collisions "
        "x_realtime"
    )
    assert set(named.split()) <= set(record)
    assert record["collisions"] == 0
    assert record["collisions_checked"] is True
    maps = {path.name for path in out.glob("heat_*.png")}
    assert len(maps) == 6
    assert {path.name for path in out.iterdir()} - maps == {
        "footprint.json",
        "footprint.csv",
        "series.csv",
        "cells.csv",
        "stock.csv",
        "popularity.svg",
        "progression.svg",
        "events.csv",
    }
    with open(out / "stock.csv", newline="", encoding="utf-8") as file:
        stock = list(csv.DictReader(file))
    assert {int(row["pod"]) for row in stock} == set(range(428))
    assert all(int(row["units"]) > 0 for row in stock)
    stands: dict[tuple[str, ...], set[str]] = {}
    for row in stock:
        if row["x"]:
            spot = (row["tier"], row["x"], row["y"])
            stands.setdefault(spot, set()).add(row["pod"])
    assert len(stands) > 400
    assert {len(pods) for pods in stands.values()} == {1}
    assert main(["rmfs", "compare", str(out), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["1-2-2-8-428"]["score"]["mean"] == record["score"]


def test_a_layout_by_drawing_tells_what_cannot_be_reached(tmp_path: Path) -> None:
    drawing = (
        "drawing: |\n  v<<<<\n  v###^\n  >>>>^\nstations:\n"
        "  - {kind: pick, cells: [[0, 0, 0]]}\n"
        "  - {kind: replenishment, cells: [[0, 9, 9]]}\n"
    )
    with pytest.raises(RmfsRefused) as refused:
        files.read_layout(written(tmp_path / "a.yaml", drawing))
    assert refused.value.lines == (
        f"{tmp_path / 'a.yaml'}:7: stations[1].cells[0] is no lane (tier, x, y)",
    )
    blind = drawing.replace("[[0, 9, 9]]", "[[0, 4, 0]]").replace("v###^", "v##^^")
    with pytest.raises(RmfsRefused, match="no way leads to tier 0, x 3, y 1"):
        files.read_layout(written(tmp_path / "b.yaml", blind))


def test_what_only_shows_when_the_files_meet_is_told_at_once_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = written(tmp_path / "layout.yaml", "like: 1-1-1-4-40\npods: 900\n")
    scenario = written(
        tmp_path / "scenario.yaml",
        "initial_inventory: 0.9\nspace_least: 90\nspace_most: 95\noutages:\n"
        "  - {robot: 99, at_s: 60}\n  - {station: 50, at_s: 60}\n",
    )
    settings = ("--set", "pod_capacity=50", "--layout", layout, "--scenario", scenario)
    told = refusal(capsys, "run", *settings)
    assert [line.removeprefix("shopfloor: ") for line in told] == [
        f"{layout}:2: 900 pods need more than the 48 storage places",
        f"{scenario}:1: the inventory cannot be filled to 90%: pods hold 50, the "
        "least bundle takes 360",
        f"{scenario}:5: there is no robot 99; there are 0 to 3",
        f"{scenario}:6: there is no station 50; there are 0 to 1",
    ]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("ta.reallocation_s=0",), "ta Balanced: reallocation_s is more than 0"),
        (("pp.retry_s=0",), "pp FAR: retry_s is more than 0, not 0"),
        (("poa.release_every_s=-5",), "poa PodMatch: release_every_s is 0 or more"),
        (("pp=WHCA", "pp.step_s=0"), "pp WHCA: step_s is more than 0"),
        (("ta.robots_per_station=0",), "robots_per_station is 1 or more, not 0"),
        (("rps=Turnover", "rps.classes=0"), "rps Turnover: classes is 1 or more"),
        (("pps.scorer=Best",), "scorer is 'Best'; there are Completeable"),
        (("mm=Random", "mm.problem=nix"), "mm Random: problem is 'nix'; there are roa"),
        (("mm=Scheduled", "mm.schedule=0.5:psa=Nix"), "psa has no strategy 'Nix'"),
        (("batch_every_s=-5",), "batch_every_s is 0 or more"),
        (("batch_orders=5",), "no batch would ever come"),
        (("cell_m=inf",), "--set cell_m: 'inf' is no number"),
        (("popularity.kind=normal", "popularity.least=99"), "three sd above mean"),
        (("popularity.kind=constant", "popularity.mean=0"), "mean is more than 0"),
        (("popularity.kind=uniform", "popularity.least=-1"), "least is 0 or more"),
        (("popularity.least=500", "popularity.most=900"), "least is far above"),
        (("robots=99999",), "99999 robots find no place to start from"),
    ],
)
def test_a_value_that_no_run_could_end_with_is_refused(
    settings: tuple[str, ...], told: str
) -> None:
    with pytest.raises(RmfsRefused) as refused:
        running.prepare("1-1-1-4-40", settings=settings)
    assert told in str(refused.value)


def test_a_run_says_what_was_run_and_whether_collisions_were_looked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = ["rmfs", "run", "--layout", "1-1-1-4-40", "--hours", "0.05"]
    assert main([*run, "--seed", "3"]) == 0
    said = capsys.readouterr().out.splitlines()
    first = "1-1-1-4-40, default, default: 0.05 h, seed 3, 4 robots, 40 pods"
    assert said[0] == first
    assert [line.split()[1] for line in said if line.startswith("collisions")] == ["0"]
    assert main([*run, "--no-verify"]) == 0
    assert "collisions         not looked for" in capsys.readouterr().out


def test_intervals_and_differences_are_students() -> None:
    found = interval([1.0, 2.0, 3.0])
    assert (found.mean, round(found.half, 3)) == (2.0, 2.484)
    one, two = {0: 1.0, 1: 5.0, 2: 9.0}, {0: 2.0, 1: 6.1, 2: 9.9}
    lead = difference(one, two)
    assert lead is not None
    assert lead.mean == pytest.approx(-1.0)
    assert surely_less(one, two)
    assert not surely_less(two, one)


def test_a_comparison_says_how_sure_each_difference_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = running.run(running.prepare("1-1-1-4-40"), hours=0.02).record
    scores = {"best": (0.9, 0.8, 0.7), "near": (0.8, 0.81, 0.65), "worse": (0.4, 0.3)}
    runs = [
        {"case": case, "seed": seed, "record": {**record, "score": score}}
        for case, found in scores.items()
        for seed, score in enumerate(found)
    ]
    runs.append({"case": "once", "seed": 0, "record": {**record, "score": 0.1}})
    lines = "".join(json.dumps(run) + "\n" for run in runs)
    (tmp_path / "runs.jsonl").write_text(lines, "utf-8")
    assert main(["rmfs", "compare", str(tmp_path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Means with 95 % intervals")
    told = {line.split()[0]: line.split() for line in said[2:]}
    assert [told[case][1] for case in ("best", "near", "worse", "once")] == list("3321")
    assert " ".join(told["near"][-4:]).endswith("maybe chance")
    assert told["worse"][-1] == "sure"
    assert " ".join(told["once"][-3:]) == "-0.8, one seed"


def test_a_sweep_tells_the_mistakes_of_all_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    written(
        path,
        "hours: 1\nseds: 3\nlayout: nowhere\nset: [skus=0]\nmeasure: scoer\nvary:\n"
        "  poa:\n    - PodMatch\n    - Nonsense\n  robots: [0, 8]\n",
    )
    with pytest.raises(RmfsRefused) as refused:
        read_sweep(path)
    told = [line.removeprefix(f"{path}:") for line in refused.value.lines]
    assert [line.partition(";")[0] for line in told] == [
        "2: seds is not known here",
        "3: there is no layout 'nowhere'",
        "4: skus is more than 0",
        "5: measure is 'scoer', which no run has",
        "9: poa has no strategy 'Nonsense'",
        "10: robots is 1 or more, not 0",
    ]
    assert "did you mean seeds" in told[0]
    assert "did you mean score" in told[3]


@pytest.mark.long
def test_a_sweep_that_was_killed_goes_on(tmp_path: Path) -> None:
    path, out = tmp_path / "sweep.yaml", tmp_path / "out"
    written(path, "hours: 0.05\nseeds: 2\nvary:\n  poa: [PodMatch, FCFS]\n")
    command = [sys.executable, "-m", "shopfloor", "rmfs", "sweep", str(path)]
    command += ["--out", str(out), "--workers", "1"]

    def runs() -> list[dict[str, Any]]:
        lines = (out / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    subprocess.run(command, check=True, capture_output=True, timeout=240)
    whole = runs()
    assert len(whole) == 4
    first = json.dumps(whole[0]) + "\n"
    # As a kill leaves it: one run is there, another was cut off while it was written.
    (out / "runs.jsonl").write_text(first + json.dumps(whole[1])[:40], "utf-8")
    refused = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    subprocess.run([*command, "--resume"], check=True, capture_output=True, timeout=240)
    again = runs()
    assert again[0] == whole[0]
    known = {run["key"]: run["record"]["distance_m"] for run in whole}
    assert {run["key"]: run["record"]["distance_m"] for run in again} == known
    assert (out / "pareto.svg").is_file()


def test_two_strategies_of_one_name_are_refused() -> None:
    known = Registry()
    with pytest.raises(RmfsRefused, match="two strategies named Nearest"):
        known.add(known.find("psa", "Nearest"))


@pytest.mark.parametrize("name", ["WHCA*", "WHCAv*", "WHCAn*", "whca"])
def test_a_planner_by_its_name_elsewhere_is_told_its_name_here(name: str) -> None:
    with pytest.raises(RmfsRefused, match="Write pp=WHCA"):
        running.prepare(settings=[f"pp={name}"])


def test_a_planner_that_takes_too_long_is_refused_with_what_to_use_instead() -> None:
    with pytest.raises(RmfsRefused, match="Use pp=LaCAM or pp=WHCA"):
        running.prepare(settings=["pp=CBS"])


def test_a_planner_in_other_letters_is_told_how_it_is_written() -> None:
    with pytest.raises(RmfsRefused, match="Write pp=PIBT"):
        running.prepare(settings=["pp=pibt"])


def test_delays_that_make_no_sense_are_refused() -> None:
    settings = ["delays_per_robot_h=-1", "delay_s=0"]
    with pytest.raises(RmfsRefused) as refused:
        running.prepare(settings=settings)
    assert "delays_per_robot_h is 0 or more" in refused.value.lines
    assert "delay_s is more than 0" in refused.value.lines
