"""The versions of the catalogue and what each of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.catalogue_changes import Difference, differences
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue, InForce


@dataclass(frozen=True)
class VersionShown:
    """A version with its differences from the one before it."""

    version: CatalogueVersion
    changes: Sequence[Difference]
    again: Sequence[Difference]  # what would change if it was taken again


@dataclass(frozen=True)
class Source:
    """Where the catalogue in force comes from, and whether the file says otherwise."""

    now: InForce
    version: CatalogueVersion | None  # None: the plant's file
    file_differs: Sequence[Difference] = ()
    file_problem: str = ""


def catalogue_source(uow: UnitOfWork, materials: CurrentCatalogue) -> Source:
    with uow() as tx:
        now = materials(tx)
        version = tx.catalogue.get(now.version)
    try:
        file = materials.read_file()
    except MpmsError as invalid:
        return Source(now, version, file_problem=str(invalid))
    if file is None:
        return Source(now, version)
    return Source(now, version, differences(now.catalogue or Catalogue(()), file))


def list_versions(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    *,
    limit: int,
    below: int | None = None,
) -> list[VersionShown]:
    """The newest first."""
    shown = []
    with uow() as tx:
        now = materials(tx).catalogue or Catalogue(())
        for version in tx.catalogue.listing(limit=limit, below=below):
            content = tx.catalogue.content(version.number) or ""
            before = tx.catalogue.before(version.number)
            made = Catalogue.from_json(content)
            old = made if before is None else Catalogue.from_json(before)
            shown.append(
                VersionShown(version, differences(old, made), differences(now, made))
            )
    return shown
