"""Where orders come from."""

from __future__ import annotations

from typing import Protocol


class MailboxUnavailable(Exception):
    """The mailbox does not answer."""


class Intake(Protocol):
    """Where orders arrive. What was read is stored before this returns."""

    def __call__(self) -> tuple[int, int]:
        """Read what is new: the number of messages and of accepted orders."""
        ...
