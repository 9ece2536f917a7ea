"""What processes ask of the fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.factory.domain.errands import Errand, ErrandKind, ErrandState


class Errands(Repository):
    """Rows of ``errands``."""

    def add(self, errand: Errand) -> None:
        self._statements.run(
            "errands_add",
            id=errand.id,
            kind=errand.kind.value,
            data=as_json(errand.data),
            task_id=errand.task_id,
            instance_id=errand.instance_id,
        )

    def at_work(self) -> Sequence[Errand]:
        found = []
        for row in self._statements.rows("errands_at_work"):
            errand_id, kind, data, state, fleet_task, task_id, instance_id, gone = row
            found.append(
                Errand(
                    errand_id,
                    ErrandKind(kind),
                    data,
                    ErrandState(state),
                    fleet_task,
                    task_id=task_id,
                    instance_id=instance_id,
                    gone=bool(gone),
                )
            )
        return found

    def begin(self, errand_id: str, fleet_task: str) -> None:
        self._statements.run_later("errands_begin", id=errand_id, fleet_task=fleet_task)

    def end(
        self,
        errand_id: str,
        state: ErrandState,
        *,
        code: str | None = None,
        why: str | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        self._statements.run_later(
            "errands_end",
            id=errand_id,
            state=state.value,
            code=code,
            why=why,
            result=as_json(result or {}),
        )

    def to_tell(self, limit: int = 50) -> Sequence[Errand]:
        found = []
        for row in self._statements.rows("errands_to_tell", limit=limit):
            errand_id, kind, data, state, code, why, result, task_id, instance_id = row
            found.append(
                Errand(
                    errand_id,
                    ErrandKind(kind),
                    data,
                    ErrandState(state),
                    code=code,
                    why=why,
                    result=result,
                    task_id=task_id,
                    instance_id=instance_id,
                )
            )
        return found

    def tell(self, errand_id: str) -> bool:
        return self._statements.run("errands_tell", id=errand_id) > 0
