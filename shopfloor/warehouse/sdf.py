"""SDF, the world format of Gazebo, and URDF of the robot.

What is written is read again as the same warehouse, and opens in Gazebo with bodies
that collide. What a warehouse knows beyond shapes stands in elements of a namespace of
its own, which other programs leave alone. Files come from strangers too: they are read
without entities and without a network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import yaml
from lxml import etree

from shopfloor.warehouse.account import CHASSIS_M, TOWER_M, UNIT_M, WHEEL_M
from shopfloor.warehouse.errors import KindUnknown, WorldWrong
from shopfloor.warehouse.lifting import Pose, pose_of_robot, pose_of_unit
from shopfloor.warehouse.messages import middle_of
from shopfloor.warehouse.things import Belt, Obstacle, Warehouse
from shopfloor.warehouse.world_file import document, read

OWN = "urn:mpms:warehouse"
HEIGHT_M = {"belt": 0.8, "wall": 2.5, "divider": 1.2, "blocker": 1.0}
PERSON_M = (0.25, 1.8)
LARGEST = 50_000_000
Node = Any
"""lxml's elements; its stubs want the class of the parser everywhere."""


def write_sdf(warehouse: Warehouse) -> str:
    facts = document(warehouse)
    lists = {key: facts.pop(key) for key in LISTS}
    root = etree.Element("sdf", {"version": "1.7"}, nsmap={"mpms": OWN})
    world = etree.SubElement(root, "world", {"name": warehouse.id})
    _own(world, "warehouse", facts)
    for key, things in lists.items():
        for thing in things:
            _model(world, warehouse, LISTS[key], thing)
    return _text(root)


LISTS = {
    "obstacles": "obstacle",
    "belts": "belt",
    "storage_units": "storage_unit",
    "robots": "robot",
    "people": "person",
}


def _own(parent: Node, name: str, facts: Mapping[str, Any]) -> None:
    node = etree.SubElement(parent, f"{{{OWN}}}{name}")
    node.text = yaml.safe_dump(dict(facts), default_flow_style=True, sort_keys=False)


def _model(
    world: Node, warehouse: Warehouse, kind: str, facts: Mapping[str, Any]
) -> None:
    name = facts["id"]
    model = etree.SubElement(world, "model", {"name": name})
    _own(model, kind, facts)
    floor = warehouse.floor
    if kind == "robot":
        _pose(model, pose_of_robot(warehouse.robots[name]))
        _robot(model)
    elif kind == "storage_unit":
        _pose(model, pose_of_unit(warehouse, warehouse.storage_units[name]))
        _still(model)
        _box(model, "shelves", UNIT_M, z_m=UNIT_M[2] / 2.0 + 0.4)
    elif kind == "person":
        person = warehouse.people[name]
        _pose(model, (person.x_m, person.y_m, 0.0, 0.0))
        _cylinder(model, "body", *PERSON_M, z_m=PERSON_M[1] / 2.0)
    else:
        thing = floor.belts[name] if kind == "belt" else floor.obstacles[name]
        _pose(model, middle_of(floor, thing))
        _still(model)
        height_m = HEIGHT_M["belt" if isinstance(thing, Belt) else thing.kind]
        _box(model, "body", (*_sides(thing, floor.cell_m), height_m), z_m=height_m / 2)


def _sides(thing: Belt | Obstacle, cell_m: float) -> tuple[float, float]:
    columns = len({column for column, _ in thing.cells()})
    rows = len({row for _, row in thing.cells()})
    return columns * cell_m, rows * cell_m


def _robot(model: Node) -> None:
    _box(model, "chassis", CHASSIS_M, z_m=WHEEL_M[0] + CHASSIS_M[2] / 2.0)
    for side, y_m in (("left", 0.25), ("right", -0.25)):
        wheel = f"{side}_wheel"
        _cylinder(model, wheel, *WHEEL_M, y_m=y_m, z_m=WHEEL_M[0], roll_deg=90.0)
    _cylinder(model, "tower", *TOWER_M, z_m=WHEEL_M[0] + CHASSIS_M[2] + TOWER_M[1] / 2)


