"""Whole missions in closed loop, faster than real time and the same every time."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shopfloor import cli
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.plant import (
    Box,
    NoRoomForBoxes,
    Plant,
    Recorder,
    Walker,
    drive_mission,
    grid_of,
    read_recording,
    scatter_boxes,
    stops_of,
)
from shopfloor.plant.recording import RecordingRefused, frame_of
from shopfloor.plant.walkers import Manners
from shopfloor.sim.world import Anchor, World, WorldRefused
from shopfloor.sim.world_file import load_world
from tests.support.driving import hall
from tests.support.seeds import seeds

SEED = 2
WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@pytest.mark.covers("A67")
def test_the_test_environment_has_two_corridors_and_every_place_can_be_reached(
    arco_lab: World, lab_grid: Grid
) -> None:
    assert {"A", "B", "C", "tank", "home"} <= set(arco_lab.places)
    roomy = lab_grid.inflated(0.5)
    parts = set()
    for pose in arco_lab.places.values():
        x, y = roomy.to_cells(pose.x_m, pose.y_m)
        assert roomy.is_free(pose.x_m, pose.y_m)
        parts.add(int(roomy.part[int(y) * roomy.stride + int(x)]))
    assert len(parts) == 1


@pytest.mark.long
@pytest.mark.covers("A22", "A23", "A44", "A68", "A76", "A77", "A81")
def test_a_mission_with_a_box_and_a_person_touches_nothing_and_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print(f"seed {SEED}")
    arguments = ["--seed", str(SEED), "--boxes", "1", "--people", "1"]
    status = cli.main(["mission", "arco_lab", *arguments, "--out", str(tmp_path)])
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert status == 0
    assert facts["stops"] == ["A", "tank", "B", "tank", "C", "tank", "home"]
    assert facts["failed_legs"] == facts["contacts"] == facts["deadlocks"] == 0
    assert facts["distance_m"] == pytest.approx(62.7, rel=0.1)
    assert facts["nearest_person_m"] >= 0.2
    assert facts["amcl_worst_m"] < 0.1
    assert facts["amcl_worst_deg"] < 3.0
    assert facts["odometry_worst_m"] > 3.0 * facts["amcl_worst_m"]
    assert facts["uwb_to_amcl_m"] < 0.2
    for name in ("trajectory.svg", "uwb_against_amcl.svg", "relative_error.svg"):
        drawn = (tmp_path / name).read_text()
        assert drawn.startswith("<svg")
        assert "polyline" in drawn
    assert "tank" in (tmp_path / "trajectory.svg").read_text()

    # The recording is enough to draw the same pictures again.
    again = tmp_path / "again"
    run = str(tmp_path / "run.jsonl")
    assert cli.main(["mission", "arco_lab", "--replay", run, "--out", str(again)]) == 0
    for name in ("trajectory.svg", "uwb_against_amcl.svg", "relative_error.svg"):
        assert (again / name).read_text() == (tmp_path / name).read_text()


@pytest.mark.long
@pytest.mark.covers("A69", "A70")
def test_a_box_in_the_way_is_driven_around_and_a_person_who_comes_is_kept_away_from(
    arco_lab: World, lab_grid: Grid
) -> None:
    box = Box(11.0, 3.1, 0.5, 0.5, 0.3)
    manners = Manners(approach_share=0.0, stands_s=(3.0, 3.0))
    plant = Plant(arco_lab, 12, boxes=(box,), grid=lab_grid)
    start = np.random.default_rng(12)
    visitor = Walker("visitor", 13.0, 2.2, start, manners, [(13.0, 2.2)])
    plant.add_walker(visitor)
    asked = False

    def come_and_see(plant: Plant) -> None:
        nonlocal asked
        if not asked and plant.robots[0].body.pose.x_m > 7.5 and plant.now_s > 15.0:
            asked = True
            visitor.approach(0, plant.now_s, stop_before_m=0.6)

    report = drive_mission(plant, ["A", "tank"], observe=come_and_see)
    assert asked
    assert report.ok
    assert 0.05 < report.nearest_box_m < 1.0
    assert 0.2 <= report.nearest_person_m < 1.2


def frames_of(world: World, grid: Grid, seed: int, seconds: float) -> list[str]:
    boxes = (Box(8.0, 2.4, 0.5, 0.4, 0.3),)
    plant = Plant(world, seed, boxes=boxes, people=2, grid=grid)
    place = world.places["A"]
    plant.robots[0].drive_to(Pose(place.x_m, place.y_m, place.yaw_rad))
    found = []
    for step in range(round(seconds / 0.025)):
        plant.step()
        if step % 20 == 0:
            found.append(json.dumps(frame_of(plant)))
    return found


def test_the_same_seed_gives_the_same_run(arco_lab: World, lab_grid: Grid) -> None:
    first = frames_of(arco_lab, lab_grid, 7, 4.0)
    assert frames_of(arco_lab, grid_of(arco_lab.map), 7, 4.0) == first
    assert frames_of(arco_lab, lab_grid, 8, 4.0) != first


@pytest.mark.covers("A44")
def test_anchors_on_one_side_tell_less_across_than_along(
    arco_lab: World, lab_grid: Grid
) -> None:
    row = tuple(
        Anchor(f"side{i}", i, x_m, 1.2) for i, x_m in enumerate((1.2, 5.0, 9.5, 13.5))
    )
    plant = Plant(replace(arco_lab, anchors=row), 6, grid=lab_grid)
    report = drive_mission(plant, ["A", "home"], dwell_s=0.1)
    assert report.ok
    assert report.uwb_to_truth.mean_m < 0.2
    assert report.uwb_y.mean_m > 1.3 * report.uwb_x.mean_m


@pytest.mark.covers("A40")
def test_robots_know_people_by_their_tags(arco_lab: World, lab_grid: Grid) -> None:
    plant = Plant(arco_lab, 9, people=2, grid=lab_grid)
    plant.run(2.0)
    errors = []
    for _ in range(40):
        plant.run(0.2)
        seen = {tag.tag: tag for tag in plant.people_seen}
        assert set(seen) == {"person1", "person2"}
        errors += [
            math.hypot(seen[w.name].x_m - w.x_m, seen[w.name].y_m - w.y_m)
            for w in plant.walkers
        ]
    assert np.mean(errors) < 0.2


@pytest.mark.long
def test_the_paint_factory_can_be_driven(tmp_path: Path) -> None:
    world = load_world(WORLDS / "paint_factory").with_robots(1)
    stops = stops_of(world.places)
    assert stops[:6] == ["A", "tank", "B", "tank_2", "C", "tank_3"]
    plant = Plant(world, 1)
    report = drive_mission(plant, ["A"], dwell_s=0.1, payload_kg=80.0)
    assert report.ok


@pytest.mark.covers("A86")
def test_the_true_pose_can_stand_in_for_localisation(
    arco_lab: World, lab_grid: Grid
) -> None:
    results = []
    for localisation in ("amcl", "known"):
        plant = Plant(arco_lab, 3, localisation=localisation, grid=lab_grid)
        results.append(drive_mission(plant, ["A"], dwell_s=0.1))
    guessed, known = results
    assert guessed.ok
    assert known.ok
    assert known.amcl.worst_m < 0.03  # one cycle of driving
    assert guessed.distance_m == pytest.approx(known.distance_m, rel=0.02)


@pytest.mark.covers("A21")
def test_two_lasers_see_all_around_and_one_leaves_a_blind_sector(
    arco_lab: World, lab_grid: Grid
) -> None:
    plant = Plant(arco_lab, 4, grid=lab_grid)
    plant.step()
    scans = plant.robots[0].scans

    def widest_gap_rad(*seen: int) -> float:
        angles = []
        for i in seen:
            points = scans[i].points_m()
            angles.append(np.arctan2(points[:, 1], points[:, 0]))
        sorted_angles = np.sort(np.concatenate(angles))
        wrapped = np.append(sorted_angles, sorted_angles[0] + math.tau)
        return float(np.diff(wrapped).max())

    assert widest_gap_rad(0, 1) < math.radians(10.0)
    assert widest_gap_rad(0) > math.radians(45.0)
    assert widest_gap_rad(1) > math.radians(45.0)


@pytest.mark.long
def test_several_robots_of_both_kinds_share_the_floor() -> None:
    world = load_world(WORLDS / "paint_factory").with_robots(2)
    plant = Plant(world, 5)
    goals = {"robot1": "A", "robot2": "tank"}
    for robot in plant.robots:
        place = world.places[goals[robot.id]]
        assert robot.drive_to(Pose(place.x_m, place.y_m, place.yaw_rad)) is None
    plant.run(8.0)
    assert all(robot.body.travelled_m > 1.0 for robot in plant.robots)
    assert sum(watch.contacts for watch in plant.watches) == 0


@pytest.mark.parametrize("seed", seeds(5))
def test_boxes_leave_every_place_reachable(
    arco_lab: World, lab_grid: Grid, seed: int
) -> None:
    places = [Pose(p.x_m, p.y_m, p.yaw_rad) for p in arco_lab.places.values()]
    boxes = scatter_boxes(lab_grid, 3, np.random.default_rng(seed), places)
    assert len(boxes) == 3
    for box in boxes:
        here = Pose(box.x_m, box.y_m)
        assert all(here.distance_to(p) > 1.0 for p in places)


def test_boxes_that_would_close_the_only_way_are_refused() -> None:
    narrow = hall(6.0, 1.3)
    ends = [Pose(0.8, 0.65), Pose(5.2, 0.65)]
    with pytest.raises(NoRoomForBoxes, match="3 boxes do not fit"):
        scatter_boxes(narrow, 3, np.random.default_rng(0), ends)


def test_a_mission_names_the_place_it_misses(arco_lab: World) -> None:
    with pytest.raises(WorldRefused, match="tank"):
        stops_of({"A": None, "home": None})
    with pytest.raises(WorldRefused, match="picking place"):
        stops_of({"tank": None, "home": None})


def test_what_is_no_recording_is_refused_by_name(
    tmp_path: Path, arco_lab: World, lab_grid: Grid
) -> None:
    file = tmp_path / "run.jsonl"
    plant = Plant(arco_lab, 1, grid=lab_grid)
    with Recorder(plant, file, every=1) as recorder:
        for _ in range(3):
            plant.step()
            recorder.note(plant)
    kept = read_recording(file)
    assert [at_s for at_s, _ in kept.replay()] == [0.025, 0.05, 0.075]
    assert kept.frames == recorder.frames
    lines = file.read_text().splitlines()
    for broken, cause in (
        (["{}"], "no recording"),
        ([*lines[:2], "{"], "line 3 is not JSON"),
        ([lines[0], lines[2], lines[1]], "no frame in order"),
        ([], "no recording"),
    ):
        file.write_text("\n".join(broken))
        with pytest.raises(RecordingRefused, match=cause):
            read_recording(file)


def test_bad_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mission", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert cli.main(["mission", "arco_lab", "--boxes", "500"]) == 2
    assert "500 boxes" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["mission", "arco_lab", "--people", "-1"])
