"""The emergency stop: thresholds, what counts, and getting away."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from shopfloor import cli
from shopfloor.control import (
    EmergencyStop,
    LiteralStop,
    RobotLimits,
    Surroundings,
    ThresholdsRefused,
    literal_stop,
)
from shopfloor.control.trial import run_trial
from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.lasers import box_segments, front_and_rear, simulate_scan
from shopfloor.pilot import Cause, Pilot, PilotSettings, PilotStatus
from tests.support.driving import Drive, Track, Walker, hall

RADIUS_M = 0.3
HERE = Pose(8.0, 2.5, 0.0)


def scans_with(grid: Grid, pose: Pose, boxes: Any = (), noise_m: float = 0.0) -> Any:
    random = np.random.default_rng(3)
    return [
        simulate_scan(grid, pose, laser, random, boxes if len(boxes) else [])
        for laser in front_and_rear(ahead_m=0.25, beams=271, noise_m=noise_m)
    ]


def box_at(gap_m: float) -> Any:
    """A box before the robot, so far from the hull."""
    return box_segments(HERE.x_m + RADIUS_M + gap_m + 0.2, HERE.y_m, 0.4, 0.6)


@pytest.mark.covers("A33", "A34")
def test_it_stops_below_20_centimetres_and_goes_on_above_60(corridor: Grid) -> None:
    stop = EmergencyStop()
    around = Surroundings(corridor, RADIUS_M)
    seen = []
    for gap_m in (1.0, 0.25, 0.19, 0.25, 0.5, 0.59, 0.65, 0.3):
        around.look(HERE, scans_with(corridor, HERE, box_at(gap_m)))
        stop.step(around)
        seen.append(stop.stopped)
    assert seen == [False, False, True, True, True, True, False, False]


def test_mapped_walls_do_not_count_but_do_in_the_literal_rule(corridor: Grid) -> None:
    beside_wall = Pose(8.0, 0.1 + RADIUS_M + 0.15, 0.4)
    around = Surroundings(corridor, RADIUS_M)
    around.look(beside_wall, scans_with(corridor, beside_wall, noise_m=0.01))
    ours, literal = EmergencyStop(), LiteralStop()
    ours.step(around)
    literal.step(around)
    assert not ours.stopped
    assert literal.stopped
    assert around.nearest(unexplained=False).clearance_m == pytest.approx(
        0.15, abs=0.05
    )


def test_a_tagged_person_always_counts(corridor: Grid) -> None:
    around = Surroundings(corridor, RADIUS_M)
    around.look(HERE, scans_with(corridor, HERE))
    stop = EmergencyStop()
    stop.step(around, person_m=0.19)
    assert stop.stopped
    assert stop.for_person
    stop.step(around, person_m=0.55)
    assert stop.stopped
    stop.step(around, person_m=0.65)
    assert not stop.stopped


def test_one_stray_beam_stops_nobody_and_three_beside_each_other_do(
    corridor: Grid,
) -> None:
    around = Surroundings(corridor, RADIUS_M)
    for beams, stopped in (((100,), False), ((100, 101, 102), True)):
        scans = scans_with(corridor, HERE)
        for beam in beams:
            scans[0].ranges_m[beam] = 0.15
        stop = EmergencyStop()
        around.look(HERE, scans)
        stop.step(around)
        assert stop.stopped is stopped


def test_the_literal_rule_is_its_published_form() -> None:
    assert literal_stop(0.19, stopped=False)
    assert not literal_stop(0.21, stopped=False)
    assert literal_stop(0.59, stopped=True)
    assert not literal_stop(0.61, stopped=True)


@pytest.mark.parametrize(
    ("stop_m", "resume_m"), [(0.0, 0.6), (0.7, 0.6), (math.nan, 0.6), (0.2, math.inf)]
)
def test_thresholds_that_contradict_each_other_are_refused(
    stop_m: float, resume_m: float
) -> None:
    with pytest.raises(ThresholdsRefused):
        EmergencyStop(stop_m, resume_m)


@pytest.mark.covers("A33")
def test_the_pilot_stands_in_the_cycle_that_sees_the_obstacle(corridor: Grid) -> None:
    track = Track(corridor, Pilot(corridor, RobotLimits()), Pose(2.0, 2.5, 0.0))
    track.pilot.set_goal(14.0, 2.5, 0.0)
    drive = Drive()
    while track.floor.pose.x_m < 5.0:
        track.step(drive, 0.025)
    assert drive.last.vx_mps > 0.5
    track.boxes = box_segments(track.floor.pose.x_m + 0.3 + 0.17 + 0.2, 2.5, 0.4, 0.6)
    assert track.step(drive, 0.025).still
    # What was not there a moment ago has moved: it may be somebody.
    assert drive.last.status is PilotStatus.WAITING_FOR_PERSON
    assert drive.last.cause is Cause.PERSON


@pytest.mark.covers("A34")
@pytest.mark.parametrize(("gap_m", "moves"), [(0.5, False), (0.65, True)])
def test_the_pilot_moves_again_beyond_the_second_threshold_only(
    corridor: Grid, gap_m: float, moves: bool
) -> None:
    pilot = Pilot(corridor, RobotLimits())
    track = Track(corridor, pilot, HERE, box_at(0.15))
    pilot.set_goal(14.0, 2.5, 0.0)
    drive = Drive()
    track.step(drive)
    assert drive.last.still
    track.boxes = box_at(gap_m)
    for _ in range(40):
        track.step(drive)
    assert (drive.last.status is PilotStatus.DRIVING) is moves
    assert any(not command.still for command in drive.commands[1:]) is moves


def test_a_box_put_down_beside_the_hull_is_left_and_driven_around(
    corridor: Grid,
) -> None:
    pilot = Pilot(corridor, RobotLimits())
    track = Track(corridor, pilot, HERE, box_at(0.12))
    drive = track.drive_to(14.0, 2.5, 0.0)
    assert drive.last.status is PilotStatus.ARRIVED
    assert any(command.cause is Cause.OBSTACLE for command in drive.commands)
    assert drive.to_boxes_m >= 0.11
    slow = [c for c in drive.commands if c.cause is Cause.OBSTACLE]
    assert max(math.hypot(c.vx_mps, c.vy_mps) for c in slow) <= 0.11


@pytest.mark.parametrize("payload_kg", [0.0, 400.0])
def test_the_speed_is_never_above_what_the_brakes_make_good(
    corridor: Grid, payload_kg: float
) -> None:
    """A closed corridor: v <= sqrt(2 a d) to the barrier in every cycle."""
    pilot = Pilot(corridor, RobotLimits(speed_mps=1.5, accel_mps2=1.0))
    pilot.carry(payload_kg)
    barrier_m = 9.0
    track = Track(
        corridor,
        pilot,
        Pose(2.0, 2.5, 0.0),
        np.array([[barrier_m, 0.0, barrier_m, 5.0]]),
    )
    drive = track.drive_to(14.0, 2.5, 0.0, limit_s=25.0)
    assert max(command.vx_mps for command in drive.commands) > 0.6
    for pose, command in zip(drive.poses, drive.commands, strict=True):
        free_m = max(barrier_m - pose.x_m - RADIUS_M, 0.0)
        assert command.vx_mps <= math.sqrt(2.0 * pilot.limits.braking_mps2 * free_m)
    assert drive.to_boxes_m >= 0.15


def test_a_person_beside_the_hull_is_waited_for_asked_and_at_last_told_of(
    corridor: Grid,
) -> None:
    settings = PilotSettings(ask_after_s=3.0, standing_patience_s=15.0)
    pilot = Pilot(corridor, RobotLimits(), settings=settings)
    walker = Walker([(HERE.x_m + 0.7, HERE.y_m)])
    track = Track(corridor, pilot, HERE, walkers=[walker])
    pilot.set_goal(14.0, 2.5, 0.0)
    drive = Drive()
    for _ in range(400):
        track.step(drive)
    assert all(command.still for command in drive.commands)
    waits = [c for c in drive.commands if c.status is PilotStatus.WAITING_FOR_PERSON]
    assert {command.cause for command in waits} == {Cause.PERSON}
    assert [command.asks for command in waits[:60]] == [False] * 60
    assert all(command.asks for command in waits[70:])
    assert 14.9 < 0.05 * len(waits) < 15.2
    assert drive.last.status is PilotStatus.FAILED
    assert drive.last.cause is Cause.BLOCKED_TOO_LONG
    assert drive.last.detail == "stood for 15 s, kept by: person"


@pytest.mark.long
def test_beside_racks_the_literal_rule_deadlocks_and_ours_does_not() -> None:
    settings: dict[str, Any] = {
        "time_limit_s": 22.0,
        "cycle_s": 0.05,
        "beams": 121,
    }
    before = run_trial("literal", **settings)
    after = run_trial("unexplained", **settings)
    assert before.deadlocked >= 8
    assert after.deadlocked == 0
    assert after.goals_reached > before.goals_reached
    assert after.contacts == 0


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="rule 'none'"):
        run_trial("none")  # type: ignore[arg-type]


def test_a_tag_beyond_a_wall_stops_nobody() -> None:
    grid = hall(8.0, 4.0)
    pilot = Pilot(grid, RobotLimits())
    here = Pose(2.0, 2.0, 0.0)
    pilot.set_goal(6.0, 2.0, 0.0)
    pilot.step(0.0, here, None, scans_with(grid, here))
    far = [TagSeen("7", 2.0, 9.0, 0.1)]
    for cycle in range(1, 10):
        command = pilot.step(cycle * 0.05, here, None, scans_with(grid, here), far)
    assert command.vx_mps > 0.0


@pytest.mark.long
def test_the_command_shows_both_rules_side_by_side(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["experiment", "stop", "--robots", "1", "--seed", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    literal, ours = told["rules"]
    assert (literal["rule"], literal["deadlocked"]) == ("literal", 1)
    assert (ours["rule"], ours["deadlocked"], ours["contacts"]) == ("unexplained", 0, 0)
    assert ours["goals_reached"] > literal["goals_reached"]
    with pytest.raises(SystemExit):
        cli.main(["experiment", "stop", "--robots", "0"])
    assert "'0' is no number of robots" in capsys.readouterr().err
