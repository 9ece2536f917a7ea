"""What was processed before: the only thing a message cannot say about itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from mpms.factory.domain.order_mail.outcome import Outcome, Problem
from mpms.factory.domain.order_mail.reasons import explain


class Memory(Protocol):
    """What the plant remembers."""

    def message_seen(self, sender: str, message_id: str) -> bool: ...

    def order_number_taken(self, number: str) -> bool: ...


@dataclass
class RememberedMail:
    """A memory of one run, for checks and tests."""

    messages: set[tuple[str, str]] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)

    def message_seen(self, sender: str, message_id: str) -> bool:
        return (sender, message_id) in self.messages

    def order_number_taken(self, number: str) -> bool:
        return number in self.numbers

    def remember(self, outcome: Outcome) -> None:
        """Keep a settled outcome; a stranger's message must not block anybody's."""
        if outcome.trusted and outcome.sender and outcome.message_id:
            self.messages.add((outcome.sender, outcome.message_id))
        if outcome.order is not None:
            self.numbers.add(outcome.order.number)


def settle(outcome: Outcome, memory: Memory) -> Outcome:
    """Decide what reading alone could not: was this message or number here before?"""
    if not outcome.trusted or outcome.sender is None:
        return outcome
    if outcome.message_id and memory.message_seen(outcome.sender, outcome.message_id):
        reason = explain(Problem("duplicate_message"), outcome.language)
        return replace(
            outcome, outcome="ignored", reply="none", reasons=(reason,), order=None
        )
    if outcome.number and memory.order_number_taken(outcome.number):
        problem = Problem("duplicate_order_number", detail=outcome.number)
        reasons = (*outcome.reasons, explain(problem, outcome.language))
        return replace(
            outcome, outcome="rejected", reply="rejection", reasons=reasons, order=None
        )
    return outcome
