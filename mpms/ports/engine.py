"""The engine: models in, steps out; it does no I/O and knows no clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.history.conformance import Misfit
from mpms.domain.instances.instances import Snapshot
from mpms.domain.instances.steps import Command, LiveToken, Step, Variables, Wait
from mpms.domain.models.decision_sheets import Decided, DecisionSheet
from mpms.domain.models.definitions import (
    LATEST,
    Causes,
    Definition,
    ModelStep,
    Problem,
)
from mpms.domain.models.difference import ModelPart
from mpms.domain.models.topics import KnownTopic
from mpms.domain.processes.starts import Due, StartEvent


class Decisions(Protocol):
    """Where the engine finds the decision table that a model names."""

    def __call__(self, key: str, binding: str = LATEST) -> bytes | None:
        """``binding``: latest, deployment (of the model), or a number."""
        ...


class Engine(Protocol):
    """Executes one step of one instance."""

    @property
    def promised_topics(self) -> Mapping[str, KnownTopic]:
        """What workers of this environment serve, known before the first one runs."""
        ...

    def check(self, xml: bytes) -> list[Problem]:
        """Say why a model cannot be executed exactly; an empty list means it can."""
        ...

    def check_decisions(self, xml: bytes) -> list[Problem]:
        """The same for a file of decision tables."""
        ...

    def with_imports(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Files of decisions, each with those of them that it imports inside."""
        ...

    def refused_decisions(self, xml: bytes) -> list[Problem]:
        """Of a file that can be deployed: the decisions in it that cannot."""
        ...

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
        ...

    def hears(self, definition: Definition, element: str) -> frozenset[str]:
        """The events that listeners of a form are executed at."""
        ...

    def starters(self, definition: Definition) -> Sequence[str]:
        """The groups of those who may start it; empty: everybody who may start any."""
        ...

    def processes(self, xml: bytes) -> list[tuple[str, str]]:
        """The (key, name) of every executable process in a file."""
        ...

    def inner_forms(self, xml: bytes) -> list[dict[str, Any]]:
        """The forms that stand inside a model, as the JSON of form files; none of a
        file that cannot be read."""
        ...

    def starts(self, xml: bytes) -> Sequence[StartEvent]:
        """The start events of every executable process in a file."""
        ...

    def first_due(self, start: StartEvent, *, now: datetime) -> Due | None:
        """When a timer start comes first after its deployment; None: never.

        ExpressionInvalid, ExpressionFailed.
        """
        ...

    def next_due(self, timer: str, due: Due, *, now: datetime) -> Due | None:
        """The turn after one that has come, later than now; None: it was the last."""
        ...

    def feel(self, text: str, names: Mapping[str, object], /) -> object:
        """The value of an expression of a form; null where it has none.

        A missing name is null; an error makes the whole null.
        """
        ...

    def check_variables(self, variables: Variables) -> None:
        """Refuse variables that are too large to be kept. VariableTooLarge."""
        ...

    def decisions(self, xml: bytes) -> list[tuple[str, str]]:
        """The (key, name) of every decision in a file."""
        ...

    def sheets(self, xml: bytes) -> Sequence[DecisionSheet]:
        """The decisions of a file as people read them. ModelRefused."""
        ...

    def write_sheet(self, xml: bytes, sheet: DecisionSheet) -> bytes:
        """The file with the rules of one table replaced. ModelRefused."""
        ...

    def decide(
        self,
        xml: bytes,
        key: str,
        variables: Variables,
        *,
        now: datetime,
        decisions: Decisions | None = None,
    ) -> Decided:
        """Make one decision of a file. ModelRefused, ExpressionFailed."""
        ...

    def parts(self, definition: Definition) -> Sequence[ModelPart]:
        """A process with all that its steps and flows say, to be compared."""
        ...

    def misfits(
        self, definition: Definition, paths: Sequence[tuple[Sequence[str], bool]]
    ) -> Sequence[Misfit | None]:
        """Of each path, and whether it was completed, where it leaves the model."""
        ...

    def steps(self, definition: Definition) -> Sequence[ModelStep]:
        """The elements of a process, for pages and history."""
        ...

    def signals_to(self, definition: Definition, topic: str) -> frozenset[str]:
        """The signals after which a token may work on this topic next."""
        ...

    def properties(self, definition: Definition, element: str) -> Mapping[str, str]:
        """What the model notes at an element for whoever does its work."""
        ...

    def causes(self, definition: Definition, element: str) -> Causes:
        """The errors that the model catches at an element or around it."""
        ...

    def advance(
        self,
        definition: Definition,
        snapshot: Snapshot | None,
        command: Command,
        *,
        now: datetime,
        business_key: str | None = None,
        decisions: Decisions | None = None,
    ) -> Step:
        """Apply one command. Raises TaskGone when its task no longer waits.

        Repairs also raise ElementUnknown and RepairRefused.
        """
        ...

    def obstacles(
        self,
        old: Definition,
        new: Definition,
        snapshot: Snapshot,
        renamed: Mapping[str, str],
    ) -> Sequence[str]:
        """Why an instance cannot go to another version; empty: it can.

        ``renamed`` maps ids of the old version to ids of the new. ElementUnknown.
        """
        ...

    def migrate(
        self,
        old: Definition,
        new: Definition,
        snapshot: Snapshot,
        renamed: Mapping[str, str],
        *,
        now: datetime,
        business_key: str | None = None,
        decisions: Decisions | None = None,
    ) -> Step:
        """Carry an instance over. MigrationRefused, ElementUnknown."""
        ...

    def tokens(self, definition: Definition, snapshot: Snapshot) -> Sequence[LiveToken]:
        """Every live token, scopes before what is inside them."""
        ...

    def waits(self, definition: Definition, snapshot: Snapshot) -> Sequence[Wait]:
        """Everything an instance waits for now."""
        ...

    def visible(
        self, definition: Definition, snapshot: Snapshot, task_id: str
    ) -> Variables:
        """The variables that a live task sees, inner scopes winning."""
        ...
