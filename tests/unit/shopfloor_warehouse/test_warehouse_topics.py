"""A warehouse over rosbridge: its topics, its services, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.trace import Trace
from shopfloor.warehouse.building import add
from shopfloor.warehouse.script import read_script
from shopfloor.warehouse.served import WarehouseSimulation
from shopfloor.warehouse.stepping import time_s
from shopfloor.warehouse.things import Person, Warehouse
from shopfloor.warehouse.world_file import WorldFile, find_file, load
from tests.support.kivas import hall
from tests.support.rosbridge import LocalClient

CREATE = "/warehouse/create_warehouse_models"
NUMBERS = {
    "header": {"stamp": {"secs": 5, "nsecs": 0}},
    "warehouse_name": "Tenth",
    "warehouse_id": "10",
    "robots": 3,
    "items": 12,
    "shelves": 5,
}


def client_of(start: Warehouse | WorldFile, **facts: Any) -> LocalClient:
    clock = ManualClock()
    world = start if isinstance(start, WorldFile) else WorldFile(start)
    return LocalClient(WarehouseSimulation(world, clock=clock, **facts), clock)


@pytest.fixture
def empty() -> LocalClient:
    return client_of(load(find_file("empty")))


@pytest.fixture
def client() -> LocalClient:
    """Two robots, the first below a unit, and a belt."""
    return client_of(hall((0, 0), (0, 4), units=[(0, 0), (3, 3)], belts=[(5, 0)]))


def warehouse_of(client: LocalClient) -> Warehouse:
    assert isinstance(client.simulation, WarehouseSimulation)
    return client.simulation.warehouse


def state(client: LocalClient) -> dict[str, Any]:
    answer = client.call("/warehouse/state")
    return dict(json.loads(answer["values"]["json"]))


def topics(client: LocalClient) -> list[str]:
    return list(client.call("/rosapi/topics")["values"]["topics"])


def words(client: LocalClient, topic: str = "/kiva1/status") -> list[str]:
    """Without repetitions."""
    heard = [message["data"] for message in client.messages(topic)]
    return [w for k, w in enumerate(heard) if k == 0 or heard[k - 1] != w]


VERBS = [
    ("/mov", "Mov", {"x": 2.0, "y": 1.0}, {"x_m": 2.0, "y_m": 1.0}),
    ("/movx", "MovX", {"dist": 3}, {"x_m": 3.0}),
    ("/movy", "MovY", {"dist": 2}, {"y_m": 2.0}),
    ("/rot", "Rot", {"dir": "cw"}, {"yaw_deg": 270.0}),
    ("/lift", "Lift", {"status": 1, "shelf_id": "unit1"}, {"carries": "unit1"}),
]


@pytest.mark.covers("K15", "K16", "K17", "K18", "K19", "K55")
@pytest.mark.parametrize(("topic", "kind", "message", "after"), VERBS)
def test_each_verb_is_a_topic(
    client: LocalClient,
    topic: str,
    kind: str,
    message: dict[str, Any],
    after: dict[str, Any],
) -> None:
    client.publish(topic, f"warehouse_msgs/{kind}", {**message, "kiva_id": "1"})
    client.advance(8.0)
    robot = state(client)["robots"][0]
    assert {key: robot[key] for key in after} == after
    assert robot["status"] == "idle"


@pytest.mark.covers("K43")
def test_every_topic_is_listed_from_the_start(empty: LocalClient) -> None:
    verbs = {topic for topic, *_ in VERBS}
    told = {"/warehouse/reports", "/warehouse/state", "/model_states", "/command"}
    assert verbs | told <= set(topics(empty))


@pytest.mark.covers("K20", "K40")
def test_the_status_topic_says_idle_busy_and_blocked(client: LocalClient) -> None:
    client.subscribe("/kiva1/status")
    client.publish("/movx", "warehouse_msgs/MovX", {"dist": 7, "kiva_id": "kiva1"})
    client.advance(8.0)
    assert words(client) == ["busy", "blocked", "idle"]
    client.publish("/rot", "warehouse_msgs/Rot", {"dir": "ccw", "kiva_id": 1})
    client.advance(3.0)
    assert words(client)[-2:] == ["busy", "idle"]


@pytest.mark.covers("K29", "K21")
def test_reports_show_both_levels_and_what_is_refused(client: LocalClient) -> None:
    client.subscribe("/warehouse/reports")
    mov = {"x": 2, "y": 3, "kiva_id": 1}
    for message in (mov, {**mov, "x": 5}):
        client.publish("/mov", "warehouse_msgs/Mov", message)
        client.advance(0.1)
    client.advance(8.0)
    told = [
        (m["level"], m["command"], m["outcome"])
        for m in client.messages("/warehouse/reports")
    ]
    assert told == [
        ("high", "mov 2 3 kiva1", "accepted"),
        ("low", "movx 2 kiva1", "started"),
        ("high", "mov 5 3 kiva1", "refused"),
        ("low", "rot ccw kiva1", "started"),
        ("low", "rot kiva1", "turned"),
        ("low", "movy 3 kiva1", "started"),
        ("high", "mov 2 3 kiva1", "done"),
    ]


@pytest.mark.parametrize(
    ("topic", "kind", "message", "reason"),
    [
        ("/movx", "MovX", {"dist": "far", "kiva_id": "1"}, "needs a number, not str"),
        ("/mov", "Mov", {"x": 3, "kiva_id": "1"}, "warehouse_msgs/Mov lacks y"),
        ("/mov", "Mov", {"x": 3, "y": None, "kiva_id": "1"}, "is no grid point"),
        (
            "/rot",
            "Rot",
            {"dir": "left", "kiva_id": "1"},
            "dir is cw or ccw, not 'left'",
        ),
        ("/movx", "MovX", {"dist": 1, "kiva_id": "9"}, "there is no robot kiva9"),
        ("/movx", "MovX", {"dist": 1, "kiva_id": "belt1"}, "takes no command"),
        ("/lift", "Lift", {"status": 2, "kiva_id": 1, "shelf_id": 1}, "status is 1"),
    ],
)
def test_nothing_is_refused_in_silence(
    client: LocalClient, topic: str, kind: str, message: dict[str, Any], reason: str
) -> None:
    before = warehouse_of(client)
    client.subscribe("/warehouse/reports")
    client.publish(topic, f"warehouse_msgs/{kind}", message)
    (told,) = client.messages("/warehouse/reports")
    assert told["outcome"] == "refused"
    assert reason in told["reason"]
    assert warehouse_of(client) == before


@pytest.mark.parametrize("line", ["jump 1", "lift 1 kiva2 unit1", "mov 1 kiva1"])
def test_a_line_is_refused_with_its_reason(client: LocalClient, line: str) -> None:
    client.subscribe("/warehouse/reports")
    answer = client.call("/warehouse/command", {"line": line})["values"]
    client.publish("/command", "std_msgs/String", {"data": line})
    told = client.messages("/warehouse/reports")
    assert answer["success"] is False
    assert answer["message"]
    assert [message["reason"] for message in told] == [answer["message"]] * 2


@pytest.mark.covers("K37", "K39")
def test_every_robot_has_a_laser_that_speaks_periodically(client: LocalClient) -> None:
    names = [f"/kiva{n}/chassis/laser/scan" for n in (1, 2)]
    assert set(names) <= set(topics(client))
    client.subscribe(names[0])
    client.advance(2.0)
    scans = client.messages(names[0])
    assert len(scans) == pytest.approx(20, abs=1)
    assert {len(scan["ranges"]) for scan in scans} == {21}
    assert scans[0]["angle_max"] == -scans[0]["angle_min"] > 0.0


@pytest.mark.covers("K44", "K45", "K48", "K49", "K50")
def test_items_and_units_are_tracked_all_the_time(empty: LocalClient) -> None:
    empty.call(CREATE, {**NUMBERS, "robots": 1})
    names = ["/items/item1/pose", "/storage_units/unit1/pose"]
    for name in names:
        empty.subscribe(name)
    cell = warehouse_of(empty).storage_units["unit1"].cell
    empty.call("/warehouse/command", {"line": f"mov {cell[0]} {cell[1]} kiva1"})
    empty.advance(60.0, step_s=0.1)
    for name in names:
        assert len(empty.messages(name)) == pytest.approx(300, abs=3)
    empty.call("/warehouse/command", {"line": "lift 1 kiva1 unit1"})
    empty.advance(2.0)
    empty.call("/warehouse/command", {"line": "movy -1 kiva1"})
    empty.advance(5.0)
    for name in names:
        position = empty.messages(name)[-1]["pose"]["position"]
        assert (position["x"], position["y"]) == (cell[0], cell[1] - 1)


@pytest.mark.covers("K51")
def test_model_states_hold_everything_in_one_message(client: LocalClient) -> None:
    client.subscribe("/model_states")
    client.advance(0.2)
    message = client.messages("/model_states")[-1]
    assert message["name"] == ["kiva1", "kiva2", "unit1", "unit2", "belt1"]
    assert len(message["pose"]) == len(message["twist"]) == 5


@pytest.mark.covers("K53")
def test_the_state_of_a_model_is_that_of_the_simulation(client: LocalClient) -> None:
    client.call("/warehouse/command", {"line": "movx 3 kiva2"})
    client.advance(1.5)
    answer = client.call("/get_model_state", {"model_name": "kiva2"})["values"]
    robot = warehouse_of(client).robots["kiva2"]
    assert answer["success"]
    assert answer["pose"]["position"]["x"] == pytest.approx(robot.x_m)
    stamp = answer["header"]["stamp"]
    assert stamp["secs"] + stamp["nsecs"] / 1e9 == time_s(warehouse_of(client))
    assert time_s(warehouse_of(client)) == pytest.approx(1.5, abs=0.03)
    assert answer["twist"]["linear"]["x"] == robot.wheel_mps > 0.0
    ghost = client.call("/gazebo/get_model_state", {"model_name": "ghost"})["values"]
    assert (ghost["success"], ghost["status_message"]) == (
        False,
        "there is no model ghost",
    )


@pytest.mark.covers("K42", "K43", "K47", "K52", "K56")
def test_the_service_fills_an_empty_warehouse(empty: LocalClient) -> None:
    answer = empty.call(CREATE, NUMBERS)["values"]
    assert answer["success"] is True
    assert answer["header"]["frame_id"] == ""
    facts = state(empty)
    sizes = [len(facts[key]) for key in ("robots", "items", "storage_units")]
    assert sizes == [3, 12, 5]
    assert facts["name"] == "Tenth"
    assert {"/kiva3/status", "/items/item12/pose", "/storage_units/unit5/pose"} <= set(
        topics(empty)
    )
    empty.subscribe("/kiva1/status")
    empty.call("/warehouse/command", {"line": "movx 1 kiva1"})
    empty.advance(3.0)
    assert words(empty)[-1] == "idle"


@pytest.mark.covers("K46")
@pytest.mark.parametrize("name", list(NUMBERS))
def test_a_field_that_is_missing_is_refused(empty: LocalClient, name: str) -> None:
    request = {key: value for key, value in NUMBERS.items() if key != name}
    answer = empty.call(CREATE, request)
    assert answer["result"] is False
    assert answer["values"].endswith(f"lacks {name}")
    assert warehouse_of(empty).is_empty


@pytest.mark.covers("K46", "K47")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"robots": -1}, "robots is 0 to 500, not -1"),
        ({"items": 10_000}, "do not fit into 5 storage units"),
        ({"warehouse_name": " "}, "a warehouse has a name and an id"),
    ],
)
def test_a_request_that_cannot_be_met_leaves_the_world_unchanged(
    empty: LocalClient, change: dict[str, Any], reason: str
) -> None:
    answer = empty.call(CREATE, {**NUMBERS, **change})["values"]
    assert answer["success"] is False
    assert reason in answer["message"]
    assert warehouse_of(empty).is_empty


def test_a_full_warehouse_is_replaced_only_when_that_is_said(
    client: LocalClient,
) -> None:
    before = warehouse_of(client)
    answer = client.call(CREATE, NUMBERS)["values"]
    assert "is not empty" in answer["message"]
    assert warehouse_of(client) == before
    assert client.call(CREATE, {**NUMBERS, "replace": True})["values"]["success"]
    assert "/kiva3/status" in topics(client)
    assert client.call("/warehouse/reset")["values"]["success"]
    left = [n for n in topics(client) if n.startswith(("/kiva", "/items", "/storage"))]
    assert left == []


@pytest.mark.covers("K7", "K56")
def test_a_world_is_inserted_into_an_empty_warehouse(empty: LocalClient) -> None:
    assert state(empty)["robots"] == []
    answer = empty.call("/warehouse/insert_world", {"world": "small"})["values"]
    assert answer["success"]
    assert len(state(empty)["storage_units"]) == 10
    assert empty.call("/warehouse/insert_world", {"world": "huge", "replace": True})[
        "values"
    ]["message"].startswith("there is no warehouse 'huge'")
    assert len(state(empty)["storage_units"]) == 10


@pytest.mark.covers("K73")
@pytest.mark.parametrize("form", ["yaml", "sdf"])
def test_what_is_exported_can_be_inserted_again(
    client: LocalClient, empty: LocalClient, form: str
) -> None:
    text = client.call("/warehouse/export", {"format": form})["values"]["text"]
    assert empty.call("/warehouse/insert_world", {"world": text})["values"]["success"]
    assert warehouse_of(empty) == replace(warehouse_of(client), ticks=0)


def test_a_client_reads_no_file_of_the_server(empty: LocalClient) -> None:
    answer = empty.call("/warehouse/insert_world", {"world": "worlds/kiva_small"})
    assert "there is no warehouse" in answer["values"]["message"]


@pytest.mark.covers("K57", "K65")
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("robot", {"yaw_deg": 90.0}),
        ("storage_unit", {}),
        ("belt", {"length": 3}),
        ("wall", {"columns": 2, "rows": 1}),
        ("divider", {}),
        ("blocker", {}),
        ("person", {"route": [1.0, 1.0, 1.0, 4.0]}),
    ],
)
def test_each_kind_is_spawned_alone(
    empty: LocalClient, kind: str, fields: dict[str, Any]
) -> None:
    request = {"kind": kind, "id": "thing", "at": [1.0, 1.0], **fields}
    assert empty.call("/warehouse/spawn", request)["values"]["success"]
    assert list(warehouse_of(empty).names()) == ["thing"]


@pytest.mark.covers("K57", "K44")
def test_an_item_is_spawned_into_a_unit_and_found_there(client: LocalClient) -> None:
    request = {"kind": "item", "id": "a1", "sku": "bolt", "unit_id": 2, "shelf": 3}
    assert client.call("/warehouse/spawn", request)["values"]["success"]
    found = client.call("/warehouse/find_items", {"sku": "bolt"})["values"]
    assert json.loads(found["json"]) == [
        {
            "id": "a1",
            "sku": "bolt",
            "unit": "unit2",
            "shelf": 3,
            "held_by": None,
            "at": [3.0, 3.0],
        }
    ]
    assert "/items/a1/pose" in topics(client)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"kind": "robot", "id": "r"}, "at is [x, y] in metres"),
        ({"kind": "dragon", "id": "d", "at": [1, 1]}, "there is no kind 'dragon'"),
        ({"kind": "robot", "id": "kiva1", "at": [1, 1]}, "there is a kiva1 already"),
        ({"kind": "robot", "id": "r", "at": [5, 0]}, "belt1 is in (5, 0)"),
        ({"kind": "robot", "id": "r", "at": [1.5, 0]}, "is no grid point"),
        (
            {"kind": "robot", "id": "r", "at": [1, 1], "yaw_deg": None},
            "a multiple of 90 degrees, not nan",
        ),
        ({"kind": "item", "id": "i"}, "unit_id is missing"),
        ({"kind": "belt", "id": "b", "at": [1, 1], "length": -2}, "counts of cells"),
    ],
)
def test_what_cannot_be_spawned_is_refused(
    client: LocalClient, request_: dict[str, Any], reason: str
) -> None:
    before = warehouse_of(client)
    answer = client.call("/warehouse/spawn", request_)["values"]
    assert answer["success"] is False
    assert reason in answer["message"]
    assert warehouse_of(client) == before


@pytest.mark.covers("K54")
def test_gazebos_services_spawn_and_delete_one_object(client: LocalClient) -> None:
    pose = {"position": {"x": 8.0, "y": 2.0}, "orientation": {"z": 1.0, "w": 0.0}}
    robot = "<model name='k'><link name='chassis'/><link name='tower'/></model>"
    for name, model in (("kiva3", robot), ("kiva4", "robot")):
        request = {"model_name": name, "model_xml": model, "initial_pose": pose}
        answer = client.call("/gazebo/spawn_sdf_model", request)["values"]
        assert answer["success"], answer
        assert warehouse_of(client).robots[name].yaw_deg == 180.0
        assert f"/{name}/status" in topics(client)
        gone = client.call("/gazebo/delete_model", {"model_name": name})["values"]
        assert gone["success"]
        assert f"/{name}/status" not in topics(client)
    missing = client.call("/gazebo/spawn_sdf_model", {"model_name": "x"})
    assert missing["result"] is False
    assert missing["values"].endswith("lacks model_xml")


@pytest.mark.covers("K14")
def test_a_file_of_commands_is_done_at_the_start() -> None:
    commands = tuple(read_script("mov 2 0 kiva1\nmovy 1 kiva1\nrot cw kiva2\n"))
    client = client_of(WorldFile(hall((0, 0), (0, 4)), commands))
    client.advance(10.0)
    robots = warehouse_of(client).robots
    assert robots["kiva1"].cell == (2, 1)
    assert robots["kiva2"].yaw_deg == 270.0


@pytest.mark.covers("K74")
def test_people_are_switched_on_and_seen() -> None:
    anna = Person("anna", ((3, 3), (3, 6)), 1.0, (3, 3), 3.0, 3.0)
    client = client_of(add(hall((0, 0)), anna))
    client.subscribe("/people")
    assert state(client)["people"] == []
    assert client.call("/warehouse/people", {"data": True})["values"]["success"]
    client.advance(2.0)
    (person,) = client.messages("/people")[-1]["people"]
    assert person["name"] == "anna"
    assert person["position"]["y"] > 4.0


def test_the_state_is_a_topic_too(client: LocalClient) -> None:
    client.subscribe("/warehouse/state")
    client.advance(1.0)
    told = json.loads(client.messages("/warehouse/state")[-1]["data"])
    assert [robot["id"] for robot in told["robots"]] == ["kiva1", "kiva2"]
    assert told["storage_units"][0]["id"] == "unit1"


def test_the_map_follows_the_floor(empty: LocalClient) -> None:
    empty.subscribe("/map")
    empty.call("/warehouse/insert_world", {"world": "two_robots"})
    first, second = empty.messages("/map")
    assert (first["info"]["width"], second["info"]["width"]) == (200, 120)
    assert set(first["data"]) == {0}
    assert set(second["data"]) == {0, 100}
    assert second["info"]["origin"]["position"]["x"] == -0.5


@pytest.mark.covers("K70")
def test_a_goal_is_driven_with_the_robots_own_verbs(client: LocalClient) -> None:
    client.subscribe("/warehouse/reports")
    client.watch("/kiva2/move_base")
    action = "/kiva2/move_base"
    client.goal("g1", 3.0, 6.0, action=action, yaw_rad=3.14159)
    client.advance(15.0)
    assert client.results(action) == [("g1", 3)]
    robot = state(client)["robots"][1]
    assert (robot["x_m"], robot["y_m"], robot["yaw_deg"]) == (3.0, 6.0, 180.0)
    told = [m["command"] for m in client.messages("/warehouse/reports")]
    assert "mov 3 6 kiva2" in told


@pytest.mark.covers("K70")
@pytest.mark.parametrize(
    ("goal", "reason"),
    [((2.5, 1.0), "no grid point"), ((50.0, 1.0), "goal_outside")],
)
def test_a_goal_that_is_no_grid_point_is_aborted_with_the_reason(
    client: LocalClient, goal: tuple[float, float], reason: str
) -> None:
    action = "/kiva2/move_base"
    client.watch(action)
    client.goal("g", *goal, action=action)
    client.advance(1.0)
    result = client.messages(f"{action}/result")[0]["status"]
    assert (result["status"], reason in result["text"]) == (4, True)


@pytest.mark.covers("K70")
def test_a_goal_that_is_called_off_stops_the_robot_on_a_grid_point(
    client: LocalClient,
) -> None:
    action = "/kiva2/move_base"
    client.watch(action)
    client.goal("g", 8.0, 4.0, action=action)
    client.advance(1.4)
    client.cancel("g", action=action)
    client.advance(2.0)
    assert client.results(action) == [("g", 2)]
    assert warehouse_of(client).robots["kiva2"].cell == (2, 4)
    client.call("/warehouse/command", {"line": "movx 1 kiva2"})
    client.advance(2.0)
    assert warehouse_of(client).robots["kiva2"].cell == (3, 4)


def test_the_pose_of_arrival_is_told_before_the_arrival(client: LocalClient) -> None:
    action = "/kiva2/move_base"
    client.watch(action)
    client.subscribe("/kiva2/amcl_pose")
    client.goal("g", 3.0, 4.0, action=action)
    client.advance(5.0)
    client.read()
    topics_heard = [frame["topic"] for frame in client.heard if "topic" in frame]
    arrived = topics_heard.index(f"{action}/result")
    before = [f["msg"] for f in client.heard if "topic" in f][:arrived]
    poses = [m["pose"]["pose"] for m in before if "pose" in m and "result" not in m]
    assert poses[-1]["position"]["x"] == 3.0


def test_a_goal_ends_when_its_warehouse_is_replaced(client: LocalClient) -> None:
    action = "/kiva2/move_base"
    client.watch(action)
    client.goal("g", 8.0, 4.0, action=action)
    client.advance(1.0)
    request = {"world": "small", "replace": True}
    assert client.call("/warehouse/insert_world", request)["values"]["success"]
    client.advance(1.0)
    result = client.messages(f"{action}/result")[0]["status"]
    assert (result["status"], result["text"]) == (4, "the warehouse was replaced")
    assert state(client)["robots"][1]["status"] == "idle"


def test_a_trace_holds_every_report() -> None:
    client = client_of(hall((0, 0)), trace=Trace(keep=True))
    client.call("/warehouse/command", {"line": "movx 2 kiva1"})
    client.advance(3.0)
    kept = [r for r in client.simulation.trace.records if r["event"] == "report"]
    assert [r["outcome"] for r in kept] == ["accepted", "started", "done"]


@pytest.fixture(params=["mov", "lift"])
def verb(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_numbers_are_good_names(client: LocalClient, verb: str) -> None:
    message: dict[str, Callable[[], dict[str, Any]]] = {
        "mov": lambda: {"x": 1, "y": 0, "kiva_id": 1},
        "lift": lambda: {"status": 1, "kiva_id": 1, "shelf_id": 1},
    }
    kind = f"warehouse_msgs/{verb.title()}"
    client.publish(f"/{verb}", kind, message[verb]())
    client.advance(0.1)
    assert state(client)["robots"][0]["command"].startswith(verb)
