"""Rows of experiments and of their runs."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

from mpms.adapters.postgres.database.statements import Repository, Row, as_json
from mpms.factory.ports.experiments import Experiment, Plan, Run


class Experiments(Repository):
    """Rows of ``experiments`` and ``experiment_runs``."""

    def add(
        self,
        title: str,
        plan: Plan,
        question: Mapping[str, Any] | None,
        runs: int,
        *,
        by: str,
    ) -> int:
        row = self._statements.row(
            "experiments_add",
            title=title,
            plan=as_json(plan),
            question=None if question is None else as_json(question),
            runs=runs,
            by=by,
        )
        return int((row or (0,))[0])

    def get(self, id_: int) -> Experiment | None:
        return _experiment(self._statements.row("experiments_get", id=id_, link=None))

    def of_link(self, link: str) -> Experiment | None:
        return _experiment(self._statements.row("experiments_get", id=None, link=link))

    def listing(self, *, limit: int, below: int | None = None) -> Sequence[Experiment]:
        rows = self._statements.rows("experiments_listing", limit=limit, below=below)
        return [Experiment(*row) for row in rows]

    def present(self, id_: int) -> Mapping[str, Any] | None:
        row = self._statements.row("experiments_present", id=id_)
        return None if row is None else row[0]

    def claim(self, worker: str, lease_s: float) -> tuple[int, Plan, int] | None:
        row = self._statements.row("experiments_claim", worker=worker, lease_s=lease_s)
        return None if row is None else (int(row[0]), row[1], int(row[2]))

    def hold(
        self,
        id_: int,
        worker: str,
        lease_s: float,
        *,
        share: float | None = None,
        present: Mapping[str, Any] | None = None,
    ) -> str | None:
        row = self._statements.row(
            "experiments_hold",
            id=id_,
            worker=worker,
            lease_s=lease_s,
            share=share,
            present=None if present is None else as_json(present),
        )
        return None if row is None else str(row[0])

    def drop_case(self, id_: int, case: str, runs: int) -> None:
        self._statements.run("experiments_drop_case", id=id_, case=case, runs=runs)

    def end(self, id_: int, worker: str, state: str, failure: str = "") -> None:
        self._statements.run(
            "experiments_end", id=id_, worker=worker, state=state, failure=failure
        )

    def release(self, id_: int, worker: str) -> None:
        self._statements.run("experiments_release", id=id_, worker=worker)

    def stop(self, id_: int, *, by: str) -> bool:
        return self._statements.row("experiments_stop", id=id_, by=by) is not None

    def delete(self, id_: int) -> bool:
        return self._statements.row("experiments_delete", id=id_) is not None

    def set_link(self, id_: int, link: str | None) -> bool:
        row = self._statements.row("experiments_set_link", id=id_, link=link)
        return row is not None

    def add_run(
        self,
        id_: int,
        run: Run,
        series: Sequence[Mapping[str, Any]],
        view: Mapping[str, Any] | None,
    ) -> None:
        self._statements.run(
            "experiment_runs_add",
            id=id_,
            case=run.case,
            seed=run.seed,
            footprint=as_json(run.footprint),
            series=as_json(series),
            view=None if view is None else gzip.compress(as_json(view).encode()),
        )

    def runs_of(self, id_: int) -> Sequence[Run]:
        return [
            Run(*row) for row in self._statements.rows("experiment_runs_of", id=id_)
        ]

    def series(
        self, id_: int, case: str, seed: int
    ) -> Sequence[Mapping[str, Any]] | None:
        row = self._statements.row(
            "experiment_runs_series", id=id_, case=case, seed=seed
        )
        found: Sequence[Mapping[str, Any]] | None = None if row is None else row[0]
        return found

    def view(self, id_: int, case: str) -> bytes | None:
        row = self._statements.row("experiment_runs_view", id=id_, case=case)
        return None if row is None else bytes(row[0])


def _experiment(row: Row | None) -> Experiment | None:
    return None if row is None else Experiment(*row)
