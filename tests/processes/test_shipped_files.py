"""The models, forms and worlds that come with the product are well made.

They are files only, so nothing else would notice a form that is missing, a flow
that is drawn beside its shape or a place inside a wall.
"""

import json
import math
import re
from collections.abc import Iterator
from importlib.resources import as_file, files
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from lxml import etree
from PIL import Image

from mpms.engine import lint
from mpms.engine.decisions import check_decisions, read_decisions
from mpms.engine.expressions import (
    compile_condition,
    compile_script,
    compile_value,
    parse_duration,
)
from mpms.factory.plugin import plugin
from tests.support.diagrams import BPMN, Box, Diagram, touches_border

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "processes").glob("*.bpmn"))
DECISIONS = sorted((ROOT / "processes").glob("*.dmn"))
FORMS = sorted((ROOT / "forms").glob("*.form"))
WORLDS = ROOT / "worlds"

CAMUNDA = "{http://camunda.org/schema/1.0/bpmn}"

FIELDS = {
    *("text", "textfield", "textarea", "number", "datetime", "checkbox"),
    *("radio", "select"),
    *("group", "table", "scan", "weigh"),
}
WORDS = re.compile(r"[a-z]+(_[a-z]+)*")
STOPS = ("home", "A", "tank", "B", "tank", "C", "tank", "home")

each_model = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
each_world = pytest.mark.parametrize("name", ["arco_lab", "paint_factory"])
each_form = pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)


def validated(path: Path, package: str, schema: str) -> str:
    """The complaints of the schema that SpiffWorkflow ships."""
    with as_file(files(package) / "schema") as folder:
        checker = etree.XMLSchema(etree.parse(folder / schema))
    checker.validate(etree.parse(path))
    return str(checker.error_log)


def components(path: Path) -> Iterator[dict[str, Any]]:
    waiting = list(json.loads(path.read_text(encoding="utf-8"))["components"])
    while waiting:
        component = waiting.pop(0)
        yield component
        waiting.extend(component.get("components", ()))


def test_the_models_of_the_factory_are_there() -> None:
    assert [path.name for path in MODELS] == [
        "fetch_shelf.bpmn",
        "goods_in.bpmn",
        "last_mile.bpmn",
        "orders_handling.bpmn",
        "pick_at_station.bpmn",
        "retrieve_package.bpmn",
        "return_material.bpmn",
        "store_package.bpmn",
        "warehouse.bpmn",
        "warehouse_simplified.bpmn",
    ]
    assert [path.name for path in DECISIONS] == ["weight_tolerance.dmn"]


@pytest.mark.covers("A79")
@each_model
def test_a_model_is_valid_against_the_bpmn_schema(path: Path) -> None:
    assert validated(path, "SpiffWorkflow.bpmn.parser", "BPMN20.xsd") == ""


def test_the_decision_is_valid_against_the_dmn_schema() -> None:
    for path in DECISIONS:
        assert validated(path, "SpiffWorkflow.dmn.parser", "DMN13.xsd") == ""


@each_model
def test_the_lint_has_nothing_against_a_model(path: Path) -> None:
    assert lint.check(path.read_bytes()).problems == []


@each_model
def test_a_process_is_executable_and_named_like_its_file(path: Path) -> None:
    process = Diagram(path).process
    assert process.get("id") == path.stem
    assert process.get("isExecutable") == "true"
    assert process.get(f"{CAMUNDA}historyTimeToLive")


@pytest.mark.parametrize("path", [*MODELS, *DECISIONS], ids=lambda path: path.name)
def test_ids_are_words_and_unique(path: Path) -> None:
    ids = [node.get("id", "") for node in etree.parse(path).iter() if node.get("id")]
    assert [text for text in ids if not WORDS.fullmatch(text)] == []
    assert len(ids) == len(set(ids))


@pytest.mark.covers("A79")
@each_model
def test_every_element_and_every_flow_is_drawn(path: Path) -> None:
    drawing = Diagram(path)
    outside = {
        part.get("id") for tag in ("participant", "lane") for part in drawing.all(tag)
    }
    assert set(drawing.shapes) == set(drawing.nodes) | outside
    assert set(drawing.edges) == set(drawing.flows)


@each_model
def test_shapes_do_not_overlap(path: Path) -> None:
    drawing = Diagram(path)
    for one, other in combinations(drawing.nodes, 2):
        if other in (drawing.attached(one), one) or one == drawing.attached(other):
            continue
        assert not drawing.drawn(one).overlaps(drawing.drawn(other)), (one, other)


