"""Parts that many operations share: names of things, pages of lists, reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from pydantic import Field, JsonValue

from mpms.domain.errors import MpmsError
from mpms.web.api.operation import Given, Shape

Item = TypeVar("Item")
Place = TypeVar("Place")

LARGEST = (1 << 63) - 1
MOST_A_PAGE = 200

InstanceId = Annotated[UUID, Field(description="The id of an instance.")]
TaskId = Annotated[UUID, Field(description="The id of a task: of one live token.")]
RowId = Annotated[int, Field(ge=1, le=LARGEST, description="Its number.")]
ProcessKey = Annotated[
    str, Field(min_length=1, max_length=200, description="The id of the process.")
]
Version = Annotated[int, Field(ge=1, le=(1 << 31) - 1, description="A version.")]
Text = Annotated[str, Field(max_length=1000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Variables = dict[Annotated[str, Field(min_length=1, max_length=200)], JsonValue]
Limit = Annotated[
    int, Field(ge=1, le=MOST_A_PAGE, description="How many at most in one answer.")
]
CursorText = Annotated[
    str,
    Field(max_length=200, description="Where to go on: `next` of the answer before."),
]
Reason = Annotated[
    str,
    Field(min_length=1, max_length=1000, description="Why; it is kept in the history."),
]


class CursorInvalid(MpmsError):
    """This cursor was not given by an answer of this list."""


class Listed(Shape, Generic[Item]):
    """All of them."""

    items: list[Item]


class Page(Shape, Generic[Item]):
    """Some of them; `next` leads to the following ones."""

    items: list[Item]
    next: str | None = None


class Counted(Page[Item], Generic[Item]):
    """As a page, with how many fit in all; counting stops at `cap`."""

    found: int | None = None
    cap: int | None = None


class WithReason(Given):
    reason: Reason


class MaybeReason(Given):
    reason: Text = ""


class Paged(Given):
    cursor: CursorText | None = None
    limit: Limit = 50


def shaped(model: type[Shape], rows: Any) -> list[Any]:
    return [model.model_validate(row) for row in rows]


def place_in(text: str | None, read: Callable[[str], Place | None]) -> Place | None:
    """Where a page begins. CursorInvalid."""
    if text is None:
        return None
    try:
        found = read(text)
    except ValueError:
        found = None
    if found is None:
        raise CursorInvalid
    return found


def number_of(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() else -1
    if not 0 <= number <= LARGEST:
        raise ValueError(text)
    return number


def instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at


def plain(variables: Mapping[str, Any]) -> dict[str, Any]:
    return dict(variables)
