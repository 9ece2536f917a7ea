"""Give a material its picture, or take it away, as a new version of the catalogue."""

from __future__ import annotations

from dataclasses import replace

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail.catalogue_changes import (
    changed_fields,
    told_material,
)
from mpms.factory.domain.pictures import MOST_BYTES, NAME, name_of
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.change import MaterialUnknown
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.catalogue.write import (
    add_version,
    lock_catalogue,
    refuse_if_changed,
)
from mpms.services.instances.apply_repair import required
from mpms.services.tasks.keep_attachments import media_type_of


class PictureRefused(MpmsError):
    """This cannot be the picture of a material."""


def save_picture(
    uow: UnitOfWork,
    materials: CurrentCatalogue,
    code: str,
    content: bytes,
    *,
    seen: int | None = None,
    by: str,
    reason: str,
) -> CatalogueVersion | None:
    """Empty content takes the picture away. None if nothing differs.

    ReasonMissing, MaterialUnknown, PictureRefused, CatalogueChanged.
    """
    why = required(reason)
    name = _named(content) if content else ""
    with uow() as tx:
        now = lock_catalogue(tx, materials)
        refuse_if_changed(tx, materials, seen, code, lambda c: c.by_code(code))
        old = now.by_code(code)
        if old is None:
            raise MaterialUnknown(f"There is no material {code}.")
        if name == old.picture:
            return None
        if name:
            tx.catalogue.add_picture(name, content, by=by)
        new = replace(old, picture=name)
        changed = changed_fields(told_material(old), told_material(new))
        return add_version(
            tx,
            materials,
            replace(
                now, materials=tuple(new if m is old else m for m in now.materials)
            ),
            did="material changed",
            thing=code,
            by=by,
            reason=why,
            data={
                "material": code,
                "old": {each.field: each.old for each in changed},
                "new": {each.field: each.new for each in changed},
            },
        )


def open_picture(uow: UnitOfWork, name: str) -> bytes | None:
    """None: no picture of this name was ever handed in."""
    if NAME.fullmatch(name) is None:
        return None
    with uow() as tx:
        return tx.catalogue.picture(name)


def _named(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise PictureRefused("The picture is larger than 2 MB.")
    media_type = media_type_of(content)
    if media_type is None:
        raise PictureRefused("A picture is a JPEG, PNG or WebP file.")
    return name_of(content, media_type)
