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
    def lines_of(self, record: str, what: Iterable[str]) -> Sequence[Line]:
        """Only lines that say one of these."""
        ...

    def every_line(self) -> Iterator[Line]:
        """All lines of all records, by record and number; read piece by piece."""
        ...

    def head(self, record: str) -> Head: ...
    def heads(self) -> Sequence[Head]: ...
    def to_seal(self, *, quiet_s: float, limit: int) -> Sequence[str]:
        """Records of ended orders with lines that no seal covers, locked."""
        ...

    def set_sealed(self, record: str, lines: int) -> None: ...
    def unnoted(self) -> Sequence[Head]:
        """Heads that the plant's record does not tell of yet, locked."""
        ...

    def set_noted(self, heads: Iterable[Head]) -> None: ...
    def orders_since_first(self) -> Sequence[str]:
        """Orders that came after the first record was opened."""
        ...
