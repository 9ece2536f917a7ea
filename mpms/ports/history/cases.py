"""The history by instances, for process mining."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mpms.domain.history.cases import CaseHead, Thing
from mpms.domain.history.events import Event

CasePlace = tuple[datetime, str]  # when it began, and its id


class Cases(Protocol):
    """Instances of a process that began in a window, and what happened in them."""

    def count(self, key: str, *, since: datetime, until: datetime, limit: int) -> int:
        """How many there are; counts no further than ``limit``."""
        ...

    def heads(
        self,
        key: str,
        *,
        since: datetime,
        until: datetime,
        above: CasePlace | None,
        limit: int,
    ) -> Sequence[CaseHead]:
        """The oldest first, those after a place."""
        ...

    def lines(
        self, instance_ids: Sequence[str], *, kinds: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[Event]]:
        """In order, so many of each instance at the most."""
        ...

    def happened(
        self, instance_ids: Sequence[str], *, kinds: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[Event]]:
        """The same with what each line says, which is much more to read."""
        ...

    def paths(
        self, instance_ids: Sequence[str], *, elements: Sequence[str], limit: int
    ) -> Mapping[str, Sequence[str]]:
        """Which of these elements each completed, in order, up to a limit."""
        ...

    def things(self, instance_ids: Sequence[str]) -> Mapping[str, Sequence[Thing]]:
        """What plug-ins know of them."""
        ...
