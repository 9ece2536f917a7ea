"""The cockpit's pages over small models that are driven by hand."""

from __future__ import annotations

from typing import Any

from tests.support.drawings import in_a_row, job
from tests.support.site import Workshop
from tests.support.waiting import eventually

UNREAD = (
    "SELECT 1 FROM events AS e, readers AS r WHERE r.name = 'tallies'"
    " AND (e.transaction, e.id) > (r.transaction, r.line) LIMIT 1"
)


class Panel(Workshop):
    """A factory without robots and its cockpit."""

    def prepare(self) -> None:
        self.deploy()

    def deploy(self, key: str = "mixing", name: str = "Mix paint") -> None:
        model = in_a_row(
            key,
            "begin load weigh end",
            name=name,
            load='<userTask id="load" name="Load material"/>',
            weigh=job("weigh", "weigh", name=f"Weigh {name}"),
        )
        self.deploy_files(model)

    def mix(
        self, business_key: str | None, key: str = "mixing", **variables: Any
    ) -> str:
        instance_id = self.start(key, business_key, **variables)
        self.count()
        return instance_id

    def answer(self, instance_id: str) -> None:
        (task,) = self.forms(instance_id)
        self.submit(task.task_id, {})
        self.count()

    def settle(self) -> None:
        self.worker.settle()
        self.count()

    def count(self) -> None:
        """The figures follow the history as soon as nobody can write into its past."""

        def counted() -> bool:
            with self.uow() as tx:
                tx.tallies.follow(1000)
            return not self.rows(UNREAD)

        eventually(counted, "the history was never counted")

    def get_stuck(self, business_key: str) -> str:
        instance_id = self.mix(business_key)
        self.trouble = "the scale does not answer"
        self.answer(instance_id)
        self.use_up_attempts()
        self.count()
        self.trouble = None
        return instance_id


def keys_of(page: str) -> list[str]:
    """The business keys of a list, in its order."""
    parts = page.split('href="/cockpit/i/')[1:]
    return [part.split(">", 1)[1].split("<", 1)[0] for part in parts]
