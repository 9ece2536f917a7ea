"""The task for learning: what is told, what is rewarded, who ends, and Gymnasium."""

import math
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from fleet.bodies.file import load_vehicle
from fleet.bodies.model import Vehicle
from shopfloor.geometry import Pose
from shopfloor.learning import alley_kernels as task
from shopfloor.learning.alleys import SIZE, Alleys, Courses
from shopfloor.learning.errors import PolicyRefused
from shopfloor.learning.gym_task import NAME, AlleyPass, ManyAlleys
from shopfloor.learning.network import Layers, read, write
from shopfloor.learning.sectors import SECTORS, hull_m
from shopfloor.streets.alley import unseen_alley
from shopfloor.vehicles.sensors import Lidar


@pytest.fixture(scope="module")
def zebrat() -> Vehicle:
    return load_vehicle("zebrat")


@pytest.fixture(scope="module")
def courses(zebrat: Vehicle) -> Courses:
    return Courses.unseen(zebrat, range(4))


def one(zebrat: Vehicle, courses: Courses) -> Alleys:
    return Alleys(zebrat, courses, 1, again=False)


def action(drive: float, steer: float) -> NDArray[np.float32]:
    return np.array([[drive, steer]], np.float32)


@pytest.mark.covers("Z39")
def test_the_environment_passes_the_checker_of_gymnasium() -> None:
    made = gymnasium.make(NAME, alleys=2, render_mode="ansi")
    check_env(made.unwrapped)
    assert isinstance(made.unwrapped, AlleyPass)
    seen, info = made.reset(seed=3)
    assert made.observation_space.contains(seen)
    assert info["remaining_m"] > 15.0


@pytest.mark.covers("Z39")
def test_many_environments_are_one_call_and_repeat_from_a_seed() -> None:
    many = ManyAlleys(8, alleys=4, most_steps=20)
    assert many.reset(seed=1)[0].shape == (8, SIZE)
    random = np.random.default_rng(0)
    actions = [random.uniform(-1, 1, (8, 2)).astype(np.float32) for _ in range(25)]
    first = [many.step(each) for each in actions]
    assert [bool(step[3].all()) for step in first].index(True) == 19
    many.reset(seed=1)
    again = [many.step(each) for each in actions]
    assert all(
        np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1])
        for a, b in zip(first, again, strict=True)
    )


@pytest.mark.covers("Z40")
def test_a_state_is_the_laser_in_sectors_beside_speed_steering_and_way(
    zebrat: Vehicle, courses: Courses
) -> None:
    alleys = one(zebrat, courses)
    seen = alleys.start_all()[0]
    assert seen.shape == (SECTORS + 6,)
    assert ((seen[:SECTORS] >= 0.0) & (seen[:SECTORS] <= 1.0)).all()
    # Against the laser of the vehicle file, which has twice as many beams.
    scan = Lidar.of(zebrat).cut(
        Pose(*alleys.states[0, :3]), courses.walls[0], np.empty((0, 3)), None
    )
    hull = hull_m(zebrat.outline, (0.265, 0.0), 360)
    room = np.minimum(scan.ranges_m, 1e3) - hull
    told = (room / (room + 0.5)).reshape(SECTORS, -1).min(axis=1)
    assert np.abs(told - seen[:SECTORS]).max() < 0.03
    assert seen[SECTORS] == 0.0
    assert seen[SECTORS + 1] == 0.0
    away = math.hypot(*(3.0 * seen[SECTORS + 4 :]))
    assert away == pytest.approx(2.0, abs=0.2)


