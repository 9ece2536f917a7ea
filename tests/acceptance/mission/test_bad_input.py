"""What cannot be is refused by name at the commands and topics; the robot stands.

What only sensors can say (a scan of infinities, time that goes backwards) is injected
below the topics, where a real laser or clock would fail.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shopfloor import cli
from shopfloor.plant.served import FullSimulation
from shopfloor.sim.clock import ManualClock
from shopfloor.sim.world_file import load_world

ROOT = Path(__file__).resolve().parents[3]
ABORTED, SUCCEEDED = 4, 3
GOAL, RESULT = "/arco/move_base/goal", "/arco/move_base/result"


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shopfloor(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in this process: its code, what it prints and what it complains."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def map_file(tmp_path: Path) -> str:
    """Ten metres square with a wall across the middle."""
    shades = np.full((100, 100), 254, np.uint8)
    shades[:, 48:52] = 0
    shades[70:80, :] = 254
    Image.fromarray(shades).save(tmp_path / "map.png")
    (tmp_path / "map.yaml").write_text(
        "image: map.png\nresolution: 0.1\norigin: [0.0, 0.0, 0.0]\n"
        "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )
    return str(tmp_path / "map.yaml")


@pytest.mark.parametrize(
    ("goal", "status"),
    [
        (("30", "5"), "goal_outside"),
        (("5", "8"), "goal_blocked"),
        (("nan", "5"), "goal_not_finite"),
        (("8", "inf"), "goal_not_finite"),
    ],
)
def test_a_goal_that_cannot_be_is_no_path_with_its_cause(
    shopfloor: Command, map_file: str, goal: tuple[str, str], status: str
) -> None:
    arguments = ("plan", map_file, "--start", "1", "1", "--goal", *goal)
    code, out, _ = shopfloor(*arguments)
    assert code == 1
    answer = json.loads(out)
    assert answer["status"] == status
    assert answer["points"] == []


@pytest.mark.parametrize(
    ("size", "words"), [((0, 0), "0 by 0"), ((20_000, 20_000), "20000 by 20000")]
)
def test_a_map_of_no_size_or_too_much_is_refused_by_the_planner(
    shopfloor: Command, tmp_path: Path, size: tuple[int, int], words: str
) -> None:
    file = tmp_path / "odd.map"
    file.write_text(f"type octile\nheight {size[0]}\nwidth {size[1]}\nmap\n")
    code, out, told = shopfloor(
        "plan", str(file), "--start", "1", "1", "--goal", "2", "2"
    )
    assert (code, out) == (2, "")
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (("0", "0"), "map.width_m is 0"),
        (("20000", "20000"), "20000 by 20000 cells is above the limit"),
        (("1000000000", "1"), "above the limit"),
        ((".nan", "5"), "map.width_m is nan"),
    ],
)
@pytest.mark.parametrize("command", ["sim", "mission"])
def test_a_world_of_no_size_or_too_much_is_refused_before_it_is_built(
    shopfloor: Command, tmp_path: Path, size: tuple[str, str], words: str, command: str
) -> None:
    (tmp_path / "world.yaml").write_text(
        "name: odd\nmap:\n  resolution_m: 1.0\n"
        f"  width_m: {size[0]}\n  height_m: {size[1]}"
        "\nplaces: {home: {x_m: 1, y_m: 1}}\nrobots: [{id: r1, home: home}]\n"
    )
    full = ("--port", "0", "--navigation", "full") if command == "sim" else ()
    code, out, told = shopfloor(command, str(tmp_path), *full)
    assert (code, out) == (2, "")
    assert words in told
    assert told.count("\n") == 1


def test_options_of_the_full_simulation_are_refused_where_they_mean_nothing(
    shopfloor: Command,
    tmp_path: Path,
) -> None:
    code, _, told = shopfloor("sim", "arco_lab", "--port", "0", "--people", "2")
    assert code == 2
    assert "--people is for --navigation full" in told
    full = ("sim", "arco_lab", "--port", "0", "--navigation", "full")
    code, _, told = shopfloor(*full, "--boxes", "500")
    assert code == 2
    assert "500 boxes do not fit" in told
    code, _, told = shopfloor(*full, "--record", str(tmp_path / "none" / "run.jsonl"))
    assert code == 2
    assert "cannot be written" in told


class Bridge:
    """A rosbridge client in the process of a simulation that navigates."""

    def __init__(self) -> None:
        world = load_world(ROOT / "worlds" / "arco_lab")
        self.clock = ManualClock()
        self.simulation = FullSimulation(world, clock=self.clock, seed=1)
        self.machine = self.simulation.plant.robots[0]
        self._session = self.simulation.connect()
        self._send(op="subscribe", topic=RESULT)
        kind = "move_base_msgs/MoveBaseActionGoal"
        self._send(op="advertise", topic=GOAL, type=kind)

    def _send(self, **frame: Any) -> None:
        self._session.receive(json.dumps(frame))

    def goal(self, x_m: float | None, y_m: float | None, w: float = 1.0) -> None:
        pose = {"position": {"x": x_m, "y": y_m}, "orientation": {"w": w}}
        target = {"header": {"frame_id": "map"}, "pose": pose}
        body = {"goal_id": {"id": f"{x_m} {y_m}"}, "goal": {"target_pose": target}}
        self._send(op="publish", topic=GOAL, msg=body)

    def results(self, seconds: float) -> list[tuple[int, str]]:
        for _ in range(round(seconds / 0.05)):
            self.clock.advance(0.05)
            self.simulation.step()
        said = [json.loads(frame) for frame in self._session.outbox.take_all()]
        ends = [each["msg"]["status"] for each in said if each["op"] == "publish"]
        return [(end["status"], end["text"]) for end in ends]


@pytest.fixture
def bridge() -> Bridge:
    return Bridge()


@pytest.mark.parametrize(
    ("goal", "cause"),
    [
        ((100.0, 2.0), "goal_outside"),
        ((-1.0, 2.0), "goal_outside"),
        ((1e308, 1e308), "goal_outside"),
        ((6.5, 4.75), "goal_in_wall"),
        ((math.nan, 2.0), "goal_not_finite"),
        ((None, 2.0), "goal_not_finite"),
        ((4.0, 2.0, 1e308), "invalid quaternion"),
        ((4.0, 2.0, math.nan), "invalid quaternion"),
    ],
)
def test_a_goal_on_the_topic_that_cannot_be_is_aborted_by_name(
    bridge: Bridge, goal: tuple[Any, ...], cause: str
) -> None:
    bridge.goal(*goal)
    ((status, text),) = bridge.results(1.0)
    assert status == ABORTED
    assert cause in text
    assert bridge.machine.body.travelled_m == 0.0


def blind(bridge: Bridge) -> Callable[[], None]:
    """Not one beam of either laser comes back."""
    sense = bridge.machine.sense

    def sensed(*args: Any) -> None:
        sense(*args)
        for scan in bridge.machine.scans:
            scan.ranges_m[:] = math.inf

    bridge.machine.sense = sensed  # type: ignore[method-assign,assignment]
    return lambda: setattr(bridge.machine, "sense", sense)


def turned_clock(bridge: Bridge) -> Callable[[], None]:
    """The clock of the robot runs backwards."""
    act = bridge.machine.act

    def acted(now_s: float, *args: Any) -> Any:
        return act(1000.0 - now_s, *args)

    bridge.machine.act = acted  # type: ignore[method-assign,assignment]
    return lambda: setattr(bridge.machine, "act", act)


@pytest.mark.parametrize(
    ("break_it", "cause"),
    [(blind, "lasers_see_nothing"), (turned_clock, "time_went_backwards")],
)
def test_a_robot_whose_laser_or_clock_fails_stands_and_goes_on_afterwards(
    bridge: Bridge, break_it: Callable[[Bridge], Callable[[], None]], cause: str
) -> None:
    bridge.goal(8.0, 2.5)
    assert bridge.results(4.0) == []
    body = bridge.machine.body
    assert body.speed_mps > 0.2
    mend = break_it(bridge)
    assert bridge.results(2.0) == []
    assert bridge.machine.command.cause is not None
    assert bridge.machine.command.cause.value == cause
    assert body.speed_mps == 0.0
    stood_at = body.pose
    bridge.results(1.0)
    assert body.pose == stood_at
    mend()
    for _ in range(60):
        if ended := bridge.results(1.0):
            break
    assert [status for status, _ in ended] == [SUCCEEDED]


def test_an_unknown_anchor_and_ranges_out_of_order_are_refused_by_name(
    shopfloor: Command,
    tmp_path: Path,
) -> None:
    anchors = tmp_path / "anchors.csv"
    anchors.write_text("anchor,x,y\na,0,0\nb,10,0\nc,0,10\n")
    for rows, words in (
        ("0,w,zz,3,1,1\n", "unknown anchor zz"),
        ("1,w,a,3,1,1\n0,w,a,3,1,1\n", "follows one of 1.000 s"),
    ):
        ranges = tmp_path / "ranges.csv"
        ranges.write_text("t,tag,anchor,range,true_x,true_y\n" + rows)
        code, out, told = shopfloor("uwb", str(ranges), "--anchors", str(anchors))
        assert (code, out) == (2, "")
        assert words in told
