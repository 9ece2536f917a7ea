"""What the fleet knows, what it is told, what it decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.factory.adapters.postgres.robots.goals import goal_of
from mpms.factory.domain.goals import Goal
from mpms.factory.ports.fleet import (
    DecisionRow,
    MinuteRow,
    PastDecision,
    PastMinute,
    PastTask,
    Said,
    SavedFleet,
    TaskRow,
)


class FleetRows(Repository):
    """The row of ``fleet`` and the tables around it."""

    def own(self, *, worker: str, lease_s: float) -> bool:
        self._statements.run("fleet_introduce")
        row = self._statements.row("fleet_own", worker=worker, lease_s=lease_s)
        return row is not None

    def release(self, worker: str) -> None:
        self._statements.run("fleet_release", worker=worker)

    def saved(self) -> SavedFleet:
        row = self._statements.row("fleet_state")
        if row is None:
            return SavedFleet(None, "", None, None, led=False)
        state, world, owner, saved_at, led = row
        return SavedFleet(state, world, owner, saved_at, led)

    def save(self, state: Mapping[str, Any], *, world: str) -> None:
        self._statements.run_later("fleet_save", state=as_json(state), world=world)

    def say(self, kind: str, data: Mapping[str, Any], *, said_by: str) -> int:
        row = self._statements.row(
            "fleet_say", kind=kind, data=as_json(data), said_by=said_by
        )
        return int(row[0]) if row is not None else 0

    def to_take(self, limit: int = 200) -> Sequence[Said]:
        rows = self._statements.rows("fleet_to_take", limit=limit)
        return [Said(*row) for row in rows]

    def taken(self, said_id: int, refused: str | None = None) -> None:
        self._statements.run_later("fleet_taken", id=said_id, refused=refused)

    def put_task(self, task: TaskRow) -> None:
        values = asdict(task) | {"legs": as_json(task.legs)}
        self._statements.run_later("fleet_task_put", **values)

    def add_decision(self, decision: DecisionRow) -> None:
        self._statements.run_later(
            "fleet_decision_add",
            task=decision.task,
            robot=decision.robot,
            strategy=decision.strategy,
            reason=decision.reason,
            bids=as_json(decision.bids),
            refusals=as_json(decision.refusals),
        )

    def add_minutes(self, rows: Iterable[MinuteRow], *, at: datetime) -> None:
        for row in rows:
            self._statements.run_later("fleet_minute_add", at=at, **asdict(row))

    def add_waits(
        self, squares: Mapping[tuple[int, int], float], *, at: datetime
    ) -> None:
        for (x_m, y_m), waited_s in sorted(squares.items()):
            self._statements.run_later(
                "fleet_wait_add", x_m=x_m, y_m=y_m, waited_s=waited_s, at=at
            )

    def goals(self, ids: Iterable[str]) -> Sequence[Goal]:
        wanted = list(ids)
        if not wanted:
            return []
        return [
            goal_of(row) for row in self._statements.rows("fleet_goals", ids=wanted)
        ]

    def call_off(self, goal_id: str) -> None:
        self._statements.run_later("fleet_goal_call_off", id=goal_id)

    def begin_anew(self, why: str) -> None:
        self._statements.run("fleet_begin_anew", why=why)

    def robots_at_work(self) -> set[str]:
        return {row[0] for row in self._statements.rows("fleet_robots_at_work")}

    def unfit(self) -> Mapping[str, str]:
        return dict(self._statements.rows("fleet_unfit"))

    def tasks(self, *, ended: int) -> Sequence[PastTask]:
        rows = self._statements.rows("fleet_tasks_listing", ended=ended)
        return [_task(row) for row in rows]

    def task(self, task_id: str) -> PastTask | None:
        row = self._statements.row("fleet_task_one", id=task_id)
        return None if row is None else _task(row)

    def decisions(self, task_id: str) -> Sequence[PastDecision]:
        rows = self._statements.rows("fleet_decisions_of", task=task_id)
        return [PastDecision(*row) for row in rows]

    def minutes(self, since: datetime) -> Sequence[PastMinute]:
        found = []
        for robot, minute, *spent in self._statements.rows(
            "fleet_minutes_since", since=since
        ):
            values = (robot, *spent, minute)
            found.append(PastMinute(*values))
        return found

    def waits(self, since: datetime) -> Mapping[tuple[int, int], float]:
        rows = self._statements.rows("fleet_waits_since", since=since)
        return {(x_m, y_m): float(waited_s) for x_m, y_m, waited_s in rows}

    def ended(self, since: datetime) -> Mapping[str, int]:
        rows = self._statements.rows("fleet_ended_since", since=since)
        return {state: int(count) for state, count in rows}

    def forget(self) -> None:
        self._statements.run("fleet_forget")


def _task(row: Row) -> PastTask:
    values = (*row[:10], row[-1] is not None, *row[10:])
    return PastTask(*values)
