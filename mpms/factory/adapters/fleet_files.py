"""The files of a world as the fleet reads them; ``fleet.yaml`` says that it has one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fleet.model import World
from fleet.model.reading import WorldWrong, read_world
from mpms.factory.adapters.worlds import WorldInvalid

FLEET_FILE = "fleet.yaml"


@dataclass(frozen=True)
class FleetFiles:
    """``digest``: what is saved of the fleet belongs to exactly these files."""

    world: World
    digest: str


def read_fleet(directory: Path) -> FleetFiles | None:
    """None without a fleet. WorldInvalid names every mistake with its line."""
    if not (directory / FLEET_FILE).is_file():
        return None
    files = {p.name: p.read_bytes() for p in sorted(directory.glob("*.yaml"))}
    try:
        world = read_world({name: raw.decode() for name, raw in files.items()})
    except (WorldWrong, UnicodeDecodeError) as wrong:
        raise WorldInvalid(f"{directory}: {wrong}") from wrong
    return FleetFiles(world, digest_of(files))


def digest_of(files: Mapping[str, bytes]) -> str:
    """Names exactly these files."""
    named = (name.encode() + b"\0" + files[name] for name in sorted(files))
    return hashlib.sha256(b"\0".join(named)).hexdigest()
