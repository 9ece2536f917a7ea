"""Where machines were in a test-drive, as numbers and as squares of a picture."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fleet.roads.geometry import between as apart_m
from mpms.domain.testdrive.floor import FloorTimes
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.testdrive.ways import Ways
from mpms.web.labels.floor_heat import floor_heat, view_box

FLOOR = {
    **{"square_m": 0.5, "left_m": -1.0, "bottom_m": 0.0, "width_m": 4.0},
    **{"height_m": 3.0, "walls": [], "places": {"scale": [0.7, 0.7], "tank": [2, 2]}},
}
REPORT = {
    "floor": FLOOR,
    "new": {"floor_s": [[1, 1, 99.0], [2, 1, 9.0]]},
    "present": {"floor_s": [[3, 3, 49.5]]},
}


def test_a_drive_leaves_its_time_in_the_squares_that_it_crosses() -> None:
    times = FloorTimes()
    times.drive((0.25, 0.25), (2.25, 0.25), 8.0)
    assert sum(times.seconds.values()) == pytest.approx(8.0)
    assert set(times.seconds) == {(column, 0) for column in range(5)}
    assert times.seconds[2, 0] == pytest.approx(2.0)
    around = FloorTimes()
    around.follow([(0.25, 0.25), (0.25, 1.75), (1.25, 1.75)], 5.0)
    assert sum(around.seconds.values()) == pytest.approx(5.0)
    assert set(around.seconds) == {(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    around.follow([(3.0, 3.0), (3.0, 3.0)], 1.0)
    assert around.seconds[6, 6] == pytest.approx(1.0)
    times.stand(-0.1, 0.1, 5.0)
    assert times.seconds[-1, 0] == 5.0
    times.stand(9.0, 9.0, 0.0)
    assert (18, 18) not in times.seconds


def test_both_versions_are_drawn_on_one_scale() -> None:
    new = floor_heat(REPORT, "new", logarithm=False)
    present = floor_heat(REPORT, "present", logarithm=False)
    assert new is not None
    assert present is not None
    assert (new.near, new.most_s, present.near) == ("scale", 99.0, "tank")
    assert (new.squares[0].x, new.squares[0].y) == (0.5, -1.0)
    deepest, half = new.squares[0].opacity, present.squares[0].opacity
    assert half == pytest.approx((0.08 + deepest) / 2)
    logarithm = floor_heat(REPORT, "new", logarithm=True)
    assert logarithm is not None
    assert logarithm.squares[1].opacity > 2 * new.squares[1].opacity
    assert view_box(FLOOR) == "-1.08 -3.08 4.16 3.16"


def test_drives_are_drawn_along_the_ways_of_the_fleet_and_straight_elsewhere() -> None:
    files = factory_bootstrap.fleet_of("paint_factory")
    assert files is not None
    between = Ways(files.world)
    spots = {place.id: place.spot for place in files.world.places.values()}
    way = between(spots["home"], spots["F"])
    assert way[0] == spots["home"]
    assert way[-1] == spots["F"]
    for wall in files.world.walls:
        for start, end in pairwise(way):
            assert apart_m((*start, *end), wall) > 0.2, "through a rack"
    assert between((-50.0, -50.0), spots["F"]) == [(-50.0, -50.0), spots["F"]]


def test_a_plant_without_floor_draws_none() -> None:
    assert floor_heat({**REPORT, "floor": None}, "new", logarithm=False) is None
    assert floor_heat({**REPORT, "present": None}, "present", logarithm=True) is None
