"""A warehouse on real sockets: stock clients play it unchanged, so does the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.stock_clients import ROOT, Seen, played_in_node, reported

SUITE = Path(__file__).parent / "roslibjs" / "warehouse.js"
DEADLINE_S = 60
CREATE = "/warehouse/create_warehouse_models"


def play_roslibpy(url: str) -> Seen:
    """The same steps as ``warehouse.js``."""
    import threading

    import roslibpy

    host, port = url.removeprefix("ws://").split(":")
    ros = roslibpy.Ros(host, int(port), transport="asyncio")
    ros.run(timeout=DEADLINE_S)

    def call(name: str, kind: str, **args: Any) -> Any:
        request = roslibpy.ServiceRequest(args)
        return roslibpy.Service(ros, name, kind).call(request, timeout=DEADLINE_S)

    def until(name: str, kind: str, wanted: Callable[[Any], bool]) -> Callable[[], Any]:
        topic, there = roslibpy.Topic(ros, name, kind), threading.Event()
        kept: list[Any] = []

        def hear(message: Any) -> None:
            if wanted(message) and not kept:
                kept.append(message)
                there.set()

        def wait() -> Any:
            assert there.wait(DEADLINE_S)
            topic.unsubscribe()
            return kept[0]

        topic.subscribe(hear)
        return wait

    def position(name: str) -> Any:
        kind = "gazebo_msgs/GetModelState"
        return call("/get_model_state", kind, model_name=name)["pose"]["position"]

    numbers = {
        "header": {},
        "warehouse_name": "Python",
        "warehouse_id": "1",
        "robots": 2,
        "items": 4,
        "shelves": 2,
        "replace": True,
    }
    kind = "warehouse_msgs/CreateWarehouse"
    seen: Seen = {"created": call(CREATE, kind, **numbers)["success"]}
    del numbers["shelves"]
    try:
        call(CREATE, kind, **numbers)
    except roslibpy.core.ServiceException as error:
        seen["missing"] = str(error)
    started = position("kiva1")
    reports = "/warehouse/reports", "warehouse_msgs/Report"
    ended = until(*reports, lambda m: m["outcome"] == "done")
    status = until("/kiva1/status", "std_msgs/String", lambda m: m["data"] == "busy")
    roslibpy.Topic(ros, "/movy", "warehouse_msgs/MovY").publish(
        roslibpy.Message({"dist": -2, "kiva_id": "1"})
    )
    seen["status"] = status()["data"]
    seen["ended"] = ended()["command"]
    there = position("kiva1")
    seen["moved"] = [there["x"] - started["x"], there["y"] - started["y"]]
    refused = until(*reports, lambda m: m["outcome"] == "refused")
    roslibpy.Topic(ros, "/lift", "warehouse_msgs/Lift").publish(
        roslibpy.Message({"status": 1, "kiva_id": "1", "shelf_id": "1"})
    )
    seen["refused"] = refused()["reason"]
    pose = until("/items/item1/pose", "geometry_msgs/PoseStamped", lambda _: True)
    seen["item"] = pose()["header"]["frame_id"]
    scan = "/kiva1/chassis/laser/scan", "sensor_msgs/LaserScan"
    seen["rays"] = len(until(*scan, lambda _: True)()["ranges"])
    ros.terminate()
    return seen


if __name__ == "__main__":
    print(json.dumps(play_roslibpy(sys.argv[1])))
    sys.stdout.flush()
    os._exit(0)


@pytest.fixture(scope="module")
def warehouse_url() -> Iterator[str]:
    from shopfloor.sim.server import running
    from shopfloor.warehouse.served import WarehouseSimulation
    from shopfloor.warehouse.world_file import find_file, load

    empty = load(find_file("empty"))
    with running(WarehouseSimulation(empty, speed=5.0)) as simulator:
        yield simulator.url


@pytest.mark.covers("K55", "K56", "K52", "K49", "K39", "K20")
@pytest.mark.parametrize("client", ["roslibpy", "roslibjs"])
def test_stock_clients_build_command_and_watch_a_warehouse(
    client: str, warehouse_url: str
) -> None:
    if client == "roslibjs":
        seen = played_in_node(SUITE, warehouse_url)
    else:
        seen = reported([sys.executable, __file__, warehouse_url], None)
    assert seen.pop("missing").endswith("lacks shelves")
    assert "unit1 stands" in seen.pop("refused")
    assert seen == {
        "created": True,
        "status": "busy",
        "ended": "movy -2 kiva1",
        "moved": [0.0, -2.0],
        "item": "map",
        "rays": 21,
    }


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    from shopfloor import cli

    code = cli.main(["warehouse", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.covers("K6", "K14", "K60")
def test_the_command_starts_fills_commands_and_shows_a_warehouse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "go.txt"
    script.write_text("movx 1 kiva1\n")
    command = [sys.executable, "-m", "shopfloor", "sim", "kiva_two_robots"]
    command += ["--port", "0", "--speed", "10", "--commands", str(script)]
    with subprocess.Popen(
        [*command, "--with-parent"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        ready = json.loads(started.stdout.readline())
        assert ready["robots"] == ["kiva1", "kiva2"]
        url = ["--url", ready["url"]]
        try:
            # The file of commands may still be under way: then it is refused.
            code, out, err = 1, "", ""
            while code == 1:
                words = ["command", "mov", "3", "5", "kiva1", "--wait", *url]
                code, out, err = asked(capsys, *words)
                assert code == 0 or "is moving" in err or "about to" in err
            assert json.loads(out)["outcome"] == "done"
            code, out, err = asked(capsys, "command", "lift", "1", "1", "2", *url)
            assert (code, out) == (1, "")
            assert "unit2 stands 5 m away from kiva1" in err
            code, out, _ = asked(capsys, "state", *url)
            robot = json.loads(out)["robots"][0]
            assert (robot["x_m"], robot["y_m"], robot["status"]) == (3.0, 5.0, "idle")
            code, out, _ = asked(capsys, "state", "--stock", "nut", *url)
            assert [item["unit"] for item in json.loads(out)] == ["unit2"]
            code, out, _ = asked(capsys, "state", "--format", "sdf", *url)
            (tmp_path / "w.sdf").write_text(out)
            code, _, err = asked(capsys, "create", "small", *url)
            assert code == 1
            assert "is not empty" in err
            saved = [str(tmp_path / "w.sdf"), "--replace", *url]
            assert asked(capsys, "create", *saved)[0] == 0
            sizes = ["--robots", "1", "--items", "0", "--shelves", "2", "--replace"]
            code, out, _ = asked(capsys, "create", *sizes, *url)
            assert "1 robots, 2 storage units" in json.loads(out)["made"]
        finally:
            started.communicate(timeout=DEADLINE_S)
    assert started.returncode == 0


@pytest.mark.covers("K70")
def test_the_bridge_drives_a_warehouse_robot_and_its_log_is_analysed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from mpms.cli import main
    from shopfloor import cli
    from shopfloor.sim.server import running
    from shopfloor.sim.trace import Trace
    from shopfloor.warehouse.served import WarehouseSimulation
    from shopfloor.warehouse.world_file import find_file, load

    trace = tmp_path / "run.jsonl"
    small = load(find_file("small"))
    with running(WarehouseSimulation(small, speed=10.0, trace=Trace(trace))) as sim:
        words = ["robots", "probe", sim.url, "--profile", "kiva", "--robot", "kiva1"]
        where = ["--namespace", "/kiva1", "--timeout", "30"]
        codes, stories = [], []
        for goal in (["4", "2"], ["4.5", "2"]):
            codes.append(main([*words, *where, "--goal", *goal]))
            stories.append(json.loads(capsys.readouterr().out))
        robot = sim.robot("kiva1")
    assert codes == [0, 1]
    assert stories[0]["final"] == "SUCCEEDED"
    assert (robot["x_m"], robot["y_m"], robot["yaw_deg"]) == (4.0, 2.0, 0.0)
    assert stories[0]["problems"] == []
    assert "(4.5, 2) is no grid point" in stories[1]["reason"]
    assert cli.main(["warehouse", "log", str(trace)]) == 0
    told = json.loads(capsys.readouterr().out)["robots"]["kiva1"]
    assert (told["done"], told["metres"]) == (told["commands"], 5.0)
    assert told["busy_s"] > 5.0


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["create"], 2, "a world, or numbers"),
        (["create", "small", "--robots", "2"], 2, "a world, or numbers"),
        (["create", "--robots", "2"], 2, "--items, --shelves is missing"),
        (["command", "fly", "1"], 1, "there is no verb 'fly'"),
        (["state", "--url", "ws://127.0.0.1:1"], 2, "nobody answers at"),
        (["experiment", "huge"], 1, "there is no warehouse 'huge'"),
        (["experiment", "small", "--units", "99"], 2, "--units is 1 to 10, not 99"),
        (["experiment", "small", "--robots", "3", "--units", "1"], 1, "1 to 2, not 3"),
        (["log", "no-such-file"], 2, "cannot be read"),
        (["log", "pyproject.toml"], 1, "line 1 is none of a trace"),
    ],
)
def test_what_the_command_cannot_use_is_said(
    words: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, out, err = asked(capsys, *words)
    assert (ended, out) == (code, "")
    assert reason in err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["kiva_small", "--robots", "3"], "--robots is not for a warehouse"),
        (["kiva_small", "--boxes", "3"], "--boxes is not for a warehouse"),
        (["kiva_small", "--dialect", "ros2"], "--dialect is not for a warehouse"),
        (["kiva_small", "--pedestrians"], "has no people who could walk"),
        (["kiva_small", "--commands", "no-such-file"], "cannot be read"),
        (["kiva_huge"], "there are alley, arco_lab, grid_hall, kiva_empty"),
        (["arco_lab", "--pedestrians"], "--pedestrians is for warehouses"),
    ],
)
def test_a_warehouse_that_cannot_be_started_says_why(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from shopfloor import cli

    assert cli.main(["sim", *words, "--port", "0"]) == 2
    assert reason in capsys.readouterr().err
