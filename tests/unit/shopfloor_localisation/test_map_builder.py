"""From a drive with lasers to a map that planners can read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid, MapTooLarge, read_map
from shopfloor.grid.kernels import grown_by_one
from shopfloor.lasers import UnusableScan, front_and_rear
from shopfloor.localisation import (
    Amcl,
    MapBuilder,
    UnusableMapFrame,
    UnusableStart,
    quality,
)
from tests.support.rounds import LOOP, drive, readings


def grown(cells: Any) -> Any:
    return grown_by_one(np.ascontiguousarray(cells).astype(np.uint8)) != 0


def share_within_a_cell(builder: MapBuilder, cells: Any) -> float:
    """Of the seen cells, those that agree with the world or a neighbour of it."""
    wall = cells != 0
    right = (builder.blocked & grown(wall)) | (builder.free & grown(~wall))
    seen = builder.blocked | builder.free
    return float(right[seen].mean())


@pytest.fixture(scope="module")
def built(corridors: Grid) -> MapBuilder:
    builder = MapBuilder(20.0, 14.0)
    truth = drive(LOOP, False)[::4]
    lasers = front_and_rear(beams=271, noise_m=0.01, dropout_share=0.02)
    for reading in readings(corridors, truth, 1, lasers=lasers):
        for scan in reading.scans:
            builder.add(reading.truth, scan)
    return builder


@pytest.mark.covers("A20")
def test_the_map_matches_the_world_within_a_cell(
    built: MapBuilder, corridors: Grid
) -> None:
    cells = corridors.cells
    seen = built.blocked | built.free
    assert seen.sum() > 0.8 * (cells == 0).sum()
    assert share_within_a_cell(built, cells) >= 0.99
    # Exactly, not only within a cell: faces end where they are.
    assert (built.blocked == (cells != 0))[seen].mean() > 0.95
    touching = grown(cells == 0) & (cells != 0)
    assert (built.blocked & touching).sum() > 0.7 * touching.sum()


@pytest.mark.covers("A20")
def test_a_robot_finds_its_way_on_the_map_it_built(
    built: MapBuilder, corridors: Grid, tmp_path: Path
) -> None:
    path = tmp_path / "hall.yaml"
    built.write(path)
    assert path.with_suffix(".pgm").read_bytes()[:2] == b"P5"
    grid = read_map(path)
    np.testing.assert_array_equal(grid.cells, built.to_grid().cells)
    assert grid.origin == (0.0, 0.0, 0.0)
    assert grid.resolution_m == 0.05
    truth = drive(LOOP, False)[:100]
    amcl = Amcl(grid, np.random.default_rng(2), truth[0])
    for reading in readings(corridors, truth, 2):
        estimate = amcl.update(reading.at_s, reading.odometry, reading.scans)
        assert estimate.pose.distance_to(reading.truth) < 0.1
    assert quality(grid, reading.truth, reading.scans) > 0.8


def test_a_wall_seen_at_a_flat_angle_stays(corridors: Grid) -> None:
    builder = MapBuilder(20.0, 14.0)
    truth = [Pose(2.0 + 0.1 * i, 1.25, 0.0) for i in range(50)]
    lasers = front_and_rear(beams=541, noise_m=0.0)
    for reading in readings(corridors, truth, 3, lasers=lasers):
        for scan in reading.scans:
            builder.add(reading.truth, scan)
    along = slice(round(2.0 * 20), round(4.5 * 20))
    assert builder.blocked[19, along].all()
    assert builder.free[20, along].all()


def test_what_was_never_seen_is_not_free(corridors: Grid) -> None:
    builder = MapBuilder(20.0, 14.0, origin=(-1.0, -2.0))
    assert builder.to_grid().cells.all()
    lost = Scan(np.full(90, math.inf), -1.5, 0.03, 20.0)
    builder.add(Pose(5.0, 5.0), lost)
    assert not builder.free.any()
    trusting = MapBuilder(20.0, 14.0, origin=(-1.0, -2.0), clear_to_m=3.0)
    for _ in range(3):
        trusting.add(Pose(5.0, 5.0), lost)
    assert trusting.to_grid().is_free(7.5, 5.0)
    assert not trusting.to_grid().is_free(8.5, 5.0)
    assert not trusting.to_grid().is_free(3.0, 5.0)


def test_bad_frames_poses_and_scans_are_refused_by_name() -> None:
    for sizes in ((0.0, 1.0, 0.05), (1.0, math.nan, 0.05), (1.0, 1.0, -0.1)):
        with pytest.raises(UnusableMapFrame):
            MapBuilder(*sizes)
    with pytest.raises(UnusableMapFrame):
        MapBuilder(1.0, 1.0, origin=(math.inf, 0.0))
    with pytest.raises(MapTooLarge):
        MapBuilder(1000.0, 1000.0)
    builder = MapBuilder(2.0, 2.0)
    good = Scan(np.full(9, 0.5), -1.0, 0.25, 5.0)
    with pytest.raises(UnusableStart):
        builder.add(Pose(math.nan, 0.0), good)
    with pytest.raises(UnusableScan):
        builder.add(Pose(1.0, 1.0), Scan(np.full(9, math.nan), -1.0, 0.25, 5.0))
    assert not builder.log_odds.any()
    # A robot beside the area writes only what lies on it.
    builder.add(Pose(-0.2, 1.0), good)
    assert builder.blocked.any()
