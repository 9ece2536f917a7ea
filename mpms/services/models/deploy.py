"""Deploy models, decision tables and forms; what cannot run exactly is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid, ModelRefused
from mpms.domain.models.definitions import Definition, Problem
from mpms.domain.models.templates import read_templates
from mpms.domain.processes.starts import StartEvent
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.models.check import Finding, check_file, named_in_vain, names_there
from mpms.services.models.file_kinds import file_kind


@dataclass
class Deployment:
    """What one deployment brought."""

    definitions: list[Definition] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    warnings: dict[str, list[Finding]] = field(default_factory=dict)  # by file


class Refused(ModelRefused):
    """Files that were refused, with every problem."""

    def __init__(self, problems: dict[str, list[Problem]]) -> None:
        self.problems = problems
        lines = [
            f"{file}: {p.element} ({p.name}): {p.reason}"
            for file, found in problems.items()
            for p in found
        ]
        super().__init__("\n".join(lines))


def deploy_models(
    uow: UnitOfWork,
    engine: Engine,
    files: dict[str, bytes],
    *,
    by: str,
    note: str = "",
    now: datetime | None = None,
) -> Deployment:
    """Deploy files by name, all or none. Raises Refused.

    From then on only the start events of these versions are triggered; the durations
    of their timers begin ``now``. Instances that run are not touched.
    """
    decisions = {n: content for n, content in files.items() if file_kind(n) == "dmn"}
    files = {**files, **engine.with_imports(decisions)}
    problems = {
        name: found
        for name, content in files.items()
        if (found := check_file(engine, name, content))
    }
    if problems:
        raise Refused(problems)
    done = Deployment()
    with uow() as tx:
        for name, content in files.items():
            kind = file_kind(name)
            if kind == "bpmn":
                for key, title in engine.processes(content):
                    deployed = tx.definitions.deploy(
                        key, title, content, by=by, note=note
                    )
                    done.definitions.append(deployed)
                for schema in engine.inner_forms(content):
                    tx.definitions.deploy_form(schema["id"], schema, by=by, note=note)
            elif kind == "dmn":
                for key, title in engine.decisions(content):
                    tx.definitions.deploy_decision(
                        key, title, content, by=by, note=note
                    )
                    done.decisions.append(key)
            elif kind == "template":
                for template in read_templates(content):
                    tx.models.keep_template(template, by=by)
                    done.templates.append(template["id"])
            else:
                schema = json.loads(content)
                tx.definitions.deploy_form(schema["id"], schema, by=by, note=note)
                done.forms.append(schema["id"])
        _replace_starts(tx, engine, files, done, now or datetime.now(UTC))
        there = names_there(tx, engine)
        done.warnings = {
            name: told
            for name, content in files.items()
            if (told := named_in_vain(engine, name, content, there))
        }
        data = {"files": sorted(files), **({"note": note} if note else {})}
        tx.events.append("deployed", actor=by, data=data)
        tx.wake()
    return done


def _replace_starts(
    tx: Transaction,
    engine: Engine,
    files: dict[str, bytes],
    done: Deployment,
    now: datetime,
) -> None:
    ids = {d.key: tx.definitions.id_of(d) for d in done.definitions}
    new = {key for key, number in ids.items() if not tx.starts.knows(number, key)}
    for key in new:
        tx.starts.forget_older(ids[key], key)
    problems: dict[str, list[Problem]] = {}
    for file, content in files.items():
        found = engine.starts(content) if file_kind(file) == "bpmn" else ()
        for start in found:
            if start.kind != "none" and start.process in new:
                reason = _add_start(tx, engine, ids[start.process], start, now)
                if reason:
                    problem = Problem(start.element, start.name, reason)
                    problems.setdefault(file, []).append(problem)
    if problems:
        raise Refused(problems)


def _add_start(
    tx: Transaction, engine: Engine, number: int, start: StartEvent, now: datetime
) -> str | None:
    """Let a start event be triggered, or say why it cannot be."""
    due = None
    if start.kind == "message":
        taken = tx.starts.by_message(start.event or "")
        if taken is not None:
            return (
                f"the message '{start.event}' starts the process '{taken[0]}' already"
            )
    elif start.kind == "timer":
        try:
            due = engine.first_due(start, now=now)
        except (ExpressionInvalid, ExpressionFailed) as fault:
            return str(fault)
    tx.starts.add(number, start, due)
    return None
