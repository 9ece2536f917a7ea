"""Take a table of master data: first what it would change, then as one version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.factory.domain.order_mail.catalogue_changes import Difference, differences
from mpms.factory.domain.order_mail.exchange import CellFault
from mpms.factory.domain.tables import Kind, read_kind
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.write import add_version, lock_catalogue
from mpms.services.instances.apply_repair import required

TAKEN = "materials imported"


@dataclass(frozen=True)
class Imported:
    """``version``: None where nothing was taken."""

    changes: Sequence[Difference]
    faults: Sequence[CellFault]
    version: int | None = None


def import_table(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    world: World,
    kind: Kind,
    text: str,
    *,
    take: bool,
    by: str,
    reason: str,
) -> Imported:
    """Preview, or with ``take`` a new version if nothing is wrong. ReasonMissing."""
    why = required(reason) if take else ""
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        wanted, faults = read_kind(kind, text, now, frozenset(world.places))
        changes = differences(now, wanted)
        if faults or not changes or not take:
            return Imported(changes, faults)
        made = add_version(
            tx,
            materials,
            wanted,
            did=TAKEN,
            thing=kind.name,
            by=by,
            reason=why,
            data={"changed": [each.key for each in changes]},
        )
        return Imported(changes, faults, made.number)
