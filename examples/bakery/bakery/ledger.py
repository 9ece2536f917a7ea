"""The ledger: a table of the bakery, written when an instance ends, read by the API."""

from typing import Any

from pydantic import BaseModel

from mpms.adapters.postgres import Repository
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.plugins import InstanceHooks
from mpms.web.api.operation import Call, Section
from mpms.web.rights import LEADERS


class Ledger(Repository):
    """``tx.bakery_ledger`` of every transaction."""

    def add(self, instance: Instance, loaves: int, turns: int | None) -> None:
        self._statements.run(
            "bakery_ledger_add",
            instance_id=instance.id,
            number=instance.business_key,
            loaves=loaves,
            turns=turns,
        )

    def latest(self) -> list[tuple[Any, ...]]:
        return self._statements.rows("bakery_ledger_latest")


class WriteLedger(InstanceHooks):
    """In the transaction in which the instance ends: both are there, or neither."""

    def ended(
        self, tx: Any, instance: Instance, status: InstanceStatus, *, by: str
    ) -> None:
        if instance.key != "bread" or instance.snapshot is None:
            return
        known = tx.instances.get(instance.id).snapshot.variables
        loaves, turns = int(known.get("loaves", 0)), known.get("turns")
        tx.bakery_ledger.add(instance, loaves, turns)
        tx.events.append(
            "bread done",
            actor=by,
            instance_id=instance.id,
            data={"loaves": loaves, "turns": turns or 0},
        )


section = Section("Bakery", "What was baked.")
SECTIONS = (section,)


class Line(BaseModel):
    number: str | None
    loaves: int
    turns: int | None


class Lines(BaseModel):
    items: list[Line]


@section.get("/bakery/ledger", LEADERS)
def ledger(call: Call) -> Lines:
    """The latest orders of bread."""
    with call.desk.uow() as tx:
        rows = tx.bakery_ledger.latest()  # type: ignore[attr-defined]
    found = [Line(number=n, loaves=loaves, turns=t) for n, loaves, t in rows]
    return Lines(items=found)
