"""What is heard for the map, read as far as it makes sense."""

from __future__ import annotations

import math
from typing import Any

import pytest

from robot_bridge.floor_messages import (
    read_costmap,
    read_path,
    read_people,
    read_scan,
)
from robot_bridge.messages import BadMessage

LEVEL = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}


def stop(x: float, y: float) -> dict[str, Any]:
    return {"pose": {"position": {"x": x, "y": y}, "orientation": LEVEL}}


def test_a_path_is_its_points_in_its_frame() -> None:
    path = {"header": {"frame_id": "map"}, "poses": [stop(0, 0), stop(2, 1)]}
    assert read_path(path).points == ((0.0, 0.0), (2.0, 1.0))
    assert read_path(path).frame == "map"


def test_a_trajectory_of_transforms_is_a_path_too() -> None:
    points = [{"transforms": [{"translation": {"x": n, "y": -n}}]} for n in range(3)]
    path = {"header": {"frame_id": "odom"}, "points": points}
    assert read_path(path).points == ((0.0, 0.0), (1.0, -1.0), (2.0, -2.0))


def test_points_that_are_none_are_left_out() -> None:
    poses = [stop(1, 1), {"pose": None}, "?", {"pose": {"position": {"x": None}}}]
    assert read_path({"poses": poses}).points == ((1.0, 1.0),)


@pytest.mark.parametrize("message", [None, [], {}, {"poses": 3}, {"points": None}])
def test_what_is_no_path_is_refused(message: Any) -> None:
    with pytest.raises(BadMessage):
        read_path(message)


def test_rays_without_an_echo_are_left_out() -> None:
    scan = {
        "angle_min": 0.0,
        "angle_increment": math.pi / 2,
        "range_min": 0.1,
        "range_max": 10.0,
        "ranges": [2.0, None, 0.01, 10.0],
    }
    assert read_scan(scan) == ((2.0, 0.0),)
    scan["ranges"] = [None, 3.0]
    assert read_scan(scan)[0] == pytest.approx((0.0, 3.0))


def test_a_scan_without_angles_is_refused() -> None:
    with pytest.raises(BadMessage, match="angles"):
        read_scan({"ranges": [1.0]})


def person(**more: Any) -> dict[str, Any]:
    return {"people": [{"name": "ann", "position": {"x": 1, "y": 2}} | more]}


def test_the_circle_of_a_person_is_drawn_from_the_largest_spread() -> None:
    said = {"tagnames": ["covariance"], "tags": ["0.01 0 0.04"]}
    (ann,) = read_people(person(**said))
    assert (ann.tag, ann.x, ann.y) == ("ann", 1.0, 2.0)
    assert ann.uncertainty_m == pytest.approx(2.45 * 0.2)


def test_a_tilted_spread_counts_along_its_longest_axis() -> None:
    said = {"tagnames": ["covariance"], "tags": ["0.05 0.04 0.05"]}
    (ann,) = read_people(person(**said))
    assert ann.uncertainty_m == pytest.approx(2.45 * math.sqrt(0.09))


@pytest.mark.parametrize("tags", [[], ["nonsense"], ["1 2"], ["nan 0 nan"]])
def test_without_a_covariance_the_circle_is_wide(tags: list[str]) -> None:
    (ann,) = read_people(person(tagnames=["covariance"], tags=tags, reliability=0.5))
    assert ann.uncertainty_m == pytest.approx(2.45 * 0.6)


def test_a_person_without_a_place_is_left_out() -> None:
    assert read_people(person(position={"x": None, "y": 1})) == ()


def grid(data: list[int], resolution: float, width: int) -> dict[str, Any]:
    origin = {"position": {"x": 1.0, "y": 2.0}, "orientation": LEVEL}
    info = {"resolution": resolution, "width": width, "origin": origin}
    return {"header": {"frame_id": "map"}, "info": info, "data": data}


def test_a_costmap_is_the_cells_that_are_kept_clear_of() -> None:
    cells = read_costmap(grid([0, 100, 99, -1], 0.1, 2)).points
    assert cells == ((1.15, 2.05), (1.05, 2.15))


def test_a_finer_costmap_is_brought_to_the_same_raster() -> None:
    cells = read_costmap(grid([100] * 16, 0.05, 4)).points
    assert len(cells) == 4


def test_a_coarser_costmap_fills_the_raster() -> None:
    cells = read_costmap(grid([100, 0], 0.2, 2)).points
    assert sorted(cells) == [
        (1.05, 2.05),
        (1.05, 2.15),
        (1.15, 2.05),
        (1.15, 2.15),
    ]


@pytest.mark.parametrize("change", [{"resolution": 0}, {"width": 0}, {"origin": {}}])
def test_a_grid_without_a_shape_is_refused(change: dict[str, Any]) -> None:
    message = grid([100], 0.1, 1)
    message["info"] |= change
    with pytest.raises(BadMessage):
        read_costmap(message)