def _pose(node: Node, pose: Pose, *, roll_deg: float = 0.0) -> None:
    x_m, y_m, z_m, yaw_deg = pose
    roll, yaw = math.radians(roll_deg), math.radians(yaw_deg)
    text = f"{x_m:.9g} {y_m:.9g} {z_m:.9g} {roll:.9g} 0 {yaw:.9g}"
    etree.SubElement(node, "pose").text = text


def _still(model: Node) -> None:
    etree.SubElement(model, "static").text = "true"


def _box(
    model: Node, name: str, size_m: tuple[float, float, float], *, z_m: float
) -> None:
    shape = etree.Element("box")
    etree.SubElement(shape, "size").text = " ".join(f"{side:g}" for side in size_m)
    _link(model, name, shape, (0.0, 0.0, z_m, 0.0))


def _cylinder(
    model: Node,
    name: str,
    radius_m: float,
    length_m: float,
    *,
    y_m: float = 0.0,
    z_m: float,
    roll_deg: float = 0.0,
) -> None:
    shape = etree.Element("cylinder")
    etree.SubElement(shape, "radius").text = f"{radius_m:g}"
    etree.SubElement(shape, "length").text = f"{length_m:g}"
    _link(model, name, shape, (0.0, y_m, z_m, 0.0), roll_deg)


def _link(
    model: Node, name: str, shape: Node, pose: Pose, roll_deg: float = 0.0
) -> None:
    """A body that is seen and that collides."""
    link = etree.SubElement(model, "link", {"name": name})
    _pose(link, pose, roll_deg=roll_deg)
    for part in ("collision", "visual"):
        side = etree.SubElement(link, part, {"name": part})
        geometry = etree.SubElement(side, "geometry")
        geometry.append(etree.fromstring(etree.tostring(shape)))


def robot_urdf() -> str:
    """Of the robot alone, for programs that show robots."""
    root = etree.Element("robot", {"name": "kiva"})
    chassis_m = WHEEL_M[0] + CHASSIS_M[2] / 2.0
    _urdf_link(root, "chassis", "box", {"size": " ".join(map(str, CHASSIS_M))})
    for side, y_m in (("left", 0.25), ("right", -0.25)):
        wheel = {"radius": str(WHEEL_M[0]), "length": str(WHEEL_M[1])}
        _urdf_link(root, f"{side}_wheel", "cylinder", wheel)
        at = f"0 {y_m} {WHEEL_M[0] - chassis_m:g}"
        _urdf_joint(root, f"{side}_wheel", "continuous", at, "1.5707963 0 0", "0 0 1")
    tower = {"radius": str(TOWER_M[0]), "length": str(TOWER_M[1])}
    _urdf_link(root, "tower", "cylinder", tower)
    top = f"0 0 {CHASSIS_M[2] / 2.0 + TOWER_M[1] / 2.0:g}"
    joint = _urdf_joint(root, "tower", "prismatic", top, "0 0 0", "0 0 1")
    limit = {"lower": "0", "upper": "0.05", "effort": "5000", "velocity": "0.05"}
    etree.SubElement(joint, "limit", limit)
    return _text(root)


def _urdf_link(root: Node, name: str, shape: str, sizes: dict[str, str]) -> None:
    link = etree.SubElement(root, "link", {"name": name})
    for part in ("visual", "collision"):
        geometry = etree.SubElement(etree.SubElement(link, part), "geometry")
        etree.SubElement(geometry, shape, sizes)


def _urdf_joint(
    root: Node, child: str, kind: str, xyz: str, rpy: str, axis: str
) -> Node:
    joint = etree.SubElement(root, "joint", {"name": f"{child}_joint", "type": kind})
    etree.SubElement(joint, "parent", {"link": "chassis"})
    etree.SubElement(joint, "child", {"link": child})
    etree.SubElement(joint, "origin", {"xyz": xyz, "rpy": rpy})
    etree.SubElement(joint, "axis", {"xyz": axis})
    return joint


