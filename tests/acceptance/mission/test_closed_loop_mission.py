"""The mission of the test environment through the bridge: lasers to motors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.missions import Driven

ROOT = Path(__file__).resolve().parents[3]
SEED = 3
Missions = Callable[[int, str], Driven]


@pytest.mark.covers("A68", "A69", "A70", "A81")
def test_the_mission_touches_nothing_and_keeps_away_from_a_person_who_comes(
    missions: Missions,
) -> None:
    driven = missions(SEED, "amcl")
    assert driven.ends == ["SUCCEEDED"] * 7
    assert max(driven.missed_m) < 0.25
    robot = driven.robot
    assert driven.state["contacts"] == 0
    assert 0.2 <= robot["nearest_person_m"] < 1.0, "nobody came near: no trial"
    assert 0.0 < robot["nearest_box_m"] < 1.0, "no box was near: no trial"
    assert robot["odometer_m"] == pytest.approx(62.7, rel=0.1)

    # The record that the simulator leaves at its end says the same.
    last = json.loads(driven.recording.read_text().splitlines()[-1])["account"]
    assert last["contacts"] == 0
    assert last["robots"]["arco"]["odometer_m"] == robot["odometer_m"]
    assert last["robots"]["arco"]["nearest_person_m"] == robot["nearest_person_m"]


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.covers("A68", "A69", "A70")
@pytest.mark.parametrize("seed", range(1, 11))
def test_whatever_stands_and_whoever_comes_the_mission_is_no_longer_than_it_should(
    missions: Missions, seed: int
) -> None:
    driven = missions(seed, "amcl")
    print(driven.state["robots"])
    assert driven.ends == ["SUCCEEDED"] * 7
    assert driven.state["contacts"] == 0
    assert driven.robot["nearest_person_m"] >= 0.2
    assert driven.robot["odometer_m"] == pytest.approx(62.7, rel=0.1)


@pytest.mark.soak
@pytest.mark.covers("A86")
def test_the_truth_in_place_of_localisation_changes_no_result(
    missions: Missions,
) -> None:
    guessed, known = missions(SEED, "amcl"), missions(SEED, "known")
    assert known.ends == guessed.ends == ["SUCCEEDED"] * 7
    assert max(known.missed_m) < 0.25
    assert known.state["contacts"] == guessed.state["contacts"] == 0
    assert known.robot["nearest_person_m"] >= 0.2
    metres = known.robot["odometer_m"], guessed.robot["odometer_m"]
    assert metres[0] == pytest.approx(metres[1], rel=0.1)


@pytest.mark.covers("A76", "A77")
def test_the_record_of_a_mission_over_the_bridge_is_drawn(
    missions: Missions, tmp_path: Path
) -> None:
    run = missions(SEED, "amcl").recording
    done = subprocess.run(
        [
            *(sys.executable, "-m", "shopfloor", "mission", "arco_lab"),
            *("--replay", str(run), "--out", str(tmp_path)),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    facts = json.loads(done.stdout)
    for name in ("trajectory", "uwb_against_amcl", "relative_error"):
        assert {f"{name}.svg", f"{name}.png"} <= set(facts["files"])
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")
