"""Say what is wrong with a file before it is deployed, and what it names in vain.

What is refused cannot be deployed. A form or process that is not there yet may come
with the next file and a worker may be started later, so that is a warning only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mpms.domain.forms import check_form
from mpms.domain.models.definitions import Problem
from mpms.domain.models.templates import check_templates
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.trials import Trials
from mpms.services.models.file_kinds import ONLY, file_kind
from mpms.services.workers.known_topics import topics_to_name


@dataclass(frozen=True)
class Finding:
    """One sentence about one place of a file."""

    element: str
    name: str
    reason: str
    refuses: bool = True


def check_model(
    uow: UnitOfWork,
    engine: Trials,
    name: str,
    content: bytes,
    *,
    beside: Mapping[str, bytes] | None = None,
) -> list[Finding]:
    """The worst first; ``beside`` are files that are deployed together with it.

    Reading a large file takes a while, so no transaction is open meanwhile.
    """
    with uow() as tx:
        there = names_there(tx, engine)
    return [
        Finding(p.element, p.name, p.reason) for p in check_file(engine, name, content)
    ] + named_in_vain(engine, name, content, there, beside=beside)


@dataclass(frozen=True)
class NamesThere:
    """What a model may name, by key."""

    topics: frozenset[str]
    forms: frozenset[str]
    decisions: frozenset[str]
    processes: frozenset[str]


def names_there(tx: Transaction, engine: Trials) -> NamesThere:
    return NamesThere(
        topics_to_name(tx, engine),
        frozenset(row.key for row in tx.models.forms()),
        frozenset(row.key for row in tx.models.decisions()),
        frozenset(row.key for row in tx.models.processes()),
    )


def named_in_vain(
    engine: Trials,
    name: str,
    content: bytes,
    there: NamesThere,
    *,
    beside: Mapping[str, bytes] | None = None,
) -> list[Finding]:
    """Forms, decisions, processes and topics of a model that are not there."""
    if file_kind(name) == "dmn":
        return [
            Finding(p.element, p.name, f"not deployed: {p.reason}", False)
            for p in engine.refused_decisions(content)
        ]
    if file_kind(name) != "bpmn":
        return []
    forms, decisions = set(there.forms), set(there.decisions)
    processes = set(there.processes)
    for other, bytes_ in (beside or {}).items():
        if check_file(engine, other, bytes_):
            continue
        kind = file_kind(other)
        if kind == "bpmn":
            processes |= {key for key, _ in engine.processes(bytes_)}
        elif kind == "dmn":
            decisions |= {key for key, _ in engine.decisions(bytes_)}
        elif kind == "form":
            forms.add(json.loads(bytes_)["id"])
    forms |= {form["id"] for form in engine.inner_forms(content)}
    missing = engine.check_names(
        content,
        topics=there.topics,
        forms=frozenset(forms),
        decisions=frozenset(decisions),
        processes=frozenset(processes),
    )
    return [Finding(p.element, p.name, p.reason, False) for p in missing]


def check_file(engine: Trials, name: str, content: bytes) -> list[Problem]:
    """Why a file would be refused; an empty list means that it would not."""
    match file_kind(name):
        case "bpmn":
            return engine.check(content)
        case "dmn":
            return engine.check_decisions(content)
        case "form":
            return check_form(content)
        case "template":
            return check_templates(content)
    return [Problem("", name, ONLY)]