def _text(root: Node) -> str:
    made: bytes = etree.tostring(root, pretty_print=True, encoding="utf-8")
    return made.decode()


# Reading


def read_sdf(text: str) -> Warehouse:
    """WorldWrong names what cannot be read."""
    root = _root(text)
    world = root.find("world") if root.tag == "sdf" else None
    if world is None:
        raise WorldWrong(["SDF: there is no <world> in it"])
    facts = _facts(world, "warehouse")
    if facts is None:
        raise WorldWrong(
            ["SDF: the <world> has no <mpms:warehouse> that says its grid"]
        )
    lists: dict[str, list[Any]] = {key: [] for key in LISTS}
    mistakes = []
    for model in world.findall("model"):
        found = _kind_of(model)
        if found is None:
            mistakes.append(
                f"SDF:{model.sourceline}: model {model.get('name')!r} is of no kind "
                f"that a warehouse has ({', '.join(LISTS.values())})"
            )
            continue
        kind, thing = found
        moved = _moved(model, kind, thing, mistakes)
        lists[next(key for key in LISTS if LISTS[key] == kind)].append(moved)
    if mistakes:
        raise WorldWrong(mistakes)
    made = yaml.safe_dump({**facts, **lists}, sort_keys=False, allow_unicode=True)
    return read(made, "SDF").warehouse


def _moved(
    model: Node, kind: str, thing: dict[str, Any], mistakes: list[str]
) -> dict[str, Any]:
    """Robots and units stand where their pose says: Gazebo's editor moves that."""
    name = model.get("name")
    if kind not in ("robot", "storage_unit"):
        return {**thing, "id": name}
    try:
        numbers = [float(word) for word in (model.findtext("pose") or "").split()]
    except ValueError:
        numbers = []
    if len(numbers) != 6:
        mistakes.append(
            f"SDF:{model.sourceline}: the pose of {name!r} is not 6 numbers"
        )
        return thing
    yaw_deg = round(math.degrees(numbers[5]), 3) % 360.0
    at = {"x_m": round(numbers[0], 6), "y_m": round(numbers[1], 6)}
    return {**thing, "id": name, **at, "yaw_deg": yaw_deg}


def _root(text: str) -> Node:
    if len(text) > LARGEST:
        raise WorldWrong([f"SDF: {len(text)} characters are too many"])
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise WorldWrong([f"SDF: this is not XML: {error}"]) from None
    if "<!DOCTYPE" in text.upper():
        raise WorldWrong(["SDF: a document type is not allowed"])
    return root


def _facts(node: Node, name: str) -> dict[str, Any] | None:
    found = node.findtext(f"{{{OWN}}}{name}")
    if found is None:
        return None
    try:
        facts = yaml.safe_load(found)
    except yaml.YAMLError:
        facts = None
    if not isinstance(facts, dict):
        raise WorldWrong([f"SDF:{node.sourceline}: <mpms:{name}> cannot be read"])
    return facts


def _kind_of(model: Node) -> tuple[str, dict[str, Any]] | None:
    for kind in LISTS.values():
        facts = _facts(model, kind)
        if facts is not None:
            return kind, facts
    return None


def facts_of_model(text: str, unit_id: str) -> dict[str, Any]:
    """What a call that spawns one model wants, beside its name and its place."""
    root = _root(text)
    model = root.find("model") if root.tag == "sdf" else root
    found = None if model is None or model.tag != "model" else _kind_of(model)
    if found is None:
        links = () if model is None else model.findall("link")
        if {link.get("name") for link in links} >= {"chassis", "tower"}:
            return {"kind": "robot"}
        kinds = ", ".join(LISTS.values())
        raise KindUnknown(f"this model is no thing of a warehouse ({kinds})")
    kind, facts = found
    sizes = ("length", "along", "columns", "rows")
    kept: dict[str, Any] = {key: facts[key] for key in sizes if key in facts}
    if kind == "obstacle":
        kind = str(facts.get("kind", "wall"))
    return {"kind": kind, "unit_id": unit_id, **kept}
