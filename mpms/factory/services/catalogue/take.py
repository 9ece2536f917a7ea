"""Go back to what the catalogue was: an earlier version, or the plant's file again.

Nothing is taken away: what is taken becomes the next version.
"""

from __future__ import annotations

from mpms.domain.errors import Conflict, MpmsError, NotFound
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.catalogue_changes import differences
from mpms.factory.ports.catalogue import FILE_TAKEN, VERSION_TAKEN, CatalogueVersion
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.write import (
    add_version,
    lock_catalogue,
    refuse_if_changed,
)
from mpms.services.instances.apply_repair import required


class VersionUnknown(NotFound):
    """There is no such version of the catalogue."""


class FileMissing(MpmsError):
    """The plant has no catalogue file."""


class InForceAlready(Conflict):
    """This is what is in force already."""


def take_version(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    number: int,
    *,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion:
    """ReasonMissing, VersionUnknown, InForceAlready, CatalogueChanged."""
    why = required(reason)
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(tx, materials, seen, "", lambda c: c)
        content = tx.catalogue.content(number)
        if content is None:
            raise VersionUnknown(f"There is no version {number}.")
        wanted = Catalogue.from_json(content)
        if not differences(now, wanted):
            raise InForceAlready
        return add_version(
            tx,
            materials,
            wanted,
            did=VERSION_TAKEN,
            thing=str(number),
            by=by,
            reason=why,
            data={"taken": number},
        )


def take_file(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    *,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion:
    """Read the file as it is now, for all processes.

    ReasonMissing, FileMissing, CatalogueInvalid, InForceAlready, CatalogueChanged.
    """
    why = required(reason)
    wanted = materials.read_file()
    if wanted is None:
        raise FileMissing
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(tx, materials, seen, "", lambda c: c)
        if not differences(now, wanted):
            raise InForceAlready
        return add_version(
            tx,
            materials,
            wanted,
            did=FILE_TAKEN,
            thing="",
            by=by,
            reason=why,
            data={"file": materials.path},
        )
