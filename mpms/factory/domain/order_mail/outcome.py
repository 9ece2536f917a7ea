"""What reading one message comes to: an order, a refusal with reasons, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

Result = Literal["accepted", "rejected", "ignored"]
ReplyKind = Literal["confirmation", "rejection", "none"]


@dataclass(frozen=True)
class Problem:
    """A cause found while reading, not yet put into anybody's language."""

    code: str
    where: str = ""  # the line, row, field or file as the sender wrote it
    detail: str = ""  # the word or limit that the sentence names


class Refused(Exception):
    """Reading stops here: nothing after this point could be trusted."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(", ".join(problem.code for problem in problems))
        self.problems = problems


@dataclass(frozen=True)
class Reason:
    """A cause in the sender's language."""

    code: str
    sentence: str
    where: str = ""


@dataclass(frozen=True)
class DraftLine:
    """One material of an order: the code decides, the name is the catalogue's."""

    material: str
    name: str
    kg: Decimal
    lot: str | None = None


@dataclass(frozen=True)
class OrderDraft:
    """An order as the message states it."""

    number: str
    lines: tuple[DraftLine, ...]
    sender: str
    product: str | None = None
    due: date | None = None
    priority: str = "normal"
    recipe: str | None = None  # version 2: the recipe the lines were taken from
    batch: str | None = None  # and the batch size as it was written
    recipe_version: int | None = None  # of the recipe of its product, if there is one
    recipe_digest: str | None = None


@dataclass(frozen=True)
class Outcome:
    """The result for one message; ``trusted`` when every sender check passed."""

    outcome: Result
    reply: ReplyKind
    reasons: tuple[Reason, ...] = ()
    order: OrderDraft | None = None
    sender: str | None = None
    message_id: str | None = None
    language: str = "en"
    trusted: bool = False
    number: str | None = None  # also of a rejected order, where it was legible

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(reason.code for reason in self.reasons)
