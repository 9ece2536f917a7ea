"""Vehicle files, the table of who gets through alleys and the curve of a training.

A plant that has driven its own vehicles keeps its table as ``passability.csv`` beside
its ``world.yaml``; otherwise the one that ships counts.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from fleet.bodies.drawing import drawing_of
from fleet.bodies.errors import VehicleUnknown
from fleet.bodies.file import load_vehicle, vehicles
from fleet.bodies.model import Vehicle
from fleet.bodies.passability import TableWrong, Trial, from_csv
from fleet.bodies.urdf import urdf_of
from mpms.factory.domain.worlds import World
from mpms.factory.ports.vehicles import LearnedPoint

TABLE = "passability.csv"
CURVE = "alley_pass.csv"
UNSEEN = "alley_pass_unseen.csv"


class WorldVehicles:
    """``shipped`` is the directory of all worlds of the installation."""

    def __init__(self, world: World, world_dir: Path, shipped: Path) -> None:
        self._files: dict[str, str] = {}
        for robot in world.robots:
            if robot.vehicle is not None and robot.vehicle_name is not None:
                self._files.setdefault(robot.vehicle_name, robot.vehicle)
        for name in vehicles():
            self._files.setdefault(name, name)
        self._tables = (world_dir / TABLE, shipped / "vehicles" / TABLE)
        self._curve = shipped / "policies" / CURVE
        self._unseen = shipped / "policies" / UNSEEN

    def names(self) -> Sequence[str]:
        return list(self._files)

    def vehicle(self, name: str) -> Vehicle:
        if name not in self._files:
            raise VehicleUnknown(
                f"there is no vehicle {name!r}; there are {', '.join(self._files)}"
            )
        return load_vehicle(self._files[name])

    def urdf(self, name: str) -> str:
        return urdf_of(self.vehicle(name))

    def drawing(self, name: str, title: str) -> str:
        return drawing_of(self.vehicle(name), title).text()

    def passability(self) -> Sequence[Trial]:
        file = next((each for each in self._tables if each.is_file()), None)
        return [] if file is None else from_csv(_text(file))

    def unseen(self) -> Sequence[Trial]:
        return from_csv(_text(self._unseen)) if self._unseen.is_file() else []

    def training(self) -> Sequence[LearnedPoint]:
        if not self._curve.is_file():
            return []
        found = []
        for row in csv.DictReader(_text(self._curve).splitlines()):
            try:
                at = LearnedPoint(
                    int(row["steps"]), float(row["reward"]), float(row["success"])
                )
            except (KeyError, TypeError, ValueError) as wrong:
                raise TableWrong(f"{self._curve.name}: {wrong}") from None
            if math.isfinite(at.reward):  # before, no drive had ended
                found.append(at)
        return found


def _text(file: Path) -> str:
    """TableWrong."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TableWrong(f"{file.name} cannot be read: {error}") from None
