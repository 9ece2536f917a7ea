"""The log of what people did, as a chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from mpms.domain.history.audit_chain import AuditEntry, ChainLine


class AuditChain(Protocol):
    def follow(self, limit: int) -> bool:
        """Add what people did among the next lines of the history; False if there are
        none, or another worker does it."""
        ...

    def lines(self, *, after: int, limit: int) -> Sequence[ChainLine]: ...
    def told(self, event_ids: Sequence[int]) -> Mapping[int, AuditEntry]:
        """What the history still says of these."""
        ...