@each_model
def test_labels_lie_on_no_shape_and_on_no_other_label(path: Path) -> None:
    drawing = Diagram(path)
    for owner, label in drawing.labels.items():
        hidden = [node for node in drawing.nodes if label.overlaps(drawing.drawn(node))]
        assert hidden == [], owner
    for (one, first), (other, second) in combinations(drawing.labels.items(), 2):
        assert not first.overlaps(second), (one, other)


@each_model
def test_every_event_gateway_and_flow_with_a_name_has_a_place_for_it(
    path: Path,
) -> None:
    drawing = Diagram(path)
    named = {
        key
        for key, element in {**drawing.nodes, **drawing.flows}.items()
        if element.get("name")
        and etree.QName(element).localname.endswith(("Event", "Gateway", "Flow"))
    }
    assert set(drawing.labels) == named


@each_model
def test_a_boundary_event_sits_on_the_border_of_its_task(path: Path) -> None:
    drawing = Diagram(path)
    for event in drawing.all("boundaryEvent"):
        box = drawing.drawn(event.get("id", ""))
        centre = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        host = drawing.drawn(event.get("attachedToRef", ""))
        assert touches_border(centre, "task", host), event.get("id")


@each_model
def test_flows_are_orthogonal_and_dock_on_the_borders_of_their_shapes(
    path: Path,
) -> None:
    drawing = Diagram(path)
    for key, points in drawing.edges.items():
        for (x1, y1), (x2, y2) in pairwise(points):
            assert (x1 == x2) != (y1 == y2), key
        flow = drawing.flows[key]
        for end, point in (("sourceRef", points[0]), ("targetRef", points[-1])):
            node = flow.get(end, "")
            tag = etree.QName(drawing.nodes[node]).localname
            assert touches_border(point, tag, drawing.drawn(node)), (key, end)


@each_model
def test_no_flow_runs_through_a_shape(path: Path) -> None:
    drawing = Diagram(path)
    for key, points in drawing.edges.items():
        flow = drawing.flows[key]
        ends = {flow.get("sourceRef"), flow.get("targetRef")}
        ends |= {drawing.attached(end or "") for end in ends}
        for (x1, y1), (x2, y2) in pairwise(points):
            line = Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
            crossed = [
                node
                for node in drawing.nodes
                if node not in ends and line.overlaps(drawing.drawn(node))
            ]
            assert crossed == [], key


@pytest.mark.parametrize("stem", ["warehouse", "warehouse_simplified"])
def test_every_step_is_drawn_inside_the_lane_of_its_actor(stem: str) -> None:
    drawing = Diagram(ROOT / "processes" / f"{stem}.bpmn")
    lane_of = {
        reference.text: lane
        for lane in drawing.all("lane")
        for reference in lane.iterfind(f"{BPMN}flowNodeRef")
    }
    assert set(lane_of) == set(drawing.nodes)
    assert [lane.get("name") for lane in drawing.all("lane")] == [
        "Worker",
        "Robot",
        "MPMS",
    ]
    for key, node in drawing.nodes.items():
        lane = lane_of[key]
        if drawing.attached(key) is None:
            assert drawing.shapes[lane.get("id")].contains(drawing.drawn(key)), key
        topic = node.get(f"{CAMUNDA}topic", "")
        if node.tag == f"{BPMN}userTask":
            assert lane.get("name") == "Worker"
            assert node.get(f"{CAMUNDA}candidateGroups") == "worker"
        elif topic.startswith("robot."):
            assert lane.get("name") == "Robot"
        elif topic:
            assert lane.get("name") == "MPMS"


@each_model
def test_every_form_decision_and_topic_of_a_model_exists(path: Path) -> None:
    drawing = Diagram(path)
    for task in drawing.all("userTask"):
        form = task.get(f"{CAMUNDA}formKey")
        assert (ROOT / "forms" / f"{form}.form").is_file(), task.get("id")
    for task in drawing.all("businessRuleTask"):
        decision = task.get(f"{CAMUNDA}decisionRef")
        assert decision in {path.stem for path in DECISIONS}
    for task in drawing.all("serviceTask"):
        assert task.get(f"{CAMUNDA}type") == "external"
        assert task.get(f"{CAMUNDA}topic") in plugin.topics, task.get("id")


