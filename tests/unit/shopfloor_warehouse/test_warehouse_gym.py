"""The warehouse as a Gymnasium environment: by its checker, and by driving it."""

from __future__ import annotations

from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="pip install 'mpms[learn]'")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from shopfloor.warehouse.gym_task import (  # noqa: E402
    ACTION,
    BLOCKED,
    NAME,
    REACHED,
    WarehouseEnv,
    register,
)

RIGHT, LEFT, UP, DOWN, CW, CCW = range(6)


@pytest.mark.covers("K72")
def test_gymnasiums_checker_finds_nothing() -> None:
    register()
    made = gymnasium.make(NAME, disable_env_checker=True)
    check_env(made.unwrapped, skip_render_check=True)


@pytest.mark.covers("K72")
def test_actions_are_the_low_level_verbs() -> None:
    env = WarehouseEnv(others=0)
    seen, _ = env.reset(seed=3)
    x, y = (int(value) for value in seen["cell"])
    where = []
    for action in (RIGHT, DOWN, CCW, UP, LEFT, CW):
        seen, *_ = env.step(action)
        where.append((*map(int, seen["cell"]), int(seen["quarter"])))
    assert where == [
        (x + 1, y, 0),
        (x + 1, y - 1, 3),
        (x + 1, y - 1, 0),
        (x + 1, y, 1),
        (x, y, 2),
        (x, y, 1),
    ]


@pytest.mark.covers("K72")
def test_a_wall_of_the_floor_costs_and_the_goal_pays() -> None:
    env = WarehouseEnv(others=0)
    _, facts = env.reset(seed=3)
    _, reward, reached, _, told = env.step(LEFT)
    assert (reward, reached, told["blocked"]) == (ACTION + BLOCKED, False, True)
    rewards = [towards_goal(env) for _ in range(facts["cells_left"])]
    assert [reached for _, reached in rewards] == [False] * (len(rewards) - 1) + [True]
    assert rewards[-1][0] == pytest.approx(REACHED + ACTION)


def towards_goal(env: WarehouseEnv) -> tuple[float, bool]:
    seen: Any = env._seen()
    dx, dy = (int(value) for value in seen["goal"] - seen["cell"])
    action = (RIGHT if dx > 0 else LEFT) if dx else (UP if dy > 0 else DOWN)
    _, reward, reached, _, _ = env.step(action)
    return reward, reached


def test_the_same_seed_gives_the_same_run() -> None:
    def run() -> list[Any]:
        env = WarehouseEnv("medium", others=5)
        env.reset(seed=11)
        return [env.step(action)[1:3] for action in [DOWN, RIGHT, RIGHT, DOWN] * 4]

    assert run() == run()


def test_the_floor_can_be_printed() -> None:
    env = WarehouseEnv(render_mode="ansi")
    env.reset(seed=1)
    drawn = env.render()
    assert len(drawn.splitlines()) == env.warehouse.floor.rows
    assert drawn.count("A") == drawn.count("G") == drawn.count("o") == 1


def test_a_preset_with_too_few_robots_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        WarehouseEnv("small", others=2)
