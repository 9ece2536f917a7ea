"""Run what was asked for: one experiment a worker, in a process beside it.

Each run is a row as soon as it is over. Whoever dies leaves a lease that runs out, and
the next worker goes on with the runs that have no row.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

from mpms.factory.ports.experiments import (
    Event,
    Plan,
    PlanRefused,
    Run,
    Simulator,
    SimulatorFailed,
    SimulatorMissing,
)
from mpms.factory.ports.store import UnitOfWork

log = logging.getLogger(__name__)

LEASE_S = 30.0


class RunExperiments:
    """Call it again and again; True: an experiment was worked on."""

    def __init__(
        self,
        uow: UnitOfWork,
        simulator: Simulator,
        worker: str,
        *,
        lease_s: float = LEASE_S,
    ) -> None:
        self._uow, self._simulator = uow, simulator
        self._worker, self._lease_s = worker, lease_s
        self._closing = threading.Event()

    def close(self) -> None:
        """Leave what is being done to others."""
        self._closing.set()

    def __call__(self) -> bool:
        if self._closing.is_set():
            return False
        with self._uow() as tx:
            claimed = tx.experiments.claim(self._worker, self._lease_s)
        if claimed is None:
            return False
        id_, plan, _ = claimed
        try:
            state = self._run(id_, plan)
        except PlanRefused as refused:
            self._end(id_, "failed", "\n".join(refused.lines))
        except (SimulatorMissing, SimulatorFailed) as failed:
            self._end(id_, "failed", str(failed))
        else:
            if state:
                self._end(id_, state)
            elif self._closing.is_set():
                with self._uow() as tx:
                    tx.experiments.release(id_, self._worker)
        return True

    def _run(self, id_: int, plan: Plan) -> str:
        """How it ended; empty: it goes on elsewhere."""
        measure = str(plan.get("measure", "score"))
        with self._uow() as tx:
            done = [
                (run.case, run.seed, float(run.footprint[measure]))
                for run in tx.experiments.runs_of(id_)
            ]
        seen = _Seen()
        with self._simulator.start(plan, done) as simulating:
            for event in simulating.events():
                if self._closing.is_set():
                    return ""
                stopped_by = self._keep(id_, event, seen)
                if stopped_by is None:
                    log.warning("experiment %s: another worker has it now", id_)
                    return ""
                if stopped_by:
                    return "stopped"
        return "done"

    def _keep(self, id_: int, event: Event | None, seen: _Seen) -> str | None:
        with self._uow() as tx:
            rows = tx.experiments
            share, present = seen.hear(event)
            held = rows.hold(
                id_, self._worker, self._lease_s, share=share, present=present
            )
            if held is None or event is None:
                return held
            if event["event"] == "run":
                run = Run(event["case"], event["seed"], event["record"])
                rows.add_run(id_, run, event["series"], event["view"])
            elif event["event"] == "dropped":
                rows.drop_case(id_, event["case"], event["runs"])
            return held

    def _end(self, id_: int, state: str, failure: str = "") -> None:
        with self._uow() as tx:
            tx.experiments.end(id_, self._worker, state, failure)
            data: dict[str, Any] = {"experiment": id_, "state": state}
            if failure:
                data["reason"] = failure[:500]
            tx.events.append("experiment ended", actor=self._worker, data=data)


class _Seen:
    """The floor is told once a run, where robots are again and again."""

    def __init__(self) -> None:
        self._floor: Mapping[str, Any] | None = None

    def hear(
        self, event: Event | None
    ) -> tuple[float | None, Mapping[str, Any] | None]:
        if event is None:
            return None, None
        if event["event"] == "run":
            return 0.0, None
        if event["event"] != "now":
            return None, None
        self._floor = event.get("floor", self._floor)
        present = {key: event[key] for key in ("case", "seed", "frame")}
        return float(event["share"]), {**present, "floor": self._floor}
