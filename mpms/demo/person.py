"""Somebody who never tires: confirms forms that nobody has taken, looks after robots.

So the demo goes on while its visitor only watches. Whatever a visitor has taken is left
to the visitor, and what a visitor has ordered as well, for ten minutes: a robot that
waited for ever would stand in the way of the others.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

from mpms.bootstrap import Services
from mpms.demo.visitor import is_visitors
from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.forms import fields
from mpms.domain.incidents.incidents import Incident
from mpms.domain.tasks import FormTask
from mpms.factory.domain.decisions import asks_for_decision
from mpms.factory.ports.store import Transaction
from mpms.services.instances.repair import retry_incident
from mpms.services.tasks.submit import submit_form

VISITOR_S = 600.0
"""How long a visitor's order waits for its visitor."""


class TirelessPerson:
    """Works in a thread of its own until told to stop."""

    def __init__(self, services: Services, *, patience_s: float, pause_s: float):
        self._services = services
        self._patience_s = patience_s  # a visitor may want the task
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="person")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(0.05 if self._patience_s == 0 else 0.5):
            try:
                self.look_around()
            except TaskGone:
                continue
            except MpmsError:
                self._stop.wait(0.5)

    def look_around(self) -> None:
        """Do what is due now. TaskGone and others, if somebody was quicker."""
        self._look_after_robots()
        self._confirm_forms()

    def _look_after_robots(self) -> None:
        services = self._services
        with services.uow() as tx:
            incidents = [
                incident
                for incident in tx.incidents.listing()
                if incident.kind == "goal" and not self._of_visitor(tx, incident)
            ]
        for incident in incidents:
            waited_s = (datetime.now(UTC) - incident.opened_at).total_seconds()
            due = waited_s >= max(self._patience_s, self._pause_s, 1.0)
            if due:
                retry_incident(
                    services.uow, services.advance, incident.id, by="operator"
                )

    @staticmethod
    def _of_visitor(tx: Transaction, incident: Incident) -> bool:
        if incident.instance_id is None:
            return False
        instance = tx.instances.get(incident.instance_id)
        return _is_fresh(incident.opened_at) and is_visitors(tx, instance.business_key)

    def _confirm_forms(self) -> None:
        services = self._services
        with services.uow() as tx:
            tasks = tx.tasks.open()
            taken = tx.claims.of(task.task_id for task in tasks)
            due = [
                task
                for task in tasks
                if task.task_id not in taken
                and self._due(task)
                and not (
                    _is_fresh(task.created_at) and is_visitors(tx, task.business_key)
                )
            ]
            forms = {t.form: tx.definitions.form(t.form) for t in due if t.form}
        for task in due:
            self._stop.wait(self._pause_s)
            answers = _agree(forms.get(task.form or "") or {}, task.inputs)
            submit_form(
                services.uow, services.advance, task.task_id, answers, by="worker"
            )

    def _due(self, task: FormTask) -> bool:
        # Somebody reported a problem: that is for the visitor to decide.
        factor = 4.0 if asks_for_decision(task.form) else 1.0
        waited_s = (datetime.now(UTC) - task.created_at).total_seconds()
        return waited_s >= self._patience_s * factor


def _is_fresh(since: datetime) -> bool:
    return (datetime.now(UTC) - since).total_seconds() < VISITOR_S


def _agree(schema: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Tick every box, take the first choice, weigh what was asked for."""
    answers: dict[str, Any] = {}
    for field in fields(schema):
        if field["type"] == "checkbox":
            answers[field["key"]] = True
        elif field["type"] in ("radio", "select") and field.get("values"):
            answers[field["key"]] = field["values"][0]["value"]
        elif field["type"] == "scan":
            answers[field["key"]] = "L-2026-042"
        elif (field.get("validate") or {}).get("required"):
            answers[field["key"]] = "confirmed in the demo"
    return answers
