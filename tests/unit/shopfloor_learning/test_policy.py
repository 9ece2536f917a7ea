"""Learning improves a policy, and the one that ships drives where DWA gives up."""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from fleet.bodies.passability import from_csv
from shopfloor.cli import main
from shopfloor.geometry import Pose
from shopfloor.learning.alleys import SIZE, Alleys, Courses
from shopfloor.learning.curve import drawn
from shopfloor.learning.errors import PolicyRefused
from shopfloor.learning.network import Layers, read
from shopfloor.learning.ppo import Options, Ppo
from shopfloor.learning.shipped import find_policy
from shopfloor.learning.trial import UNSEEN_FROM, tried
from shopfloor.maneuvers.grid_way import grid_way
from shopfloor.maneuvers.local import local_planner
from shopfloor.maneuvers.policy import Policy
from shopfloor.maneuvers.scene import Command, DrivingState, Obstacles
from shopfloor.streets.alley import Alley, alley_world
from shopfloor.streets.drive import Drive, Driver
from shopfloor.vehicles.errors import SceneWrong
from shopfloor.vehicles.sensors import Lidar

NO_DISCS = np.empty((0, 3))


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


def driven(zebrat: Vehicle, name: str, alley: Alley) -> Drive:
    world = alley_world(alley)
    driver = Driver(
        world,
        zebrat,
        local_planner(name, zebrat, seed=1),
        lambda here, there, seen: grid_way(zebrat, world.grid, here, there, seen),
    )
    driver.put(world.place("start"))
    return driver.drive_to(world.place("goal"), most_s=60.0)


@pytest.mark.covers("Z42")
def test_the_shipped_policy_passes_alleys_that_none_has_seen(zebrat: Vehicle) -> None:
    layers = read(find_policy("alley_pass"), SIZE, 2)
    unseen = range(UNSEEN_FROM, UNSEEN_FROM + 60)
    learned = tried(zebrat, layers.answer, unseen)
    random = np.random.default_rng(0)
    blind = tried(
        zebrat,
        lambda seen: random.uniform(-1, 1, (len(seen), 2)).astype(np.float32),
        unseen,
    )
    assert learned.success >= 0.9
    assert blind.success == 0.0
    assert learned.reward > blind.reward + 10.0


