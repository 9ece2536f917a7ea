"""Replies that are still to be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.ports.outgoing_mail import Reply


class Outbox(Protocol):
    """Replies; one that was handed to the mail server is never sent again."""

    def write(self, mail_id: int | None, reply: Reply) -> None: ...
    def take(self, process: str) -> tuple[Reply, int] | None:
        """One due reply and the number of this attempt."""
        ...

    def sent(self, reply_id: str) -> None: ...
    def postpone(self, reply_id: str, *, delay_s: float, error: str) -> None: ...
    def give_up(self, reply_id: str, error: str) -> None: ...
    def doubt(self, reply_id: str, error: str) -> None:
        """Nobody knows whether it went out."""
        ...

    def forgotten(self, after_s: float, error: str) -> list[str]:
        """Doubt what a process took this long ago and never told about; to whom."""
        ...
