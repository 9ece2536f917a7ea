"""The pages of a warehouse whose robots a fleet drives."""

from __future__ import annotations

from typing import Any

from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.web.desk import FactoryDesk
from tests.support.site import Site
from tests.support.warehouse_factory import WAREHOUSE, WarehouseFactory


class WarehouseSite(WarehouseFactory, Site):
    """A worker leads the fleet; people look at it."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.world = factory_bootstrap.world_named(WAREHOUSE)

    def desk(self, **changes: Any) -> FactoryDesk:
        known = {
            "fleet": self.files.world,
            "drafts": factory_bootstrap.drafts_of(WAREHOUSE),
        }
        return super().desk(**(known | changes))