@pytest.mark.covers("Z42")
def test_the_curve_of_the_shipped_policy_rises() -> None:
    curve = find_policy("alley_pass").with_suffix(".csv")
    with curve.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    first, last = rows[len(rows) // 20], rows[-1]
    assert float(last["reward"]) > float(first["reward"]) + 10.0
    assert float(last["success"]) > float(first["success"]) + 0.5


@pytest.mark.soak
@pytest.mark.covers("Z42")
def test_learning_anew_raises_the_reward(zebrat: Vehicle) -> None:
    alleys = Alleys(zebrat, Courses.unseen(zebrat, range(20)), 128, midway=0.6)
    trainer = Ppo(alleys, Options(vehicles=128, steps=32, batch=1024), seed=1)
    unseen = range(UNSEEN_FROM, UNSEEN_FROM + 30)
    before = tried(zebrat, trainer.policy.answer, unseen)
    trainer.learn(math.inf, 40)
    after = tried(zebrat, trainer.policy.answer, unseen)
    assert after.reward > before.reward + 3.0


def test_a_step_of_learning_favours_what_turned_out_well(zebrat: Vehicle) -> None:
    alleys = Alleys(zebrat, Courses.unseen(zebrat, range(1)), 1)
    trainer = Ppo(alleys, Options(hidden=8), seed=1)
    random = np.random.default_rng(2)
    seen = random.random((64, SIZE), np.float32)
    noise = random.standard_normal((64, 2), np.float32)
    deviation = np.exp(trainer.log_deviation)
    actions = np.float32(1.0) * trainer.policy.answer(seen)
    actions += deviation * noise
    chances = trainer._chance(noise)
    good = noise[:, 0]  # the faster the better
    before = trainer.policy.answer(seen)[:, 0].mean()
    for _ in range(20):
        trainer._step(seen, actions, chances, good, good, 1e-3)
    assert trainer.policy.answer(seen)[:, 0].mean() > before + 0.005


def test_slopes_are_those_of_small_differences() -> None:
    random = np.random.default_rng(0)
    layers = Layers.drawn(random, 5, 4, 2, 1.0)
    seen, wrong = random.random((3, 5), np.float32), random.random((3, 2), np.float32)
    slopes = layers.slopes(seen, *layers.hidden(seen), wrong)
    for part, slope in zip(layers.parts, slopes, strict=True):
        at = tuple(0 for _ in part.shape)
        kept, losses = part[at], []
        for change in (1e-2, -1e-2):
            part[at] = kept + change
            losses.append(float((layers.answer(seen) * wrong).sum()))
        part[at] = kept
        measured = (losses[0] - losses[1]) / 2e-2
        assert slope[at] == pytest.approx(measured, abs=2e-3)


@pytest.mark.covers("Z42", "Z44")
@pytest.mark.parametrize(
    "alley",
    [
        Alley(1.02, 3.2, 6.4, 12.0, shortcut_m=0.0),
    ],
)
def test_it_passes_an_alley_in_which_dwa_gives_up(
    zebrat: Vehicle, alley: Alley
) -> None:
    learned = driven(zebrat, "policy", alley)
    assert learned.passed, learned.why
    assert learned.least_gap_m > 0.0
    ordinary = driven(zebrat, "dwa", alley)
    assert not ordinary.passed
    assert ordinary.why


@pytest.mark.covers("Z43")
def test_a_real_scan_gives_the_command_that_walls_of_a_map_give(
    zebrat: Vehicle,
) -> None:
    world = alley_world(Alley(1.3, shortcut_m=0.0))
    planner = Policy(zebrat)
    way = grid_way(zebrat, world.grid, world.place("start"), world.place("goal"))
    for index in (0, 60, 110):
        x, y, yaw, _ = way.poses[index]
        state, leg = DrivingState(Pose(x, y, yaw), 0.6, 0.1), way.poses[index:]
        values = np.array([x, y, yaw, 0.6, 0.1])
        by_map = planner._choose(values, leg, Obstacles.of(world.known_walls))
        scan = Lidar.of(zebrat).cut(state.pose, world.walls, NO_DISCS, None)
        by_scan = planner.from_scan(state, leg, scan)
        assert by_scan.speed_mps == pytest.approx(by_map.speed_mps, abs=0.15)
        assert by_scan.steering_rad == pytest.approx(by_map.steering_rad, abs=0.15)
    lost = DrivingState(Pose(math.nan, 0.0, 0.0))
    with pytest.raises(SceneWrong):
        planner.from_scan(lost, way.poses, scan)


def test_a_policy_without_a_way_stands(zebrat: Vehicle) -> None:
    planner = local_planner("policy", zebrat)
    state = DrivingState(Pose(0.0, 0.0, 0.0))
    assert planner.command(state, Obstacles.of()) == Command(0.0, 0.0)


def test_the_command_writes_policy_and_curve(
    tmp_path: Path,
) -> None:
    out = tmp_path / "deep" / "mine.npz"
    few = ["--updates", "2", "--alleys", "2", "--try-in", "5"]
    # A process of its own: libraries of matrices take all cores of one that has begun.
    done = subprocess.run(
        [sys.executable, "-m", "shopfloor", "learn", str(out), *few],
        capture_output=True,
        check=True,
        text=True,
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["steps"] == 2 * 256 * 64
    assert 0.0 <= said["policy_success_unseen"] <= 1.0
    assert isinstance(read(out, SIZE, 2), Layers)
    with out.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == [16384, 32768]
    # No episode has ended so early, and the picture says so.
    assert {row["reward"] for row in rows} == {"nan"}
    picture = out.with_suffix(".svg").read_text(encoding="utf-8")
    assert "Nothing was learned." in picture


def test_the_curve_shows_reward_and_share_by_steps() -> None:
    picture = drawn([(16384, -1.0, 0.2), (32768, 3.0, 0.7)])
    assert "mean reward" in picture
    assert picture.count("<polyline") == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["learn"], "name the file to write"),
        (["learn", "x", "--minutes", "0"], "counts are above 0"),
        (["learn", "--try", "nobody"], "there is no policy 'nobody'"),
        (["learn", "x", "--vehicle", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_learned_is_named(
    given: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(given) == 2
    assert says in capsys.readouterr().err


def test_a_policy_that_is_not_there_is_named() -> None:
    with pytest.raises(PolicyRefused, match="shopfloor learn makes one"):
        find_policy("nobody")


@pytest.mark.covers("Z42")
def test_the_shipped_table_has_it_pass_nine_of_ten_and_more_than_dwa() -> None:
    """Driven by ``bench/ackermann.py --unseen``; one of its alleys is driven above."""
    file = find_policy("alley_pass").with_name("alley_pass_unseen.csv")
    found = from_csv(file.read_text("utf-8"))
    passed = {
        planner: {t.seed for t in found if t.planner == planner and t.passed}
        for planner in ("a_star+dwa", "a_star+policy")
    }
    alleys = {t.seed for t in found}
    assert len(passed["a_star+policy"]) >= 0.9 * len(alleys)
    assert passed["a_star+policy"] > passed["a_star+dwa"]
