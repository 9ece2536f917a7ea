"""Vehicle files: one vehicle as YAML, every mistake at once with its line.

Another vehicle is another file and no code.
"""

from __future__ import annotations

import math
from pathlib import Path

from fleet.bodies.errors import VehicleUnknown, VehicleWrong
from fleet.bodies.model import (
    Component,
    Dimensions,
    Joint,
    Limits,
    Link,
    LoadPlace,
    Masses,
    Sensor,
    Vehicle,
)
from fleet.model.fields import Entry, Mistakes, parse

SHAPES = ["shell", "steering", "wheel"]
AT = ["middle", "front_left", "front_right", "rear_left", "rear_right"]
KINDS = ["revolute", "continuous"]
SENSORS = ["lidar", "camera", "imu", "gnss"]
WAYS = ["roads", "sidewalks", "crossings"]
LAST_DEG = 80.0
"""Steering further than this, a wheel is pushed sideways rather than rolled."""


def shelves() -> list[Path]:
    here = Path(__file__).resolve().parents[2]
    roots = (Path("worlds"), here / "worlds", here / "mpms" / "_assets" / "worlds")
    return [root / "vehicles" for root in roots if (root / "vehicles").is_dir()]


def vehicles() -> list[str]:
    """Names of those that come with the product."""
    return sorted({file.stem for each in shelves() for file in each.glob("*.yaml")})


def load_vehicle(name: str | Path) -> Vehicle:
    """A file if there is one, otherwise a vehicle that comes with the product."""
    file = Path(name)
    if not file.is_file():
        found = [each / f"{name}.yaml" for each in shelves()]
        known = next((each for each in found if each.is_file()), None)
        if known is None:
            listed = ", ".join(vehicles())
            raise VehicleUnknown(
                f"there is no vehicle {str(name)!r}; there are {listed}"
            )
        file = known
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VehicleUnknown(f"{file} cannot be read: {error}") from None
    return read_vehicle(text, file.name, file)


def read_vehicle(text: str, name: str = "vehicle", file: Path | None = None) -> Vehicle:
    mistakes = Mistakes()
    top = parse(name, text, mistakes)
    if top is None and not mistakes.found:
        mistakes.add(name, 1, "the file is empty")
    found = None if top is None else _vehicle(top, file)
    if mistakes.found or found is None:
        raise VehicleWrong(mistakes.lines())
    return found


def _vehicle(top: Entry, file: Path | None) -> Vehicle:
    name = top.text("name")
    size = _dimensions(top)
    links = _links(top, size, file)
    joints = _joints(top, links)
    load = top.get("load")
    vehicle = Vehicle(
        name=name,
        title=top.text("title", name),
        description=top.text("description", ""),
        dimensions=size,
        masses=_masses(top),
        limits=_limits(top),
        links=links,
        joints=joints,
        sensors=_sensors(top),
        components=_components(top),
        load_places=() if load is None else _places(load),
        max_load_kg=0.0 if load is None else load.number("max_kg", least=0.0),
        software=_texts(top, "software"),
        prefers=_words(top, "prefers", WAYS),
        assumed=_words(top, "assumed"),
        file=file,
    )
    if load is not None:
        load.finish()
    top.finish()
    return vehicle


def _section(top: Entry, key: str) -> Entry | None:
    found = top.get(key)
    if found is None:
        top.wrong(f"lacks {key}")
    return found


def _dimensions(top: Entry) -> Dimensions:
    part = _section(top, "dimensions")
    if part is None:
        return Dimensions(*[1.0] * 9)
    names = list(Dimensions.__dataclass_fields__)
    before = {name: part.get(name) for name in names}
    size = Dimensions(*[part.number(name, above=0.0, most=50.0) for name in names])
    part.finish()
    if any(each is None for each in before.values()):
        return size
    for name, wrong, why in (
        (
            "wheel_base_m",
            size.front_overhang_m < -size.wheel_radius_m,
            "the front axle would lie ahead of the shell",
        ),
        ("total_height_m", size.shell_bottom_m < 0.0, "the shell alone is higher"),
        (
            "track_m",
            size.track_m < size.wheel_width_m,
            "the wheels would touch each other",
        ),
    ):
        entry = before[name]
        if wrong and entry is not None:
            entry.wrong(f"is {getattr(size, name):g}: {why}")
    return size


def _masses(top: Entry) -> Masses:
    part = _section(top, "masses")
    if part is None:
        return Masses(1.0, 1.0, 1.0)
    names = ("shell_kg", "wheel_kg", "steering_kg")
    found = Masses(*[part.number(name, above=0.0) for name in names])
    part.finish()
    return found


def _limits(top: Entry) -> Limits:
    steering, speed = _section(top, "steering"), _section(top, "speed")
    lock_deg, rate_degps = 30.0, 90.0
    if steering is not None:
        lock_deg = steering.number("limit_deg", above=0.0)
        rate_degps = steering.number("rate_degps", above=0.0)
        entry = steering.get("limit_deg")
        if lock_deg > LAST_DEG and entry is not None:
            entry.wrong(
                f"is {lock_deg:g} and must be at most {LAST_DEG:g}:"
                " a wheel across the way does not roll"
            )
        steering.finish()
    names = ("forward_mps", "reverse_mps", "accel_mps2", "braking_mps2", "lateral_mps2")
    speeds = [1.0] * len(names)
    if speed is not None:
        speeds = [speed.number(name, above=0.0, most=100.0) for name in names]
        speed.finish()
    return Limits(math.radians(lock_deg), math.radians(rate_degps), *speeds)


