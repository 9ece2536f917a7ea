"""Robots before a station, on the spot, and many or few of them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from fleet.grid.kinematics import Drive, cruise_time_s
from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.layout import LayoutParameters
from fleet.rmfs.strategies.management import WindowParameters
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.scenario import Scenario
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.traffic import arrays as traffic
from shopfloor.experiments.rmfs.traffic.choice import shortcut_free


def simulation(layout: str, *settings: str, **scenario: object) -> Simulation:
    given = running.prepare(layout, settings=settings)
    events = replace(given.scenario, **scenario)  # type: ignore[arg-type]
    return Simulation(given.layout, given.floor, events, given.choices)


@pytest.mark.covers("R32", "R33")
def test_robots_keep_their_order_in_a_queue_and_cut_it_short_where_it_is_empty() -> (
    None
):
    run = simulation("1-1-1-8-60")
    arrays = run.traffic.arrays
    before: dict[int, int] = {}
    together = 0
    for second in range(1, 1201):
        run.run(float(second))
        behind = {}
        for robot, whole in enumerate(arrays.whole):
            cell, goal = int(whole[traffic.FRONT]), int(whole[traffic.GOAL])
            zone = int(arrays.zone[cell])
            if zone >= 0 and arrays.zone[goal] == zone:
                behind[robot] = zone * 1000 + int(arrays.behind[cell])
        for one in behind.keys() & before.keys():
            for other in behind.keys() & before.keys():
                if one < other and behind[one] // 1000 == behind[other] // 1000:
                    together += 1
                    ahead = before[one] < before[other]
                    assert ahead == (behind[one] < behind[other])
        before = behind
    assert together > 100
    assert run.tally.orders_done > 20
    queue = run.floor.stations[0]
    numbers = [run.floor.number[cell] for cell in queue.cells]
    jump = next(n for n in numbers if arrays.shortcut[n] >= 0)
    between = numbers[
        numbers.index(jump) + 1 : numbers.index(int(arrays.shortcut[jump]))
    ]
    visits = arrays.visits
    assert between
    assert visits[between].max() < visits[jump]
    arrays.owner[[*between, int(arrays.shortcut[jump])]] = -1
    assert shortcut_free(arrays, jump)
    arrays.owner[between[0]] = 0
    assert not shortcut_free(arrays, jump)


@pytest.mark.covers("R30", "RC22")
def test_a_turn_takes_its_share_of_a_whole_turn_and_is_made_standing() -> None:
    run = simulation("1-1-1-1-20", orders=0, bundles=0)
    arrays, layout = run.traffic.arrays, run.layout
    motors = Drive(
        layout.acceleration_mps2,
        -layout.deceleration_mps2,
        layout.top_speed_mps,
        layout.full_turn_s,
    )
    run.run(1.0)
    cell, heading = run.traffic.cell(0), int(arrays.whole[0, traffic.HEADING])
    goals = {int(end): n for n, end in enumerate(arrays.out[cell]) if end >= 0}
    goal, towards = next((g, n) for g, n in goals.items() if n != heading)
    quarters = min((towards - heading) % 4, (heading - towards) % 4)
    goal = next(c for c in run.warehouse.places if c != cell) if goal < 0 else goal
    run.ways.row_of[goal] = 0 if run.ways.row_of[goal] < 0 else run.ways.row_of[goal]
    run.traffic.send(0, goal, False, 1.0)
    now, robot, why = run.traffic.advance(100.0)
    assert (robot, why) == (0, traffic.ARRIVED)
    wanted_s = quarters / 4 * layout.full_turn_s + cruise_time_s(
        motors, 0.0, layout.cell_m
    )
    assert now - 1.0 == pytest.approx(wanted_s, abs=1e-6)
    # There is no switch to leave turns or acceleration out.
    with pytest.raises(RmfsRefused, match="use_turn_delay"):
        running.prepare(settings=["use_turn_delay=false"])
    assert not [f.name for f in fields(LayoutParameters) if f.name.startswith("use_")]


@pytest.mark.covers("R91", "RC6")
def test_more_robots_keep_people_at_stations_busier() -> None:
    idle = []
    for robots in (2, 6, 14):
        record = running.run(
            running.prepare(settings=[f"robots={robots}"]), hours=0.25
        ).record
        idle.append(record["pick_station_idle"])
        # Nobody moves pods without need: no repositioning, as by default there.
        assert record["tasks_RepositionPod"] == 0
    assert idle[0] > idle[1] + 0.2 > idle[2] + 0.4


@pytest.mark.covers("RC16")
def test_windows_of_planners_are_those_of_the_shipped_controllers() -> None:
    """Without limits by the clock: those would make runs differ from each other."""
    given = WindowParameters()
    assert (given.window_s, given.step_s) == (20.0, 1.0)
    strategies = running.registry().listed()["pp"]["strategies"]
    assert {"window_s", "every_s", "step_s"} <= set(strategies["WHCA"]["parameters"])
    assert "expansions" in strategies["LaCAM"]["parameters"]
    assert Scenario().duration_s == 48 * 3600.0
    assert np.isfinite(given.every_s)
