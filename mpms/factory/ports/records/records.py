"""Batch records: lines that are only added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mpms.factory.domain.records import Entry, Head, Line


class Records(Protocol):
    """Rows of ``record_lines`` and their heads."""

    def note(self, entry: Entry) -> None:
        """Add a line at the end of this transaction, with all that it adds."""
        ...

    def lock(self, records: Iterable[str]) -> tuple[Mapping[str, Head], datetime]:
        """The heads of these records, locked in one order for everybody, and the
        time of the database."""
        ...

    def append(self, lines: Sequence[Line]) -> None:
        """Write lines that go on from heads that are locked."""
        ...

    def orders_of(self, keys: Iterable[str]) -> set[str]:
        """Which of these business keys are numbers of orders."""
        ...

    def keys_of(self, instance_ids: Iterable[str]) -> Mapping[str, str | None]:
        """The business key of each instance."""
        ...

    def names_of(self, logins: Iterable[str]) -> Mapping[str, str]:
        """What people are called; who is no person is missing."""
        ...

    def set_ended(self, record: str, ended: bool) -> None:
        """Whether its order has ended, so that it may be sealed."""
        ...

    def lines(self, record: str) -> Sequence[Line]: ...
    def every_line(self) -> Iterator[Line]:
        """All lines of all records, by record and number; read piece by piece."""
        ...

    def heads(self) -> Sequence[Head]: ...