def _place_of(at: str, size: Dimensions) -> tuple[float, float, float]:
    if at == "middle":
        return 0.0, 0.0, 0.0
    ahead = size.wheel_base_m if at.startswith("front") else 0.0
    aside = size.track_m / 2.0 * (1.0 if at.endswith("left") else -1.0)
    return ahead, aside, size.wheel_radius_m


def _links(top: Entry, size: Dimensions, file: Path | None) -> tuple[Link, ...]:
    part = _section(top, "links")
    found = []
    for name, entry in () if part is None else part.pairs():
        shape = entry.one_of("shape", SHAPES, "shell")
        at = entry.one_of("at", AT, "middle")
        mesh = entry.text("mesh", "")
        if mesh and Path(mesh).suffix.lower() not in (".stl", ".dae"):
            entry.wrong(f"mesh {mesh!r} is neither .stl nor .dae")
        elif mesh and file is not None and not (file.parent / mesh).is_file():
            entry.wrong(f"mesh {mesh} does not exist beside the file")
        if (shape == "shell") != (at == "middle"):
            entry.wrong("is in the middle only if it is the shell; say at: front_left")
        text = entry.text("description", "")
        found.append(Link(name, text, shape, _place_of(at, size), mesh))
        entry.finish()
    if part is not None and [link.shape for link in found].count("shell") != 1:
        part.wrong("has not exactly one shell")
    return tuple(found)


def _joints(top: Entry, links: tuple[Link, ...]) -> tuple[Joint, ...]:
    part = _section(top, "joints")
    shapes = {link.name: link.shape for link in links}
    found: list[Joint] = []
    for name, entry in () if part is None else part.pairs():
        joint = Joint(
            name,
            entry.one_of("type", KINDS, "continuous"),
            entry.text("parent"),
            entry.text("child"),
        )
        for end in (joint.parent, joint.child):
            if end and end not in shapes:
                entry.wrong(f"names no link: {end!r}")
        if joint.child in [other.child for other in found]:
            entry.wrong(f"has a child that hangs elsewhere already: {joint.child}")
        kind = "revolute" if shapes.get(joint.child) == "steering" else "continuous"
        if joint.child in shapes and joint.kind != kind:
            entry.wrong(f"is {joint.kind}, but {joint.child} wants {kind}")
        found.append(joint)
        entry.finish()
    hanging = {joint.child for joint in found}
    loose = [name for name, shape in shapes.items() if shape != "shell"]
    if part is not None and (left := [name for name in loose if name not in hanging]):
        part.wrong(f"leave links without a parent: {', '.join(left)}")
    elif part is not None and _in_a_ring(found, shapes):
        part.wrong("form a ring")
    return tuple(found)


def _in_a_ring(joints: list[Joint], shapes: dict[str, str]) -> bool:
    parents = {joint.child: joint.parent for joint in joints}
    for name in shapes:
        for _ in shapes:
            name = parents.get(name, "")
        if name:
            return True
    return False


def _sensors(top: Entry) -> tuple[Sensor, ...]:
    part = top.get("sensors")
    found = []
    for entry in () if part is None else part.items():
        kind = entry.one_of("kind", SENSORS, "")
        if not kind:
            entry.wrong(f"lacks kind: one of {', '.join(SENSORS)}")
        at = entry.get("at_m")
        if at is None:
            entry.wrong("lacks at_m")
        x_m, y_m, z_m = (at.numbers(3) if at else None) or (0.0, 0.0, 0.0)
        settings = entry.get("settings")
        given = {} if settings is None else dict(settings.pairs())
        found.append(
            Sensor(
                entry.text("name", kind),
                kind,
                entry.text("model", ""),
                (x_m, y_m, z_m),
                entry.text("urdf", ""),
                entry.text("package", ""),
                {key: value.as_number() for key, value in given.items()},
            )
        )
        entry.finish()
    return tuple(found)


def _components(top: Entry) -> tuple[Component, ...]:
    part = top.get("components")
    found = []
    for entry in () if part is None else part.items():
        quantity = int(entry.number("quantity", 1.0, least=1.0))
        name, model = entry.text("component"), entry.text("model", "-")
        found.append(Component(name, model, quantity))
        entry.finish()
    return tuple(found)


def _places(load: Entry) -> tuple[LoadPlace, ...]:
    part = load.get("places")
    found: list[LoadPlace] = []
    for entry in () if part is None else part.items():
        at = entry.get("at_m")
        x_m, y_m, z_m = (at.numbers(3) if at else None) or (0.0, 0.0, 0.0)
        place = LoadPlace(
            entry.text("id"),
            entry.text("side", ""),
            (x_m, y_m, z_m),
            entry.number("max_kg", above=0.0),
        )
        if place.id in [other.id for other in found]:
            entry.wrong(f"has the id of another place: {place.id}")
        found.append(place)
        entry.finish()
    return tuple(found)


def _texts(top: Entry, key: str) -> dict[str, str]:
    part = top.get(key)
    return {} if part is None else {k: v.as_text() for k, v in part.pairs()}


def _words(top: Entry, key: str, allowed: list[str] | None = None) -> tuple[str, ...]:
    part = top.get(key)
    found = []
    for item in () if part is None else part.items():
        found.append(item.as_text())
        if allowed is not None and found[-1] not in allowed:
            item.wrong(f"is {found[-1]!r} and must be one of {', '.join(allowed)}")
    return tuple(found)
