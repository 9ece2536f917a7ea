"""What may be ordered now: the newest version from the pages, else the plant's file.

Every process asks for the number of the newest version each time it needs to know, so
that nobody has to be started again after a change. The content is read once a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction

FILE = 0


@dataclass(frozen=True)
class InForce:
    """A catalogue and where it comes from; version 0 is the plant's file."""

    version: int
    catalogue: Catalogue | None

    def placed(self, world: World) -> World:
        """The floor with materials where the catalogue says, if it says so."""
        known = () if self.catalogue is None else self.catalogue.materials
        return world.with_materials_at({m.code: m.place for m in known if m.place})


class CurrentCatalogue:
    """One a process; safe to share between threads."""

    def __init__(
        self,
        read_file: Callable[[], Catalogue | None] = lambda: None,
        *,
        path: str = "",
    ) -> None:
        self.read_file = read_file
        self.path = path
        self.file = InForce(FILE, read_file())
        self._known = self.file

    def __call__(self, tx: Transaction) -> InForce:
        newest = tx.catalogue.newest()
        if newest == FILE:
            return self.file
        known = self._known
        if known.version != newest:
            content = tx.catalogue.content(newest) or ""
            known = self._known = InForce(newest, Catalogue.from_json(content))
        return known

    def of_version(self, tx: Transaction, number: int) -> Catalogue | None:
        """What an earlier version said; None if there is no such version."""
        if number == FILE:
            return self.file.catalogue
        content = tx.catalogue.content(number)
        return None if content is None else Catalogue.from_json(content)
