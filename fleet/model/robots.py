"""Robot types and robots of a world's files.

``kind`` of a robot in ``world.yaml`` names its type. A world without ``robot_types``
has one type for each kind, made from what its robots say of themselves.
"""

from __future__ import annotations

from dataclasses import replace

from fleet.model.fields import Entry
from fleet.model.world import Level, Moves, RobotSpec, RobotType

FOR_OTHERS = (
    *("profile", "namespace", "max_turn_accel_radps2", "tag", "drive", "cell_m"),
    *("local_map_m", "name", "description", "colour", "url", "capabilities"),
    *("geometry", "vehicle"),
)


def read_robot_types(
    section: Entry | None, lines: dict[str, Entry]
) -> dict[str, RobotType]:
    found = {}
    for name, entry in () if section is None else section.pairs():
        lines[f"robot_types.{name}"] = entry
        found[name] = _type(name, entry)
        entry.finish()
    return found


def _type(name: str, entry: Entry) -> RobotType:
    usual = RobotType(name, 1.0)
    shapes = entry.get("geometries")
    moves = entry.one_of("moves", [m.value for m in Moves], Moves.FREE.value)
    percents = {
        key: entry.number(key, getattr(usual, key), least=0.0, most=100.0)
        for key in (
            *("critical_percent", "good_percent"),
            *("enough_percent", "full_percent"),
        )
    }
    if sorted(percents.values()) != list(percents.values()):
        entry.wrong("has thresholds that do not rise: " + ", ".join(percents))
    return RobotType(
        id=name,
        speed_mps=entry.number("speed_mps", above=0.0),
        radius_m=entry.number("radius_m", usual.radius_m, above=0.0),
        acceleration_mps2=entry.number(
            "acceleration_mps2", usual.acceleration_mps2, above=0.0
        ),
        turning_radps=entry.number("turning_radps", usual.turning_radps, above=0.0),
        payload_kg=entry.number("payload_kg", 0.0, least=0.0),
        geometries=frozenset(
            () if shapes is None else (shape.as_text() for shape in shapes.items())
        ),
        moves=Moves(moves),
        discharging_pps=entry.number(
            "discharging_percent_per_s", usual.discharging_pps, least=0.0
        ),
        idle_discharging_pps=entry.number(
            "idle_discharging_percent_per_s", 0.0, least=0.0
        ),
        load_s=entry.number("load_s", usual.load_s, least=0.0),
        **percents,
    )


def read_robots(
    section: Entry | None, types: dict[str, RobotType], lines: dict[str, Entry]
) -> tuple[dict[str, RobotSpec], dict[str, RobotType]]:
    robots: dict[str, RobotSpec] = {}
    made: dict[str, RobotType] = {}
    for entry in () if section is None else section.items():
        name = entry.text("id")
        lines[f"robots.{name}"] = entry
        if name in robots:
            entry.wrong(f"{name!r} is there twice")
            continue
        kind = entry.text("kind", "differential")
        own = _own_type(kind, entry)
        if types and kind not in types:
            entry.wrong(f"is of the kind {kind!r}, which robot_types lacks")
        elif not types and kind in made and made[kind] != own:
            entry.wrong(f"differs from other robots of the kind {kind!r}")
        elif not types:
            made[kind] = own
        level = entry.one_of("level", [v.value for v in Level], Level.USED.value)
        battery = entry.number("battery_percent", 100.0, least=0.0, most=100.0)
        home = entry.text("home")
        robots[name] = RobotSpec(name, kind, home, Level(level), battery)
        entry.skip(*FOR_OTHERS)
        entry.finish()
    return robots, {**types, **made}


def _own_type(kind: str, entry: Entry) -> RobotType:
    usual = RobotType(kind, entry.number("max_speed_mps", 1.0, above=0.0))
    return replace(
        usual,
        payload_kg=entry.number("max_payload_kg", 0.0, least=0.0),
        radius_m=entry.number("radius_m", usual.radius_m, above=0.0),
        acceleration_mps2=entry.number("max_accel_mps2", 0.5, above=0.0),
        turning_radps=entry.number("max_turn_radps", 1.0, above=0.0),
    )
