"""What processes ask of the fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind, RequestState


class FleetRequests(Repository):
    """Rows of ``fleet_requests``."""

    def add(self, request: FleetRequest) -> None:
        self._statements.run(
            "fleet_requests_add",
            id=request.id,
            kind=request.kind.value,
            data=as_json(request.data),
            task_id=request.task_id,
            instance_id=request.instance_id,
        )

    def at_work(self) -> Sequence[FleetRequest]:
        found = []
        for row in self._statements.rows("fleet_requests_at_work"):
            request_id, kind, data, state, fleet_task, why, *rest, gone = row
            task_id, instance_id = rest
            found.append(
                FleetRequest(
                    request_id,
                    RequestKind(kind),
                    data,
                    RequestState(state),
                    fleet_task,
                    why=why,
                    task_id=task_id,
                    instance_id=instance_id,
                    gone=bool(gone),
                )
            )
        return found

    def begin(self, request_id: str, fleet_task: str) -> None:
        self._statements.run_later(
            "fleet_requests_begin", id=request_id, fleet_task=fleet_task
        )

    def note(self, request_id: str, why: str | None) -> None:
        self._statements.run_later("fleet_requests_note", id=request_id, why=why)

    def end(
        self,
        request_id: str,
        state: RequestState,
        *,
        code: str | None = None,
        why: str | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        self._statements.run_later(
            "fleet_requests_end",
            id=request_id,
            state=state.value,
            code=code,
            why=why,
            result=as_json(result or {}),
        )

    def to_tell(self, limit: int = 50) -> Sequence[FleetRequest]:
        found = []
        for row in self._statements.rows("fleet_requests_to_tell", limit=limit):
            request_id, kind, data, state, code, why, result, task_id, instance_id = row
            found.append(
                FleetRequest(
                    request_id,
                    RequestKind(kind),
                    data,
                    RequestState(state),
                    code=code,
                    why=why,
                    result=result,
                    task_id=task_id,
                    instance_id=instance_id,
                )
            )
        return found

    def tell(self, request_id: str) -> bool:
        return self._statements.run("fleet_requests_tell", id=request_id) > 0