def test_hull_and_sectors_know_the_shape_of_the_vehicle(zebrat: Vehicle) -> None:
    hull = hull_m(zebrat.outline, (0.265, 0.0))
    middle = len(hull) // 2
    assert hull[middle] == pytest.approx(zebrat.front_m - 0.265)
    assert hull[0] == pytest.approx(0.265 - zebrat.back_m)
    assert hull[middle // 2] == pytest.approx(zebrat.half_width_m)


@pytest.mark.covers("Z41")
def test_the_reward_is_the_way_less_time_nearness_jerks_and_stops(
    zebrat: Vehicle, courses: Courses
) -> None:
    alleys = one(zebrat, courses)
    alleys.start_all()
    _, rewards, _ = alleys.step(action(0.0, 0.0))
    assert rewards[0] == pytest.approx(task.TIME)
    _, rewards, _ = alleys.step(action(0.0, 1.0))
    assert rewards[0] == pytest.approx(task.TIME + task.JERK)
    at = alleys.ats[0]
    gained = sum(alleys.step(action(1.0, 0.0))[1][0] for _ in range(10))
    came_m = 0.1 * (alleys.ats[0] - at)
    assert came_m > 0.3
    assert gained == pytest.approx(came_m + 10 * task.TIME, abs=0.03)


@pytest.mark.covers("Z41")
def test_the_end_of_the_way_and_a_contact_end_an_episode(
    zebrat: Vehicle, courses: Courses
) -> None:
    alleys = one(zebrat, courses)
    alleys.start_all()
    last = courses.lasts[0]
    alleys.states[0, :3] = courses.ways[0, last, :3]
    alleys.ats[0] = last
    _, rewards, ends = alleys.step(action(0.0, 0.0))
    assert ends[0] == task.REACHED
    assert rewards[0] == pytest.approx(task.ARRIVED + task.TIME)
    alleys.start_all()
    alleys.states[0, :3] = 0.4, 5.0, 0.0  # its back is behind the fence
    _, rewards, ends = alleys.step(action(1.0, 0.0))
    assert ends[0] == task.TOUCHED
    assert rewards[0] < task.CONTACT / 2


@pytest.mark.covers("Z44")
def test_the_guard_stops_before_a_wall_whatever_is_asked(
    zebrat: Vehicle, courses: Courses
) -> None:
    alleys = one(zebrat, courses)
    alleys.start_all()
    alleys.states[0, :3] = 21.0, 5.0, 0.0
    stopped = [alleys.step(action(1.0, 0.0)) for _ in range(60)]
    assert not any(end[0] == task.TOUCHED for _, _, end in stopped)
    assert alleys.states[0, 3] == 0.0
    assert float(stopped[-1][1][0]) < task.TIME + task.STOPPED / 2


def test_what_is_no_number_lets_the_vehicle_stand(
    zebrat: Vehicle, courses: Courses
) -> None:
    alleys = one(zebrat, courses)
    start = alleys.start_all().copy()
    seen, _, _ = alleys.step(action(math.nan, math.inf))
    assert np.array_equal(seen, start)


def test_alleys_of_a_seed_are_the_same_for_all() -> None:
    assert unseen_alley(7) == unseen_alley(7)
    assert unseen_alley(7) != unseen_alley(8)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda file: file.unlink(), "is no policy"),
        (lambda file: file.write_bytes(b"not a policy"), "is no policy"),
        (lambda file: np.savez(file, w1=np.zeros(3)), "is no policy"),
    ],
)
def test_a_file_that_is_no_policy_is_named(
    tmp_path: Path, spoil: Callable[[Path], object], says: str
) -> None:
    file = tmp_path / "policy.npz"
    write(file, Layers.drawn(np.random.default_rng(0), SIZE, 8, 2, 0.1))
    assert read(file, SIZE, 2).w1.shape == (SIZE, 8)
    spoil(file)
    with pytest.raises(PolicyRefused, match=says):
        read(file, SIZE, 2)


def test_a_policy_of_another_task_or_without_numbers_is_refused(
    tmp_path: Path,
) -> None:
    file = tmp_path / "policy.npz"
    layers = Layers.drawn(np.random.default_rng(0), SIZE, 8, 2, 0.1)
    write(file, layers)
    with pytest.raises(PolicyRefused, match="w1 is"):
        read(file, SIZE + 1, 2)
    layers.b2[0] = math.nan
    write(file, layers)
    with pytest.raises(PolicyRefused, match="b2 has what is no number"):
        read(file, SIZE, 2)
