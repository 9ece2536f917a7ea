"""A factory for small drawn models, in which time stands until a test moves it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from mpms.factory.adapters.memory import FixedClock
from tests.support.drawings import draw
from tests.support.factory import Factory

MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
LIVE = (
    *("tasks", "jobs", "timers", "calls", "subscriptions", "deliveries"),
    *("messages", "robot_holds"),
)


class Bench(Factory):
    """Each test draws the few elements it needs and drives the worker by hand."""

    clock: FixedClock

    def __init__(self, url: str, *, now: datetime = MORNING, **parts: Any) -> None:
        super().__init__(url, clock=FixedClock(now), **parts)

    def deploy_drawn(
        self, key: str, elements: str, *ways: str, declared: str = ""
    ) -> None:
        self.deploy_files(draw(key, elements, *ways, declared=declared))

    def deploy_form(self, form: str, *components: dict[str, Any]) -> None:
        schema = {"id": form, "type": "default", "components": list(components)}
        self.deploy_files({f"{form}.form": json.dumps(schema).encode()})

    def children(self, instance_id: str) -> list[str]:
        with self.uow() as tx:
            return tx.instances.children(instance_id)

    def elements_of(self, instance_id: str) -> list[tuple[str, str | None]]:
        """What happened to an instance and where, in order."""
        rows = self.rows(
            "SELECT kind, element FROM events WHERE instance_id = %s ORDER BY id",
            instance_id,
        )
        return [(kind, element) for kind, element in rows]

    def left(self, instance_id: str) -> list[str | None]:
        return [e for kind, e in self.elements_of(instance_id) if kind == "left"]

    def live_rows(self) -> dict[str, int]:
        """How many rows of what still waits; a quiet factory has none."""
        counts = {t: self.rows(f"SELECT count(*) FROM {t}")[0][0] for t in LIVE}
        return {table: count for table, count in counts.items() if count}
