"""Robots that charge where they rest; by default they never need to."""

from __future__ import annotations

import pytest

from fleet.rmfs.errors import RmfsRefused
from shopfloor.experiments.rmfs import running

SHORT = ("battery_h=1", "charging_h=0.5", "robots=4")


@pytest.mark.covers("R52")
def test_batteries_last_for_ever_unless_a_layout_has_them() -> None:
    ever, short, long = (
        running.run(running.prepare("1-1-1-6-60", settings=settings), hours=2.0)
        for settings in ((), SHORT, ("battery_h=500", "robots=4"))
    )
    assert (ever.record["charges"], ever.record["battery_least"]) == (0, 1.0)
    record = short.record
    assert record["charges"] >= 4, "each robot within the first hour"
    assert 0.05 < record["charging_share"] < 0.5
    # Who is low ends its task; nobody ever stands still for want of charge.
    assert 0.05 < record["battery_least"] < 0.2
    assert 0 < record["orders"] < long.record["orders"]
    assert long.record["charges"] == 0
    batteries, now = short.simulation.batteries, short.simulation.warehouse.now
    shares = [batteries.share(robot, now) for robot in range(4)]
    assert all(0.0 < share <= 1.0 for share in shares)


def test_a_battery_that_is_too_small_for_a_task_is_refused() -> None:
    with pytest.raises(RmfsRefused) as refused:
        running.prepare(settings=["battery_h=0.1", "charging_h=0", "battery_low=0.9"])
    assert refused.value.lines == (
        "battery_h is 0 (never empty) or 1 and more, not 0.1",
        "charging_h is more than 0, not 0",
        "battery_low is above 0 and below battery_enough, which is up to 1",
    )
