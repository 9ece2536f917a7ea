"""The two entrances: a model that was read already, and any bytes at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mpms.domain.errors import ModelRefused
from mpms.domain.forms.files import check_form
from mpms.domain.models.definitions import Problem
from mpms.engine.lint.activities import check_activities
from mpms.engine.lint.beside import check_beside
from mpms.engine.lint.dialects import check_dialects
from mpms.engine.lint.elements import check_elements
from mpms.engine.lint.flows import check_flows
from mpms.engine.lint.references import check_references
from mpms.engine.lint.starts import check_starts, check_weekdays
from mpms.engine.lint.texts import check_texts
from mpms.engine.lint.traits import check_traits
from mpms.engine.lint.vendors import not_executable
from mpms.engine.lint.view import Known, Names, View, at
from mpms.engine.model import Model, Process
from mpms.engine.reading import Facts, read
from mpms.engine.reading.inner_forms import InnerForm

MAX_PROBLEMS = 500  # nobody reads more; the rest is counted


@dataclass(frozen=True)
class Lint:
    """The answer about one file: the model if it could be read, and its problems."""

    model: Model | None
    problems: list[Problem]

    @property
    def deployable(self) -> bool:
        return self.model is not None and not self.problems


def check(
    xml: bytes,
    *,
    known_topics: Names = None,
    known_forms: Names = None,
    known_decisions: Names = None,
    known_processes: Names = None,
) -> Lint:
    """Checks any bytes; never raises. ``None`` for a set: do not compare with it."""
    known = Known(known_topics, known_forms, known_decisions, known_processes)
    try:
        reading = read(xml)
        found = lint_model(reading.model, reading.facts, known)
        refused = {problem.element for problem in found}
        forms = [form for form in reading.forms if form.element not in refused]
        return Lint(reading.model, [*found, *_forms(forms)])
    except ModelRefused as refusal:
        return Lint(None, [Problem("", "", str(refusal))])
    except Exception as error:
        # Whatever a file does to us, its sender gets an answer and no traceback.
        reason = f"the model cannot be checked ({type(error).__name__}: {error})"
        return Lint(None, [Problem("", "", reason)])


def _forms(forms: Iterable[InnerForm]) -> Iterator[Problem]:
    """What stands against the forms inside a model."""
    for element, schema in forms:
        for problem in check_form(json.dumps(schema).encode()):
            where = f" '{problem.element}'" if problem.element else ""
            reason = f"the form inside the model{where}: {problem.reason}"
            yield Problem(element, problem.name, reason)


def check_names(
    xml: bytes,
    *,
    topics: Names = None,
    forms: Names = None,
    decisions: Names = None,
    processes: Names = None,
) -> list[Problem]:
    """What a model names that is not there; it refuses nothing."""
    told = check(
        xml,
        known_topics=topics,
        known_forms=forms,
        known_decisions=decisions,
        known_processes=processes,
    ).problems
    refused = set(check(xml).problems)
    return [problem for problem in told if problem not in refused]


def lint_model(
    model: Model, facts: Facts | None = None, known: Known | None = None
) -> list[Problem]:
    """Everything that would not be executed exactly as drawn, in file order."""
    known = _with_own_processes(known or Known(), model)
    problems = [*model.problems, *check_traits(facts.traits if facts else ())]
    if not model.processes:
        problems.append(Problem("", "", "the file holds no process"))
    meant = [process for process in model.processes if process.executable]
    if not meant:
        reason = not_executable(facts)
        problems.extend(at(process, reason) for process in model.processes)
    for process in meant or model.processes:
        problems.extend(_check_process(process, list(problems), known))
    return _told(problems)


def _check_process(
    process: Process, so_far: Iterable[Problem], known: Known
) -> Iterator[Problem]:
    by_tables = list(check_elements(process))
    refused = frozenset(p.element for p in (*so_far, *by_tables))
    view = View.of(process, refused)
    if not process.id:
        yield at(process, "the process has no id")
    yield from by_tables
    yield from check_activities(view)
    yield from check_dialects(view)
    yield from check_flows(view)
    yield from check_beside(view)
    yield from check_starts(view)
    yield from check_weekdays(view)
    yield from check_texts(view)
    yield from check_references(view, known)


def _with_own_processes(known: Known, model: Model) -> Known:
    if known.processes is None:
        return known
    own = frozenset(process.id for process in model.processes if process.executable)
    return replace(known, processes=known.processes | own)


def _told(problems: list[Problem]) -> list[Problem]:
    unique = list(dict.fromkeys(problems))
    if len(unique) <= MAX_PROBLEMS:
        return unique
    rest = Problem("", "", f"and {len(unique) - MAX_PROBLEMS} more problems")
    return [*unique[:MAX_PROBLEMS], rest]
