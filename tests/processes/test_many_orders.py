"""Many orders at the same time, on robots of different kinds."""

from __future__ import annotations

import pytest

from tests.support.paint_factory import PaintFactory


@pytest.mark.covers("A78")
def test_ten_orders_at_once_finish_on_three_robots_of_two_kinds(
    plant: PaintFactory, handling: str
) -> None:
    kinds = {robot.id: robot.kind for robot in plant.world.robots}
    assert len(kinds) == 3
    assert len(set(kinds.values())) == 2
    numbers = [f"MO-{n:02d}" for n in range(1, 11)]
    plant.send_mail(*(plant.order(number) for number in numbers))
    held = plant.rows("SELECT robot FROM robot_holds ORDER BY 1")
    assert held == [("robot1",), ("robot2",), ("robot3",)]

    for _ in range(10):
        plant.confirm_everything()
        plant.due_now()
    done = plant.rows("SELECT number FROM orders WHERE status = 'done' ORDER BY 1")
    assert done == [(number,) for number in numbers]
    used = plant.rows(
        "SELECT robot, count(DISTINCT instance_id) FROM goals GROUP BY 1 ORDER BY 1"
    )
    assert [robot for robot, _ in used] == ["robot1", "robot2", "robot3"]
    assert sum(count for _, count in used) == 10
    stops = ["A", "tank", "B", "tank", "C", "tank", "home"]
    missions = plant.rows(
        "SELECT array_agg(place ORDER BY created_at) FROM goals"
        " WHERE task_id IS NOT NULL GROUP BY instance_id"  # others wait beside a place
    )
    assert [mission for (mission,) in missions] == [stops] * 10

    resting = {"timers": 2, "subscriptions": 2}  # orders handling waits for the next
    assert (plant.live_rows(), plant.open_goals()) == (resting, 0)
