"""The page of one instance; its models are drawn by the tests."""

from __future__ import annotations

from typing import Any

from tests.support.drawings import in_a_row, job
from tests.support.site import NO_PAPER, Workshop


class House(Workshop):
    """``steps``: three forms in a row; ``printing``: a job that fails for want of
    paper, then a form."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.trouble = NO_PAPER

    def prepare(self) -> None:
        self.deploy("steps", "start weigh mix pack end")
        label = job("label", "print", name="Label")
        self.deploy("printing", "start label pack end", label=label)

    def deploy(self, key: str, way: str, **elements: str) -> None:
        """Elements that are not given are user tasks."""
        self.deploy_files(in_a_row(key, way, **elements))

    def fill_in(self, instance_id: str, element: str) -> None:
        self.submit(self.token(instance_id, element), {})

    def stuck_job(self) -> tuple[str, int]:
        """An instance whose job was given up, and its incident."""
        instance_id = self.start("printing", kg=4.5)
        self.use_up_attempts()
        ((incident_id,),) = self.rows(
            "SELECT id FROM incidents WHERE instance_id = %s", instance_id
        )
        return instance_id, incident_id

    def token(self, instance_id: str, element: str) -> str:
        tokens = self._tokens(instance_id)
        return next(str(t.task_id) for t in tokens if t.element == element)

    def places(self, instance_id: str) -> list[str]:
        return sorted(token.element for token in self._tokens(instance_id))

    def _tokens(self, instance_id: str) -> list[Any]:
        instance = self.instance(instance_id)
        if instance.snapshot is None or instance.status.ended:
            return []
        with self.uow() as tx:
            definition = tx.definitions.by_id(instance.definition_id)
        return list(self.engine.tokens(definition, instance.snapshot))
