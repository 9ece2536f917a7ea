"""Tables of master data by their names: of the catalogue, and of lots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from mpms.domain.errors import NotFound
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.tables import KINDS, kind_named
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.exchange import Imported, import_table
from mpms.factory.services.stock.table import import_lots, lots_table

LOTS = "lots"
TABLES = (*(kind.name for kind in KINDS), LOTS)


class TableUnknown(NotFound):
    """There is no such table."""


def table_rows(
    tx: Transaction, materials: CurrentCatalogue, name: str
) -> Sequence[Sequence[str]]:
    """The heading, and a row for each entry. TableUnknown."""
    if name == LOTS:
        return lots_table(tx)
    kind = kind_named(name)
    if kind is None:
        raise TableUnknown
    return kind.table(materials(tx).catalogue or Catalogue(()))


def take_rows(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    world: World,
    name: str,
    text: str,
    *,
    today: date,
    take: bool,
    by: str,
    reason: str,
) -> Imported:
    """What a CSV text would change, or with ``take`` changes. TableUnknown,
    ReasonMissing."""
    who = {"take": take, "by": by, "reason": reason}
    if name == LOTS:
        return import_lots(uow, materials, world, text, today=today, **who)  # type: ignore[arg-type]
    kind = kind_named(name)
    if kind is None:
        raise TableUnknown
    return import_table(uow, materials, world, kind, text, **who)  # type: ignore[arg-type]
