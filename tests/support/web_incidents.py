"""The inbox of incidents; jobs fail as tests want it."""

from __future__ import annotations

from typing import Any

from mpms.adapters.web_push import WebPusher
from mpms.factory.web.desk import FactoryDesk
from tests.support.drawings import in_a_row, job
from tests.support.site import NO_PAPER, Workshop


class House(Workshop):
    """Processes that stand for want of paper, and people who look."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.trouble = NO_PAPER

    def prepare(self) -> None:
        self.deploy("mixing")
        self.deploy("packing")

    def desk(self, **changes: Any) -> FactoryDesk:
        pusher = WebPusher("mailto:plant@example.com")
        return super().desk(**({"pusher": pusher} | changes))

    def deploy(self, key: str, topic: str = "print") -> None:
        label = job("label", topic, name="Print the label")
        self.deploy_files(in_a_row(key, "start label end", label=label))

    def stuck(self, key: str, *business_keys: str, trouble: str | None = None) -> None:
        """Instances whose jobs were given up."""
        self.trouble = trouble or self.trouble
        for business_key in business_keys:
            self.start_only(key, business_key=business_key)
        self.use_up_attempts()

    def causes(self) -> list[str]:
        rows = self.rows(
            "SELECT cause FROM incidents WHERE resolved_at IS NULL"
            " GROUP BY cause ORDER BY min(id)"
        )
        return [row[0] for row in rows]

    def open_incidents(self) -> int:
        ((count,),) = self.rows(
            "SELECT count(*) FROM incidents WHERE resolved_at IS NULL"
        )
        return int(count)