@each_model
def test_every_expression_script_and_timer_of_a_model_can_be_read(path: Path) -> None:
    drawing = Diagram(path)
    for condition in drawing.all("conditionExpression"):
        compile_condition(condition.text or "")
    for task in drawing.all("scriptTask"):
        assert task.get("scriptFormat") == "mpms"
        compile_script(task.findtext(f"{BPMN}script") or "")
    for duration in drawing.all("timeDuration"):
        if (duration.text or "").startswith("${"):
            compile_value(duration.text or "")
        else:
            parse_duration(duration.text or "")
    for parameter in drawing.root.iter(f"{CAMUNDA}inputParameter"):
        compile_value(parameter.text or "")


@each_model
def test_an_exclusive_choice_has_one_default_and_conditions_on_the_rest(
    path: Path,
) -> None:
    drawing = Diagram(path)
    for gateway in drawing.all("exclusiveGateway"):
        ways = [part.text or "" for part in gateway.iterfind(f"{BPMN}outgoing")]
        if len(ways) == 1:
            continue
        assert gateway.get("name"), gateway.get("id")
        assert gateway.get("default") in ways, gateway.get("id")
        for way in ways:
            conditional = drawing.flows[way].find(f"{BPMN}conditionExpression")
            assert (conditional is None) == (way == gateway.get("default")), way


def test_only_the_full_model_weighs() -> None:
    for stem, weighs in (("warehouse", True), ("warehouse_simplified", False)):
        drawing = Diagram(ROOT / "processes" / f"{stem}.bpmn")
        topics = {task.get(f"{CAMUNDA}topic") for task in drawing.all("serviceTask")}
        assert ("scale.weigh" in topics) is weighs
        assert bool(list(drawing.all("businessRuleTask"))) is weighs


@pytest.mark.parametrize(
    ("required_kg", "measured_kg", "right"),
    [
        (100, 100, True),
        (100, 102, True),
        (100, 98, True),
        (100, 102.001, False),
        (100, 97.9, False),
        (12, 12.24, True),
        (1, 1.05, True),
        (1, 1.051, False),
        (0.2, 0, False),
    ],
)
def test_a_weight_is_right_within_two_percent_or_fifty_grams(
    required_kg: float, measured_kg: float, right: bool
) -> None:
    [path] = DECISIONS
    xml = path.read_bytes()
    assert check_decisions(xml) == []
    decision = read_decisions(xml)[path.stem]
    variables = {"material": {"required_kg": required_kg}, "measured_kg": measured_kg}
    assert decision.decide(variables).outputs == {"weight_ok": right}


@each_form
def test_a_form_is_named_like_its_file_and_uses_known_fields(path: Path) -> None:
    form = json.loads(path.read_text(encoding="utf-8"))
    assert (form["id"], form["type"]) == (path.stem, "default")
    assert form["schemaVersion"] >= 16
    found = list(components(path))
    assert {component["type"] for component in found} <= FIELDS
    ids = [component["id"] for component in found]
    assert len(ids) == len(set(ids))
    for component in found:
        if component["type"] not in ("text", "group", "table"):
            assert WORDS.fullmatch(component["key"])
            assert component.get("label") or component["dateLabel"]


@each_form
def test_every_form_belongs_to_a_task(path: Path) -> None:
    used = {
        task.get(f"{CAMUNDA}formKey")
        for model in MODELS
        for task in Diagram(model).all("userTask")
    }
    assert path.stem in used


def test_the_worker_sees_the_required_and_loaded_amounts_before_mixing() -> None:
    tables = {
        component["dataSource"]: [column["key"] for column in component["columns"]]
        for component in components(ROOT / "forms" / "start_mixing.form")
        if component["type"] == "table"
    }
    assert {"code", "name", "required_kg", "loaded_kg"} <= set(tables["=loaded"])


def test_the_decision_form_offers_what_the_gateway_asks_for() -> None:
    fields = {
        component.get("key"): component
        for component in components(ROOT / "forms" / "order_failed.form")
    }
    offered = [choice["value"] for choice in fields["decision"]["values"]]
    assert offered == [
        *("try again", "another robot", "skip this drive", "bring the material back"),
        *("complete manually", "cancel"),
    ]
    assert fields["reason"]["validate"]["required"]
    for stem in ("warehouse", "warehouse_simplified"):
        drawing = Diagram(ROOT / "processes" / f"{stem}.bpmn")
        flow = drawing.flows["decision_made_to_order_cancelled"]
        condition = compile_condition(flow.findtext(f"{BPMN}conditionExpression") or "")
        assert [v for v in offered if condition.holds({"decision": v})] == ["cancel"]


