"""The catalogue of a plant over a real database, and people who change it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from mpms.factory.domain.order_mail import Catalogue, Material
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.services.catalogue.change import save_material
from mpms.factory.services.catalogue.current import CurrentCatalogue
from tests.support.factory import WORLD_DIR, Factory


class CatalogueStore(Factory):
    """The catalogue of a plant, its file included."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        text = (WORLD_DIR / "catalogue.json").read_bytes()
        self.file: Catalogue | None = Catalogue.from_json(text)
        self.materials = self.another_process()

    def another_process(self) -> CurrentCatalogue:
        return CurrentCatalogue(lambda: self.file, path="catalogue.json")

    def now(self) -> Catalogue:
        with self.uow() as tx:
            return self.materials(tx).catalogue or Catalogue(())

    def version(self) -> int:
        with self.uow() as tx:
            return self.materials(tx).version

    def save(
        self, code: str, *, by: str = "adam", seen: int | None = None, **change: Any
    ) -> CatalogueVersion | None:
        """Change a material that is there, or add one."""
        old = self.now().by_code(code)
        new = old or Material(code, f"Material {code}", (), Decimal(100))
        return save_material(
            self.uow,
            self.materials,
            self.world,
            replace(new, **change),
            replaces=None if old is None else code,
            seen=seen,
            by=by,
            reason=f"{by} knows why",
        )
