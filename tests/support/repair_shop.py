"""A bench for repairs: models drawn in one line, and tokens found by their element."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from mpms.services.tasks.submit import Submitted
from tests.support.bench import Bench
from tests.support.drawings import draw

TOUCHED = (
    *("instances", "tasks", "jobs", "timers", "subscriptions", "calls"),
    *("deliveries", "incidents", "events", "orders"),
)
BELL = '<signal id="signal_bell" name="bell"/>'


class RepairShop(Bench):
    """Deploys, breaks and shows what a repair did."""

    def deploy(self, key: str, *chains: str, **elements: str) -> None:
        """Chains are 'start a b end'; elements that are not given are user tasks."""
        found, ways = dict(elements), []
        for chain in chains:
            ids = chain.split()
            for id_ in ids:
                found.setdefault(id_, f'<{_tag(id_)} id="{id_}"/>')
            ways += [f"{source} {target}" for source, target in pairwise(ids)]
        self.deploy_files(draw(key, "".join(found.values()), *ways, declared=BELL))

    def answer(self, instance_id: str, element: str, **answers: Any) -> Submitted:
        return self.submit(self.task(instance_id, element), answers)

    def status(self, instance_id: str) -> str:
        return str(self.instance(instance_id).status)

    def open(self, instance_id: str) -> list[str]:
        return sorted(task.element for task in self.forms(instance_id))

    def task(self, instance_id: str, element: str) -> str:
        """The id of the live token on an element."""
        instance = self.instance(instance_id)
        assert instance.snapshot is not None
        with self.uow() as tx:
            definition = tx.definitions.by_id(instance.definition_id)
        tokens = self.engine.tokens(definition, instance.snapshot)
        return next(t.task_id for t in tokens if t.element == element)

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that a refused repair must leave as it was."""
        return {t: self.rows(f"SELECT x::text FROM {t} x ORDER BY 1") for t in TOUCHED}


def _tag(id_: str) -> str:
    if id_.startswith("and"):
        return "parallelGateway"
    return {"start": "startEvent", "end": "endEvent"}.get(
        id_[:5].rstrip("_"), "userTask"
    )
