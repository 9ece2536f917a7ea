"""Starting a warehouse: which file, what its robots do first, who walks in it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from shopfloor.warehouse.building import walk
from shopfloor.warehouse.errors import WarehouseRefused, WorldUnknown
from shopfloor.warehouse.script import read_script
from shopfloor.warehouse.served import WarehouseSimulation
from shopfloor.warehouse.world_file import FILE, PREFIX, WorldFile, load, presets

SDF = (".sdf", ".world")
UNFIT = {
    "robots": None,
    "replay": None,
    "navigation": "simple",
    "dialect": "ros1",
}
"""Options of other simulations, and what they are when nobody asks for them."""


def find_warehouse(name: str) -> Path | None:
    """The file if this world is a warehouse; other worlds are not its business."""
    given = Path(name)
    if given.is_dir():
        file = given / FILE
        return file if file.is_file() and not (given / "world.yaml").exists() else None
    if given.is_file():
        return given if given.name == FILE or given.suffix in SDF else None
    return presets().get(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None


def load_warehouse(file: Path) -> WorldFile:
    if file.suffix not in SDF:
        return load(file)
    from shopfloor.warehouse.sdf import read_sdf

    try:
        return WorldFile(read_sdf(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise WorldUnknown(f"{file} cannot be read: {error}") from None


def simulation_of(
    file: Path, options: argparse.Namespace, facts: dict[str, Any]
) -> WarehouseSimulation:
    for name, usual in UNFIT.items():
        if getattr(options, name) != usual:
            raise WarehouseRefused(f"--{name} is not for a warehouse")
    found = load_warehouse(file)
    if options.commands is not None:
        found = replace(found, commands=tuple(_commands(options.commands)))
    if options.pedestrians:
        if not found.warehouse.people:
            raise WarehouseRefused(f"{file} has no people who could walk")
        found = replace(found, warehouse=walk(found.warehouse, True))
    if options.planned:
        from shopfloor.warehouse.planned import PlannedWarehouse, warm_up

        warm_up()
        return PlannedWarehouse(found, **facts)
    return WarehouseSimulation(found, **facts)


def _commands(file: Path) -> list[Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorldUnknown(f"{file} cannot be read: {error}") from None
    try:
        return list(read_script(text))
    except WarehouseRefused as error:
        raise WarehouseRefused(f"{file}: {error}") from None
