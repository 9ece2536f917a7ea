"""Ask for an experiment, stop it, delete it, and let others see it by a link."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import Conflict, NotFound
from mpms.factory.domain.experiments import (
    Question,
    faults_of_plan,
    faults_of_question,
    plan_of,
)
from mpms.factory.ports.experiments import Plan, PlanRefused, Simulator
from mpms.factory.ports.store import UnitOfWork

LONGEST_TITLE = 120


class ExperimentUnknown(NotFound):
    """There is no such experiment."""


class ExperimentRuns(Conflict):
    """This experiment is not over; stop it first."""


class ExperimentOver(Conflict):
    """This experiment is over."""


def ask_experiment(
    uow: UnitOfWork,
    simulator: Simulator,
    title: str,
    plan: Plan,
    *,
    by: str,
    question: Mapping[str, Any] | None = None,
) -> int:
    """PlanRefused with every reason, SimulatorMissing."""
    wrong = faults_of_plan(plan)
    if wrong:
        raise PlanRefused(wrong)
    runs = simulator.check(plan)
    title = " ".join(title.split())[:LONGEST_TITLE] or str(plan.get("layout"))
    with uow() as tx:
        made = tx.experiments.add(title, plan, question, runs, by=by)
        data = {"experiment": made, "title": title, "runs": runs}
        tx.events.append("experiment asked", actor=by, data=data)
    return made


def ask_question(
    uow: UnitOfWork, simulator: Simulator, title: str, asked: Question, *, by: str
) -> int:
    """PlanRefused with every reason, SimulatorMissing."""
    wrong = faults_of_question(asked)
    if wrong:
        raise PlanRefused(wrong)
    return ask_experiment(
        uow, simulator, title, plan_of(asked), by=by, question=asked.answered_by
    )


def stop_experiment(uow: UnitOfWork, id_: int, *, by: str) -> None:
    """What it has found stays. ExperimentUnknown, ExperimentOver."""
    with uow() as tx:
        found = tx.experiments.get(id_)
        if found is None:
            raise ExperimentUnknown
        if not found.open:
            raise ExperimentOver
        if tx.experiments.stop(id_, by=by):
            data = {"experiment": id_, "title": found.title}
            tx.events.append("experiment stopped", actor=by, data=data)


def delete_experiment(uow: UnitOfWork, id_: int, *, by: str) -> None:
    """With all of its runs. ExperimentUnknown, ExperimentRuns."""
    with uow() as tx:
        found = tx.experiments.get(id_)
        if found is None:
            raise ExperimentUnknown
        if not tx.experiments.delete(id_):
            raise ExperimentRuns
        data = {"experiment": id_, "title": found.title}
        tx.events.append("experiment deleted", actor=by, data=data)


def share_experiment(uow: UnitOfWork, id_: int, *, shared: bool, by: str) -> str | None:
    """What its address ends with, for whoever knows it. ExperimentUnknown."""
    with uow() as tx:
        found = tx.experiments.get(id_)
        if found is None:
            raise ExperimentUnknown
        if shared == (found.link is not None):
            return found.link
        link = secrets.token_urlsafe(24) if shared else None
        tx.experiments.set_link(id_, link)
        data = {"experiment": id_, "title": found.title, "shared": shared}
        tx.events.append("experiment shared", actor=by, data=data)
    return link
