"""What queries of all lists share: parts, order, instants, ids, variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from flask import Response
from pydantic import BeforeValidator, Field

from mpms.domain.people.people import Role
from mpms.ports.camunda7 import Part
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer
from mpms.web.engine_rest.routes import Asked, offered, read_body, read_query

MOST = (1 << 31) - 1


def _ids(given: object) -> object:
    """A query writes several with commas, a body as a list."""
    return given.split(",") if isinstance(given, str) else given


def _instant(given: object) -> object:
    """Without an offset the server's own is meant."""
    if not isinstance(given, str):
        raise ValueError("is not an instant")
    try:
        at = datetime.fromisoformat(given.strip())
        return at if at.tzinfo is not None else at.astimezone()
    except (ValueError, OverflowError):
        raise ValueError("instants are written 2026-11-18T10:00:00.000+0000") from None


def _conditions(given: object) -> object:
    """A query writes ``name_eq_value,...``; its values are texts."""
    if not isinstance(given, str):
        return given
    found = []
    for one in given.split(","):
        parts = one.split("_", 2)
        if len(parts) != 3:
            raise ValueError("conditions are written name_eq_value")
        found.append(dict(zip(("name", "operator", "value"), parts, strict=True)))
    return found


class Condition(Asked):
    name: str
    operator: Literal["eq"] = "eq"  # the others are not offered
    value: Any = None


Ids = Annotated[list[str] | None, BeforeValidator(_ids)]
When = Annotated[datetime | None, BeforeValidator(_instant)]
Conditions = Annotated[list[Condition] | None, BeforeValidator(_conditions)]
Found = tuple[Sequence[dict[str, Any]], int]


class Sorting(Asked):
    sort_by: str = ""
    sort_order: Literal["asc", "desc"] = "asc"


class Sorted(Asked):
    """A query says it with two words, a body with a list, of which the first counts."""

    sort_by: str = ""
    sort_order: Literal["asc", "desc"] = "asc"
    sorting: list[Sorting] = Field(default=[])


class Some(Asked):
    first_result: int = Field(default=0, ge=0, le=MOST)
    max_results: int = Field(default=MOST, ge=0, le=MOST)


def part_of(asked: Sorted, some: Some, known: Mapping[str, str]) -> Part:
    """``known``: their words for a sorting, and ours. RequestInvalid."""
    first = next(
        iter(asked.sorting),
        Sorting(sort_by=asked.sort_by, sort_order=asked.sort_order),
    )
    if first.sort_by and first.sort_by not in known:
        raise RequestInvalid(
            f"This list cannot be sorted by '{first.sort_by}'; it can by"
            f" {', '.join(known)}."
        )
    return Part(
        known.get(first.sort_by, ""),
        down=first.sort_order == "desc",
        offset=some.first_result,
        limit=some.max_results,
    )


def texts(*given: str | list[str] | None) -> tuple[str, ...] | None:
    """One and several at once: what is in all of them. None: any."""
    found: set[str] | None = None
    for each in given:
        if each is None:
            continue
        here = {each} if isinstance(each, str) else set(each)
        found = here if found is None else found & here
    return None if found is None else tuple(sorted(found))


def one_of(yes: bool | None, no: bool | None) -> bool | None:
    """Both together are nobody's, which a filter of one word cannot say."""
    if yes and no:
        raise RequestInvalid("Nothing is one and the other at once.")
    return True if yes else False if no else None


def wanted_values(conditions: list[Condition] | None) -> dict[str, Any] | None:
    return None if not conditions else {one.name: one.value for one in conditions}


def like_pattern(like: str | None) -> re.Pattern[str] | None:
    """A pattern of SQL for lists that are filtered here."""
    if like is None:
        return None
    parts = {"%": ".*", "_": "."}
    return re.compile("".join(parts.get(c, re.escape(c)) for c in like), re.DOTALL)


Query = TypeVar("Query", bound=Sorted)


def offer_list(
    path: str,
    which: type[Query],
    find: Callable[[Call, Query, Some], Found],
    roles: frozenset[Role],
) -> None:
    """A list and its length, each asked for by a query or by a body."""
    both: Any = type(which.__name__ + "Part", (which, Some), {"__doc__": which.__doc__})

    def shown(call: Call) -> Response:
        asked = read_query(both)
        return answer(find(call, asked, asked)[0])

    def shown_by_body(call: Call) -> Response:
        return answer(find(call, read_body(which), read_query(Some))[0])

    def counted(call: Call) -> Response:
        return answer({"count": find(call, read_query(which), NONE)[1]})

    def counted_by_body(call: Call) -> Response:
        return answer({"count": find(call, read_body(which), NONE)[1]})

    for method, below, run in (
        ("GET", "", shown),
        ("POST", "", shown_by_body),
        ("GET", "/count", counted),
        ("POST", "/count", counted_by_body),
    ):
        run.__name__ = f"{path}_{run.__name__}"
        offered(method, path + below, roles=roles)(run)


NONE = Some(max_results=0)