def world(name: str) -> dict[str, Any]:
    file = WORLDS / name / "world.yaml"
    loaded = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def place(plant: dict[str, Any], name: str) -> tuple[float, float]:
    found = plant["places"][name]
    return found["x_m"], found["y_m"]


@each_world
def test_a_world_knows_the_place_of_every_material_and_the_home_of_every_robot(
    name: str,
) -> None:
    plant = world(name)
    catalogue = json.loads((WORLDS / name / "catalogue.json").read_text("utf-8"))
    assert set(plant["materials"]) == {
        material["code"] for material in catalogue["materials"]
    }
    assert set(plant["materials"].values()) <= set(plant["places"])
    homes = [robot["home"] for robot in plant["robots"]]
    assert len(homes) == len(set(homes)) >= 1
    assert set(homes) <= set(plant["places"])
    assert set(plant.get("tanks", {"default": "tank"}).values()) <= set(plant["places"])


@pytest.mark.covers("A67")
def test_the_factory_has_racks_dosing_places_three_tanks_and_people() -> None:
    plant = world("paint_factory")
    places = set(plant["places"])
    assert {"goods_in", "dosing_1", "dosing_2", "home", "home_2", "home_3"} <= places
    assert set(plant["materials"].values()) == {"A", "B", "C", "D", "E", "F"}
    assert {*plant["tanks"].values()} == {"tank", "tank_2", "tank_3"}
    assert len({robot["kind"] for robot in plant["robots"]}) == 2
    assert len(plant["people"]) >= 2


@each_world
def test_the_picture_of_the_map_shows_free_floor_around_every_place(name: str) -> None:
    plant = world(name)
    drawn = plant["map"]
    with Image.open(WORLDS / name / drawn["image"]) as picture:
        assert picture.size == (
            round(drawn["width_m"] / drawn["resolution_m"]),
            round(drawn["height_m"] / drawn["resolution_m"]),
        )
        for stand in plant["places"]:
            x, y = place(plant, stand)
            for dx, dy in (
                (0.0, 0.0),
                (0.5, 0.0),
                (-0.5, 0.0),
                (0.0, 0.5),
                (0.0, -0.5),
            ):
                column = int((x + dx) / drawn["resolution_m"])
                row = picture.height - 1 - int((y + dy) / drawn["resolution_m"])
                assert picture.getpixel((column, row)) == 254, stand


@each_world
def test_the_picture_of_the_map_shows_every_wall(name: str) -> None:
    drawn = world(name)["map"]
    with Image.open(WORLDS / name / drawn["image"]) as picture:
        for x1, y1, x2, y2 in drawn["walls"]:
            x, y = (x1 + x2) / 2, (y1 + y2) / 2
            column = int(x / drawn["resolution_m"])
            row = picture.height - 1 - int(y / drawn["resolution_m"])
            around = picture.crop((column - 1, row - 1, column + 2, row + 2))
            darkest, _ = around.getextrema()
            assert isinstance(darkest, float | int)
            assert darkest < 90, (x, y)


def crosses(
    wall: list[float], start: tuple[float, float], end: tuple[float, float]
) -> bool:
    def side(
        p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]
    ) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    a, b = (wall[0], wall[1]), (wall[2], wall[3])
    return (side(a, b, start) > 0) != (side(a, b, end) > 0) and (
        side(start, end, a) > 0
    ) != (side(start, end, b) > 0)


def test_the_mission_is_about_as_long_as_the_one_in_the_test_plant() -> None:
    plant = world("arco_lab")
    route = [place(plant, name) for name in STOPS]
    length_m = sum(math.dist(start, end) for start, end in pairwise(route))
    assert length_m == pytest.approx(62.7, abs=0.5)
    for start, end in pairwise(route):
        assert not any(crosses(wall, start, end) for wall in plant["map"]["walls"])


@each_world
def test_nobody_walks_through_a_wall(name: str) -> None:
    plant = world(name)
    for person in plant.get("people", ()):
        stops = [place(plant, stop) for stop in person["path"]]
        for start, end in pairwise([*stops, stops[0]]):
            assert not any(crosses(wall, start, end) for wall in plant["map"]["walls"])
