"""The files of a world as drafts: their sections as plain data, and back.

Only what the editor draws is written anew; other sections and files stay as they are.
Comments of a file go when one of its sections has changed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import yaml

from fleet.model import World
from fleet.model.fields import Mistake
from fleet.model.reading import inspect_world
from fleet.roads.mistakes import road_hints, road_mistakes
from mpms.domain.errors import MpmsError
from mpms.factory.adapters.fleet_files import FLEET_FILE, digest_of
from mpms.factory.adapters.worlds import LOADER, WORLD_FILE, WorldInvalid, world_of
from mpms.factory.ports.worlds import Checked, Draft, Files, WorldFault

DRAWN = (
    *("places", "waiting", "inputs", "outputs", "storage", "charging"),
    *("lanes", "zones", "robot_types", "robots", "doors", "packages", "stock"),
)
OF_WORLD_FILE = ("places", "waiting", "robots", "doors")
LISTS = ("lanes", "robots", "doors")
SHOWN = (*DRAWN, "name", "map", "materials", "grid")
WALLS = "walls"  # of the map, in files
ROBOTS = 10
PREVIEW_S = 600.0
PATIENCE_S = 120.0
INDEX = re.compile(r"(\w+)\[(\d+)\]")


class PreviewFailed(MpmsError):
    """The preview could not be made."""


@dataclass(frozen=True)
class WorldDraftFiles:
    """Of one directory. ``patience_s``: how long a preview may take."""

    directory: Path
    patience_s: float = PATIENCE_S

    @property
    def name(self) -> str:
        return self.directory.name

    def files(self) -> Files:
        return {
            path.name: path.read_text(encoding="utf-8")
            for path in sorted(self.directory.glob("*.yaml"))
        }

    def draft(self, files: Files) -> Draft:
        sections = _sections(files)
        found = {name: sections.get(name) or _empty(name) for name in SHOWN}
        for section in ("inputs", "outputs", "storage"):
            if isinstance(found[section], list):  # names of places
                found[section] = {name: None for name in found[section]}
        plan = dict(found["map"])
        return found | {WALLS: plan.pop(WALLS, None) or [], "map": plan}

    def written(self, files: Files, draft: Draft) -> Files:
        had = {name: _loaded(text) for name, text in files.items()}
        written = {name: dict(sections) for name, sections in had.items()}
        written.setdefault(WORLD_FILE, {})
        before = self.draft(files)
        for section in DRAWN:
            now = draft.get(section)
            if now is None or now == before[section]:
                continue
            usual = WORLD_FILE if section in OF_WORLD_FILE else FLEET_FILE
            home = next((name for name in had if section in had[name]), usual)
            sections = written.setdefault(home, {})
            sections[section] = _as_in_files(now)
            if not now and section not in OF_WORLD_FILE:
                del sections[section]
        walls = draft.get(WALLS)
        if walls is not None and walls != before[WALLS]:
            home = next((name for name in had if "map" in had[name]), WORLD_FILE)
            plan = dict(written[home].get("map") or {}) | {WALLS: walls}
            plan.pop("image", None)  # it shows the walls that were
            written[home]["map"] = plan
        return {
            name: files[name] if had.get(name) == sections else _text(sections)
            for name, sections in written.items()
        }

    def check(self, files: Files) -> Checked:
        inspected = inspect_world(files)
        sections = _sections(files)
        faults = [_fault(sections, each) for each in sorted(inspected.mistakes.found)]
        drivable = _drivable(inspected.world)
        faults += _of_nouns(road_mistakes(drivable), refuses=True)
        faults += _of_nouns(road_hints(drivable), refuses=False)
        if not faults:
            try:
                world_of(files)
            except WorldInvalid as invalid:
                faults.append(WorldFault("", "", str(invalid).removesuffix(".")))
        return Checked(tuple(dict.fromkeys(faults)))

    def preview(self, files: Files) -> Mapping[str, Any]:
        asked = {"files": dict(files), "robots": ROBOTS, "for_s": PREVIEW_S}
        # A process of its own: other pages go on meanwhile, and it can be ended.
        try:
            done = subprocess.run(
                [sys.executable, "-m", "fleet.virtual"],
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                timeout=self.patience_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            limit = f"{self.patience_s:g} s"
            raise PreviewFailed(
                f"The preview took longer than {limit} and was ended."
            ) from None
        try:
            told: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            last = (done.stderr.strip().splitlines() or ["no answer"])[-1]
            raise PreviewFailed(f"The preview could not be made: {last}") from None
        if "why" in told:
            raise PreviewFailed(f"The preview could not be made: {told['why']}")
        return told

    def digest(self, files: Files) -> str:
        return digest_of({name: text.encode() for name, text in files.items()})


def write_files(files: Files, source: Path, target: Path) -> None:
    """A directory with these files, and everything else as in the source."""
    target.mkdir(parents=True, exist_ok=True)
    wanted = {name: text.encode() for name, text in files.items()}
    for path in source.iterdir():
        if path.is_file() and path.suffix != ".yaml":
            wanted[path.name] = path.read_bytes()
    for name, body in wanted.items():
        # Whole or not at all: several processes start at once and read them.
        part = target / f".{name}.{uuid4().hex}"
        part.write_bytes(body)
        part.replace(target / name)


def _drivable(world: World) -> World:
    """Without robots and zones that are wrong already, to find what roads lack too."""
    robots = {
        name: robot
        for name, robot in world.robots.items()
        if robot.type in world.robot_types and robot.home in world.places
    }
    zones = {name: zone for name, zone in world.zones.items() if len(zone.corners) > 2}
    return replace(world, robots=robots, zones=zones)


def _sections(files: Files) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in files.values():
        found |= _loaded(text)
    return found


def _loaded(text: str) -> dict[str, Any]:
    data = yaml.load(text, Loader=LOADER)  # noqa: S506
    return data if isinstance(data, dict) else {}


def _empty(section: str) -> Any:
    return [] if section in LISTS else {}


def _as_in_files(section: Any) -> Any:
    """Names without poses are a list of places that are described elsewhere."""
    if isinstance(section, dict) and section and not any(section.values()):
        return list(section)
    return section


def _text(sections: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        dict(sections), sort_keys=False, allow_unicode=True, default_flow_style=None
    )


def _fault(sections: Mapping[str, Any], mistake: Mistake) -> WorldFault:
    section, _, rest = mistake.path.partition(".")
    if section == "map" and (wall := INDEX.match(rest)) and wall[1] == WALLS:
        return WorldFault(WALLS, f"wall_{int(wall[2]) + 1}", mistake.text)
    listed = INDEX.match(section)
    if listed:
        section, index = listed[1], int(listed[2])
        entries = sections.get(section) or []
        entry = entries[index] if index < len(entries) else {}
        name = entry.get("id", "") if isinstance(entry, dict) else ""
        usual = f"lane{index + 1}" if section == "lanes" else ""
        return WorldFault(section, str(name or usual), mistake.text)
    known = sections.get(section)
    names = [str(name) for name in known] if isinstance(known, dict) else []
    fits = [n for n in names if rest == n or rest.startswith((f"{n}.", f"{n}["))]
    return WorldFault(section, max(fits, key=len, default=""), mistake.text)


def _of_nouns(found: Iterator[tuple[str, str]], *, refuses: bool) -> list[WorldFault]:
    faults = []
    for noun, text in found:
        section, _, name = noun.partition(".")
        faults.append(WorldFault(section, name, f"{noun} {text}", refuses))
    return faults
