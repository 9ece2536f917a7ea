"""The addresses of the API of Camunda 8, and how their requests are read.

As in ``engine_rest``, a field that we do not know is refused when it says something: a
filter that is not looked at would show a client the work of others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from flask import Blueprint, Response
from pydantic import AfterValidator, BeforeValidator, Field

from mpms.domain.people.people import Role
from mpms.web.api.reading import keepable
from mpms.web.engine_rest.authentication import caller
from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.engine_rest.routes import Asked, read_body
from mpms.web.rights import LEADERS, allowed_by_token

__all__ = ["Asked", "RequestInvalid", "offered", "pages", "read_body"]

PREFIX = "/v2"
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")
TENANT = "<default>"

pages = Blueprint("camunda8", __name__, url_prefix=PREFIX)

Run = TypeVar("Run", bound=Callable[..., Response])
Variables = dict[str, Any]


def _only_tenant(given: str) -> str:
    if given != TENANT:
        raise ValueError(f"the only tenant here is {TENANT}")
    return given


def _any_of(given: object) -> object:
    """A filter says one value, or several of which one must fit."""
    if isinstance(given, dict):
        words = set(given)
        if words == {"$eq"}:
            return (given["$eq"],)
        if words == {"$in"} and isinstance(given["$in"], list):
            return tuple(given["$in"])
        raise ValueError("only a value, $eq or $in can be asked for here")
    return None if given is None else (given,)


Tenant = Annotated[str, AfterValidator(_only_tenant)]
Id = Annotated[str, Field(min_length=1, max_length=250)]
AnyOf = Annotated[tuple[str, ...] | None, BeforeValidator(_any_of)]


class Nothing(Asked):
    """A body that says nothing of importance."""

    operation_reference: int | str | None = None
    action: str | None = None


def offered(
    method: str, *paths: str, roles: frozenset[Role] = LEADERS
) -> Callable[[Run], Run]:
    """An operation: it is given who calls and the named parts of its path."""

    def add(run: Run) -> Run:
        @allowed_by_token(roles)
        def view(**parts: str) -> Response:
            call = caller(roles)
            if not all(map(keepable, parts.values())):
                raise RequestInvalid("The path has characters that cannot be kept.")
            return run(call, **parts)

        name = f"{run.__module__.rpartition('.')[2]}_{run.__name__}"
        for at, path in enumerate(paths):
            pages.add_url_rule(path, f"{name}_{at}", view, methods=[method])
        return run

    return add
