"""Reading and trying files that nobody has deployed: they may be anybody's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.instances.steps import Variables
from mpms.domain.models.decision_sheets import Decided, DecisionSheet
from mpms.domain.models.definitions import Problem
from mpms.domain.models.topics import KnownTopic
from mpms.ports.engine import Decisions


class Trials(Protocol):
    """A part of the engine. ServerBusy where too many ask at once."""

    @property
    def promised_topics(self) -> Mapping[str, KnownTopic]: ...

    def check(self, xml: bytes) -> list[Problem]: ...

    def check_decisions(self, xml: bytes) -> list[Problem]: ...

    def refused_decisions(self, xml: bytes) -> list[Problem]: ...

    def check_names(
        self,
        xml: bytes,
        *,
        topics: frozenset[str] | None = None,
        forms: frozenset[str] | None = None,
        decisions: frozenset[str] | None = None,
        processes: frozenset[str] | None = None,
    ) -> list[Problem]: ...

    def processes(self, xml: bytes) -> list[tuple[str, str]]: ...

    def inner_forms(self, xml: bytes) -> list[dict[str, Any]]: ...

    def decisions(self, xml: bytes) -> list[tuple[str, str]]: ...

    def sheets(self, xml: bytes) -> Sequence[DecisionSheet]:
        """ModelRefused."""
        ...

    def write_sheet(self, xml: bytes, sheet: DecisionSheet) -> bytes:
        """ModelRefused."""
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
        """ModelRefused, ExpressionFailed."""
        ...
