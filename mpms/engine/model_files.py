"""What files of models say and decide, deployed or not: no instance is needed."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from mpms.domain.errors import ModelRefused
from mpms.domain.execution import Execution
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import (
    Variables,
)
from mpms.domain.models.decision_sheets import Decided, DecisionSheet
from mpms.domain.models.definitions import LATEST, Problem
from mpms.domain.models.topics import KnownTopic
from mpms.domain.processes.starts import Due, StartEvent
from mpms.engine import decisions as dmn
from mpms.engine import lint
from mpms.engine.expressions.bounds import ends_within
from mpms.engine.limits import check_given
from mpms.engine.reading import read, read_model
from mpms.engine.schedules import first_due, next_due
from mpms.engine.starts import starts
from mpms.engine.tokens import PureHandler
from mpms.ports.engine import Decisions

CACHED_MODELS = 200
LONGEST_STEP_S = 10.0  # of all expressions of one step or one decision together


class ModelFiles:
    """Reads BPMN and DMN. Safe to share between threads: only tables are cached."""

    def __init__(
        self,
        pure: Mapping[str, PureHandler] | None = None,
        limits: Limits | None = None,
        *,
        promised_topics: Mapping[str, KnownTopic] | None = None,
        execution: Execution | None = None,
    ) -> None:
        self.promised_topics = dict(promised_topics or {})
        self._pure = dict(pure or {})
        self._execution = execution or Execution()
        self._limits = limits or Limits()
        self._tables: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def feel(self, text: str, names: Mapping[str, object], /) -> object:
        from mpms.engine.feel.lenient import value_or_null  # a worker needs no FEEL

        return value_or_null(text, names)

    def check(self, xml: bytes) -> list[Problem]:
        return lint.check(xml).problems

    def check_decisions(self, xml: bytes) -> list[Problem]:
        return dmn.check_decisions(xml, standard=self._standard)

    def refused_decisions(self, xml: bytes) -> list[Problem]:
        return dmn.refused_decisions(xml, standard=self._standard)

    def with_imports(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        return dmn.with_imports(files)

    def check_names(
        self,
        xml: bytes,
        *,
        topics: frozenset[str] | None = None,
        forms: frozenset[str] | None = None,
        decisions: frozenset[str] | None = None,
        processes: frozenset[str] | None = None,
    ) -> list[Problem]:
        """What a model names that is not there; None: not known, so not compared."""
        return lint.check_names(
            xml,
            topics=None if topics is None else topics | self._pure.keys(),
            forms=forms,
            decisions=decisions,
            processes=processes,
        )

    def processes(self, xml: bytes) -> list[tuple[str, str]]:
        return [(p.id, p.name) for p in read_model(xml).processes if p.executable]

    def inner_forms(self, xml: bytes) -> list[dict[str, Any]]:
        try:
            return [deepcopy(form.schema) for form in read(xml).forms]
        except ModelRefused:
            return []  # whoever checks the file says why

    def starts(self, xml: bytes) -> list[StartEvent]:
        return starts(xml)

    def first_due(self, start: StartEvent, *, now: datetime) -> Due | None:
        return first_due(start.timer, start.text, now)

    def next_due(self, timer: str, due: Due, *, now: datetime) -> Due | None:
        return next_due(timer, due, now)

    def check_variables(self, variables: Variables) -> None:
        check_given(variables, self._limits)

    def decisions(self, xml: bytes) -> list[tuple[str, str]]:
        return [
            (d.key, d.name)
            for d in dmn.read_decisions(xml, standard=self._standard).values()
        ]

    def sheets(self, xml: bytes) -> Sequence[DecisionSheet]:
        return dmn.read_sheets(xml)

    def write_sheet(self, xml: bytes, sheet: DecisionSheet) -> bytes:
        return dmn.write_sheet(xml, sheet)

    def decide(
        self,
        xml: bytes,
        key: str,
        variables: Variables,
        *,
        now: datetime,
        decisions: Decisions | None = None,
    ) -> Decided:
        """Make one decision of a file that need not be deployed."""
        check_given(variables, self._limits)
        decision = dmn.read_decisions(xml, standard=self._standard).get(key)
        if decision is None:
            raise ModelRefused(f"The file holds no decision {key!r}.")
        with ends_within(LONGEST_STEP_S):
            made = decision.decide(
                variables,
                now=now,
                others=lambda other: self._decision(decisions, other),
            )
        return Decided(made.outputs, dict(made.fired))

    def _decision(
        self, decisions: Decisions | None, key: str, binding: str = LATEST
    ) -> Any:
        if decisions is None:
            return None
        xml = decisions(key) if binding == LATEST else decisions(key, binding)
        if xml is None:
            return None
        digest = hashlib.sha256(xml).hexdigest()
        with self._lock:
            tables = self._tables.get(digest)
            if tables is None:
                tables = self._tables[digest] = dict(
                    dmn.read_decisions(xml, standard=self._standard)
                )
                if len(self._tables) > CACHED_MODELS:
                    self._tables.popitem(last=False)
            return tables.get(key)

    @property
    def _standard(self) -> bool | None:
        """What the plant says about FEEL; None: as the file wants it."""
        feel = self._execution.feel
        return None if feel is None else feel == "standard"
