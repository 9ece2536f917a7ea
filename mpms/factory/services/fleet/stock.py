"""What lies where, as pages and programs see it: from the fleet's last saved state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fleet.model import World
from mpms.factory.ports.store import UnitOfWork


@dataclass(frozen=True)
class PlaceNow:
    """A place of the storage. ``use``: input, output or storage."""

    place: str
    use: str
    x_m: float
    y_m: float
    package: str
    package_type: str
    present: bool
    reserved: bool

    @property
    def state(self) -> str:
        if self.present:
            return "taken"
        return "reserved" if self.reserved else "free"


@dataclass(frozen=True)
class StockNow:
    """How many of a type lie in the storage."""

    package_type: str
    weight_kg: float
    lying: int
    reserved: int
    places: Sequence[str]


@dataclass(frozen=True)
class WarehouseNow:
    saved_at: datetime | None
    places: Sequence[PlaceNow]
    stock: Sequence[StockNow]
    lost: Sequence[tuple[str, str, float, float]]  # package, type, x, y

    def used_as(self, use: str) -> list[PlaceNow]:
        return [place for place in self.places if place.use == use]


def show_warehouse(uow: UnitOfWork, world: World) -> WarehouseNow:
    with uow() as tx:
        saved = tx.fleet.saved()
    fleet = {} if saved.state is None else saved.state["fleet"]
    slots = fleet.get("storage", {}).get("slots", {})
    places = []
    for use, names in (
        ("input", world.inputs),
        ("output", world.outputs),
        ("storage", world.storage),
    ):
        for name in names:
            package, kind = world.stock.get(name, ("", ""))
            slot = slots.get(name) or {
                "package": package,
                "package_type": kind,
                "present": bool(package),
                "reserved": False,
            }
            x_m, y_m = world.places[name].spot
            places.append(
                PlaceNow(
                    name,
                    use,
                    x_m,
                    y_m,
                    slot["package"],
                    slot["package_type"],
                    slot["present"],
                    slot["reserved"],
                )
            )
    lying = [p for p in places if p.use == "storage" and p.present]
    stock = [
        StockNow(
            kind.id,
            kind.weight_kg,
            sum(p.package_type == kind.id for p in lying),
            sum(p.package_type == kind.id and p.reserved for p in lying),
            [p.place for p in lying if p.package_type == kind.id],
        )
        for kind in world.packages.values()
    ]
    lost = [(name, *where) for name, where in fleet.get("dropped", {}).items()]
    return WarehouseNow(saved.saved_at, places, stock, lost)
