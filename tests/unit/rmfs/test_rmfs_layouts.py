"""Layouts from numbers, from names and from drawings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleet.rmfs.errors import LayoutRefused, RmfsRefused
from fleet.rmfs.floor import LANE, STORAGE
from fleet.rmfs.layout import LayoutParameters, generate
from fleet.rmfs.layout_names import layout_of_name
from shopfloor.experiments.rmfs import files


@pytest.mark.covers("R56", "R57", "R3", "RC11", "RC12")
def test_the_default_layout_has_the_counts_and_figures_of_the_reference() -> None:
    given = LayoutParameters()
    floor = generate(given)
    kinds = [zone.kind for zone in floor.stations]
    assert (len(floor.places), kinds.count("pick")) == (504, 2)
    assert kinds.count("replenishment") == 2
    assert round(504 * given.pod_share) == 428
    robot = (given.robot_radius_m, given.acceleration_mps2, given.top_speed_mps)
    assert robot == (0.35, 1.0, 1.5)
    assert (given.full_turn_s, given.pod_transfer_s) == (2.5, 2.2)
    station = (given.item_transfer_s, given.item_pick_s, given.bundle_transfer_s)
    assert station == (10.0, 3.0, 10.0)
    assert (given.pick_station_orders, given.pod_capacity) == (12, 500.0)
    assert given.replenishment_station_capacity == 1000.0


@pytest.mark.covers("RC20", "R27")
@pytest.mark.parametrize(
    "name",
    [
        *("1-2-2-8-428", "1-8-8-64-1040", "1-8-8-96-1502", "1-4-4-32-550"),
        *("2-8-8-64-1100", "3-12-12-96-1650"),
        # The smallest and the largest of the families Pico to Giga and Tiny to Huge.
        *("1-1-1-4-61", "1-10-10-40-2998", "1-8-8-32-428", "1-8-8-64-2658"),
    ],
)
def test_a_name_made_of_five_numbers_is_a_layout_with_these_counts(name: str) -> None:
    tiers, inputs, outputs, robots, pods = (int(part) for part in name.split("-"))
    given = layout_of_name(name)
    assert given is not None
    floor = generate(given)
    kinds = [zone.kind for zone in floor.stations]
    assert (kinds.count("replenishment"), kinds.count("pick")) == (inputs, outputs)
    assert (given.robots, given.pods) == (robots, pods)
    assert len(set(floor.spots[:, 0].tolist())) == tiers
    assert 0.7 <= pods / len(floor.places) <= 0.86


@pytest.mark.covers("R29", "R57")
def test_lanes_between_blocks_are_one_way() -> None:
    floor = generate(LayoutParameters())
    lanes = floor.kind == LANE
    for cell in np.flatnonzero(lanes):
        for end in floor.out[cell]:
            if end >= 0 and lanes[end]:
                assert cell not in floor.out[end].tolist()


@pytest.mark.covers("R2")
def test_every_place_is_beside_a_lane() -> None:
    floor = generate(LayoutParameters())
    for place in floor.places:
        assert floor.kind[place] == STORAGE
        ends = [end for end in floor.out[place] if end >= 0]
        assert any(floor.kind[end] == LANE for end in ends)


def test_every_mistake_of_a_layout_is_told_at_once() -> None:
    given = replace(
        LayoutParameters(), robots=0, pick_east=0, top_speed_mps=-1.0, tiers=2
    )
    with pytest.raises(LayoutRefused) as refused:
        generate(given)
    assert refused.value.lines == (
        "robots is 1 or more, not 0",
        "the layout has no pick station",
        "top_speed_mps is more than 0, not -1",
        "2 tiers need elevators",
    )


def test_stations_that_do_not_fit_are_refused_with_the_room_that_there_is() -> None:
    given = replace(LayoutParameters(), pick_east=9)
    with pytest.raises(LayoutRefused, match="9 stations in the east need 36 cells"):
        generate(given)


@pytest.mark.covers("R82", "R55")
def test_the_demonstrator_has_exactly_its_published_numbers() -> None:
    given, floor = files.read_layout("demonstrator")
    assert floor is not None
    assert (floor.count, given.robots, given.pods, given.cell_m) == (36, 4, 6, 0.45)
    assert (given.top_speed_mps, given.full_turn_s) == (0.21, 5.5)
    assert (given.acceleration_mps2, given.deceleration_mps2) == (0.5, 0.5)
    corners = {zone.kind: zone.cells for zone in floor.stations}
    assert corners == {"replenishment": [(0, 0, 0)], "pick": [(0, 5, 0)]}


def test_a_name_that_no_layout_has_is_answered_with_those_that_exist() -> None:
    with pytest.raises(RmfsRefused, match="there are demonstrator"):
        files.read_layout("nowhere")
