"""One operation of the API: an address, who may use it, what goes in and comes out.

The signature of the function that does it is the contract: ``query`` and ``body`` are
pydantic models, other parameters are parts of the path, the answer is a model, a file
or nothing. Checking requests and describing the API both follow from it, so that they
cannot differ.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, field_validator

from mpms.domain.people.people import Person, Role
from mpms.ports.api import ApiToken
from mpms.web.desk import Desk

PARAMETER = re.compile(r"\{(\w+)\}")
Run = TypeVar("Run", bound=Callable[..., Any])


class Shape(BaseModel):
    """What goes out; made from whatever has these attributes."""

    model_config = ConfigDict(from_attributes=True)


class Given(BaseModel):
    """What comes in; a misspelt name is noticed."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="after")
    @classmethod
    def in_utc(cls, value: Any) -> Any:
        """Databases know fewer offsets from UTC than a program may write."""
        if not isinstance(value, datetime) or value.tzinfo is None:
            return value
        try:
            return value.astimezone(UTC)
        except OverflowError:
            raise ValueError("lies outside the calendar") from None


class Nothing(Given):
    """No query."""


@dataclass(frozen=True)
class File:
    """An answer that is a file as it was deployed or kept."""

    content: bytes
    media_type: str


@dataclass(frozen=True)
class Stream:
    """An answer that is too long to be kept in memory; made while it is sent."""

    pieces: Iterator[str]
    media_type: str
    file_name: str


@dataclass(frozen=True)
class Call:
    """Who asks for what; ``desk`` is the caller's own transaction where he writes."""

    desk: Desk
    person: Person
    token: ApiToken | None = None

    @property
    def by(self) -> str:
        """Who it was, for the history."""
        return self.person.login


@dataclass(frozen=True)
class Operation:
    method: str
    path: str  # below /api/v1, with {names}
    tag: str
    name: str
    summary: str
    description: str
    roles: frozenset[Role]
    run: Callable[..., Any]
    in_path: Mapping[str, TypeAdapter[Any]]
    query: type[BaseModel] | None
    body: type[BaseModel] | None
    answer: type[BaseModel] | None  # None: a file, or nothing with status 204
    status: int
    files: tuple[str, ...] = ()  # media types
    fails: frozenset[int] = frozenset()
    atomic: bool = True
    tries: bool = False  # asks only, so it needs no transaction and keeps no key
    example: Mapping[str, Any] = field(default_factory=dict)

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    @property
    def row(self) -> type[BaseModel] | None:
        """What a line is, of an operation that reads a list."""
        fields = {} if self.answer is None else self.answer.model_fields
        if self.writes or "items" not in fields:
            return None
        found = next(iter(get_args(fields["items"].annotation)), None)
        return found if _is_model(found) else None

    @property
    def problems(self) -> list[int]:
        """Every status that tells of a problem."""
        found = {401, 403, 429, 503} | self.fails
        if self.in_path:
            found |= {404}
        if self.query is not None or self.writes:
            found |= {422}
        if self.body is not None:
            found |= {400, 413, 415}
        if self.writes:
            found |= {409}
        return sorted(found)


class Section:
    """Operations about one noun."""

    def __init__(self, tag: str, about: str) -> None:
        self.tag = tag
        self.about = about
        self.operations: list[Operation] = []

    def get(
        self, path: str, roles: frozenset[Role], **more: Any
    ) -> Callable[[Run], Run]:
        return self._add("GET", path, roles, **more)

    def post(
        self, path: str, roles: frozenset[Role], **more: Any
    ) -> Callable[[Run], Run]:
        return self._add("POST", path, roles, **more)

    def put(
        self, path: str, roles: frozenset[Role], **more: Any
    ) -> Callable[[Run], Run]:
        return self._add("PUT", path, roles, **more)

    def patch(
        self, path: str, roles: frozenset[Role], **more: Any
    ) -> Callable[[Run], Run]:
        return self._add("PATCH", path, roles, **more)

    def delete(
        self, path: str, roles: frozenset[Role], **more: Any
    ) -> Callable[[Run], Run]:
        return self._add("DELETE", path, roles, **more)

    def _add(
        self,
        method: str,
        path: str,
        roles: frozenset[Role],
        *,
        status: int | None = None,
        files: tuple[str, ...] = (),
        fails: tuple[int, ...] = (),
        atomic: bool = True,
        tries: bool = False,
        example: Mapping[str, Any] | None = None,
    ) -> Callable[[Run], Run]:
        def add(run: Run) -> Run:
            hints = get_type_hints(run, include_extras=True)
            answer = hints.pop("return", None)
            shaped = _is_model(answer)
            summary, _, rest = inspect.cleandoc(run.__doc__ or "").partition("\n\n")
            names = PARAMETER.findall(path)
            self.operations.append(
                Operation(
                    method,
                    path,
                    self.tag,
                    run.__name__,
                    " ".join(summary.split()).rstrip("."),
                    " ".join(rest.split()),
                    roles,
                    run,
                    {name: TypeAdapter(hints[name]) for name in names},
                    hints.get("query"),
                    hints.get("body"),
                    answer if shaped else None,
                    status or (200 if shaped or files else 204),
                    files,
                    frozenset(fails),
                    atomic,
                    tries,
                    example or {},
                )
            )
            return run

        return add


def _is_model(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, BaseModel)
