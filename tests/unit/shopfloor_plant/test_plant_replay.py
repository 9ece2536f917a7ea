"""A recorded run on the topics again: seen as it was, driven by nobody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shopfloor import cli
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.plant import Plant, Recorder, read_recording
from shopfloor.plant.recording import Recording, RecordingRefused
from shopfloor.plant.replayed import ReplayedSimulation
from shopfloor.sim.clock import ManualClock
from shopfloor.sim.world import World
from tests.support.rosbridge import LocalClient

ABORTED = 4
RESULT = "/arco/move_base/result"


@pytest.fixture(scope="module")
def run(
    arco_lab: World, lab_grid: Grid, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Twelve seconds towards A, with somebody else on the floor."""
    file = tmp_path_factory.mktemp("replay") / "run.jsonl"
    plant = Plant(arco_lab, 3, people=1, grid=lab_grid)
    place = arco_lab.places["A"]
    plant.robots[0].drive_to(Pose(place.x_m, place.y_m, place.yaw_rad))
    with Recorder(plant, file) as recorder:
        for _ in range(480):
            plant.step()
            recorder.note(plant)
        recorder.finish({})
    return file


class Viewer(LocalClient):
    simulation: ReplayedSimulation

    def __init__(self, world: World, recording: Recording) -> None:
        clock = ManualClock()
        replayed = ReplayedSimulation(world, recording, clock=clock, speed=2.0)
        super().__init__(replayed, clock)

    def told_within(self, seconds: float) -> list[dict[str, Any]]:
        self.advance(seconds)
        return [each for each in self.read() if each["op"] == "publish"]


def test_the_topics_tell_what_was_recorded(arco_lab: World, run: Path) -> None:
    recording = read_recording(run)
    viewer = Viewer(arco_lab, recording)
    for topic in ("/arco/amcl_pose", "/arco/odom", "/people"):
        viewer.subscribe(topic)
    half = viewer.told_within(3.0)
    frame = min(recording.frames, key=lambda each: abs(each["t"] - 6.0))
    told = {said["topic"]: said["msg"] for said in half}
    at = told["/arco/amcl_pose"]["pose"]["pose"]["position"]
    x_m, y_m, _ = frame["robots"]["arco"]["amcl"]
    assert (at["x"], at["y"]) == pytest.approx((x_m, y_m), abs=0.4)
    assert told["/arco/odom"]["twist"]["twist"]["linear"]["x"] > 0.3
    (person,) = told["/people"]["people"]
    walked = person["position"]["x"], person["position"]["y"]
    assert walked == pytest.approx(frame["people"]["person1"], abs=0.5)
    assert not viewer.simulation.ended
    viewer.advance(4.0)
    state = viewer.simulation.state()
    assert state["replay"]["ended"]
    last = recording.frames[-1]["robots"]["arco"]["amcl"]
    assert [state["robots"][0][key] for key in ("x_m", "y_m")] == last[:2]


def test_nobody_can_drive_in_a_replay(arco_lab: World, run: Path) -> None:
    viewer = Viewer(arco_lab, read_recording(run))
    viewer.subscribe(RESULT)
    viewer.goal("1", 4.0, 2.0, action="/arco/move_base")
    (said,) = viewer.told_within(1.0)
    assert said["msg"]["status"]["status"] == ABORTED
    assert "a_replay_takes_no_goals" in said["msg"]["status"]["text"]


def test_a_run_of_another_world_is_refused_by_name(arco_lab: World, run: Path) -> None:
    recording = read_recording(run)
    for world, changed, cause in (
        (replace(arco_lab, name="shed"), recording, "recorded in 'ARCO test env"),
        (replace(arco_lab, robots=()), recording, "no robot arco"),
        (arco_lab, replace(recording, frames=[]), "no frame"),
        (
            arco_lab,
            replace(
                recording,
                frames=[*recording.frames[:2], {**recording.frames[2], "people": {}}],
            ),
            "others are people",
        ),
    ):
        with pytest.raises(RecordingRefused, match=cause):
            ReplayedSimulation(world, changed)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--replay", "nothing.jsonl"), "cannot be read"),
        (("--replay", "RUN", "--boxes", "1"), "--boxes changes nothing in a --replay"),
        (("--replay", "RUN", "--robots", "2"), "--robots changes nothing"),
    ],
)
def test_the_command_names_what_it_cannot_replay(
    run: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    words: str,
) -> None:
    arguments = [str(run) if each == "RUN" else each for each in options]
    assert cli.main(["sim", "arco_lab", "--port", "0", *arguments]) == 2
    assert words in capsys.readouterr().err
