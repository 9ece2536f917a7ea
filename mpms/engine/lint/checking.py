"""The two entrances: a model that was read already, and any bytes at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

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
from mpms.engine.model import Model
from mpms.engine.reading import Facts, read
from mpms.engine.reading.inner_forms import InnerForm

MAX_PROBLEMS = 500  # nobody reads more; the rest is counted
KEPT = 8  # a deployment asks three times about each file


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
    alone = _alone(xml)
    names = _names(
        alone, Known(known_topics, known_forms, known_decisions, known_processes)
    )
    return Lint(alone.model, [*alone.problems, *names])


@dataclass(frozen=True)
class _Alone:
    """What a file says by itself, without looking at what it names."""

    model: Model | None
    problems: tuple[Problem, ...]
    views: tuple[View, ...] = ()


@lru_cache(maxsize=KEPT)
def _alone(xml: bytes) -> _Alone:
    try:
        reading = read(xml)
        found, views = _looked_at(reading.model, reading.facts)
        refused = {problem.element for problem in found}
        forms = [form for form in reading.forms if form.element not in refused]
        return _Alone(reading.model, (*found, *_forms(forms)), tuple(views))
    except ModelRefused as refusal:
        return _Alone(None, (Problem("", "", str(refusal)),))
    except Exception as error:
        # Whatever a file does to us, its sender gets an answer and no traceback.
        reason = f"the model cannot be checked ({type(error).__name__}: {error})"
        return _Alone(None, (Problem("", "", reason),))


def _names(alone: _Alone, known: Known) -> list[Problem]:
    """What the file names that is not there, beside all that is told already."""
    if alone.model is None:
        return []
    known = _with_own_processes(known, alone.model)
    told = [p for view in alone.views for p in check_references(view, known)]
    return _told([problem for problem in told if problem not in alone.problems])


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
    return _names(_alone(xml), Known(topics, forms, decisions, processes))


def lint_model(
    model: Model, facts: Facts | None = None, known: Known | None = None
) -> list[Problem]:
    """Everything that would not be executed exactly as drawn, in file order."""
    problems, views = _looked_at(model, facts)
    known = _with_own_processes(known or Known(), model)
    names = (p for view in views for p in check_references(view, known))
    return _told([*problems, *names])


def _looked_at(model: Model, facts: Facts | None) -> tuple[list[Problem], list[View]]:
    problems = [*model.problems, *check_traits(facts.traits if facts else ())]
    if not model.processes:
        problems.append(Problem("", "", "the file holds no process"))
    meant = [process for process in model.processes if process.executable]
    if not meant:
        reason = not_executable(facts)
        problems.extend(at(process, reason) for process in model.processes)
    views = []
    for process in meant or model.processes:
        by_tables = list(check_elements(process))
        refused = frozenset(p.element for p in (*problems, *by_tables))
        views.append(View.of(process, refused))
        problems.extend(_check_process(views[-1], by_tables))
    return _told(problems), views


def _check_process(view: View, by_tables: Iterable[Problem]) -> Iterator[Problem]:
    process = view.process
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
    yield from check_references(view, Known())


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
