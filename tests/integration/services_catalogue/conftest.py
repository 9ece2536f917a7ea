"""A catalogue over a real database, and two people who change it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from mpms import bootstrap
from mpms.domain.order_mail import Catalogue, Material
from mpms.ports.catalogue import CatalogueVersion
from mpms.services.change_catalogue import save_material
from mpms.services.current_catalogue import CurrentCatalogue

FILE = Path(__file__).resolve().parents[3] / "worlds/paint_factory/catalogue.json"


class Store:
    """The catalogue of a plant, its file included."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.services = bootstrap.connect(url)
        self.uow = self.services.uow
        self.world = bootstrap.world_named("paint_factory")
        self.file: Catalogue | None = Catalogue.from_json(FILE.read_bytes())
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

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.services.close()
