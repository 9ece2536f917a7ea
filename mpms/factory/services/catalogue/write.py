"""What all changes of the catalogue share: one at a time, a version each, a line in the
history with who and why.

The first change keeps the plant's file as a version of its own, so that it can be
compared with and taken again when the file itself is long gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mpms.domain.errors import Conflict
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.ports.catalogue import FILE_TAKEN, CatalogueVersion
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import FILE, CurrentCatalogue


class CatalogueChanged(Conflict):
    """Somebody else has changed this meanwhile; look at it and save again."""

    def __init__(self, version: CatalogueVersion) -> None:
        self.version = version
        super().__init__(
            f"{version.by} has changed this meanwhile, at"
            f" {version.at:%Y-%m-%d %H:%M} UTC, version {version.number}:"
            f" {version.reason}. Look at it and save again."
        )


def lock_catalogue(tx: Transaction, materials: CurrentCatalogue) -> Catalogue:
    """What is in force, until this transaction ends."""
    tx.catalogue.lock()
    return materials(tx).catalogue or Catalogue(())


def refuse_if_changed(
    tx: Transaction,
    materials: CurrentCatalogue,
    seen: int | None,
    thing: str,
    part: Callable[[Catalogue], object],
) -> None:
    """CatalogueChanged if a part is not what it was in the version that was seen."""
    now = materials(tx)
    if seen is None or seen == now.version:
        return
    was = materials.of_version(tx, seen) or Catalogue(())
    changed = tx.catalogue.changed_since(seen, thing)
    if changed is not None and part(was) != part(now.catalogue or Catalogue(())):
        raise CatalogueChanged(changed)


def add_version(
    tx: Transaction,
    materials: CurrentCatalogue,
    catalogue: Catalogue,
    *,
    did: str,
    thing: str,
    by: str,
    reason: str,
    data: dict[str, Any],
) -> CatalogueVersion:
    """CatalogueInvalid. The catalogue is locked."""
    content = catalogue.to_json()
    Catalogue.from_json(content)  # nothing is kept that cannot be read again
    before = materials(tx)
    if before.version == FILE and before.catalogue is not None and did != FILE_TAKEN:
        tx.catalogue.add(
            before.catalogue.to_json(), did=FILE_TAKEN, thing="", by=by, reason=reason
        )
    made = tx.catalogue.add(content, did=did, thing=thing, by=by, reason=reason)
    told = {"version": made.number, "reason": reason}
    tx.events.append(did, actor=by, data=data | told)
    return made
