"""The addresses of the API of Camunda 7, and how their requests are read.

Clients use two beginnings, ``/engine-rest`` and ``/engine-rest/engine/default``; every
operation has both. A field that we do not know is refused when it says something: a
filter that is not looked at would give a worker the work of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from flask import Blueprint, Response, request
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from mpms.domain.errors import InstanceBusy, InstanceSuspended
from mpms.domain.people.people import Role
from mpms.web.api.operation import Call
from mpms.web.api.reading import checked_json, keepable
from mpms.web.engine_rest.authentication import caller
from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.rights import LEADERS, allowed_by_token

PREFIX = "/engine-rest"
BEGINNINGS = ("", "/engine/default")
TRIES = 4  # each waits two seconds for the instance
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")

pages = Blueprint("engine_rest", __name__, url_prefix=PREFIX)

Run = TypeVar("Run", bound=Callable[..., Response])
Body = TypeVar("Body", bound=BaseModel)


class Asked(BaseModel):
    """What comes in, with the names that Camunda 7 gives it."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True
    )

    @model_validator(mode="before")
    @classmethod
    def without_nothing(cls, given: Any) -> Any:
        """Some clients send every field there is, most of them empty."""
        if not isinstance(given, Mapping):
            return given
        known = {to_camel(name) for name in cls.model_fields}
        return {
            name: value
            for name, value in given.items()
            if value is not None and (name in known or value not in (False, "", [], {}))
        }


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
            return _patiently(run, call, parts)

        name = f"{run.__module__.rpartition('.')[2]}_{run.__name__}"
        for at, beginning in enumerate(BEGINNINGS):
            for number, path in enumerate(paths):
                endpoint = f"{name}_{at}{number}"
                pages.add_url_rule(beginning + path, endpoint, view, methods=[method])
        return run

    return add


def _patiently(run: Callable[..., Response], call: Call, parts: Any) -> Response:
    """An instance that others change is waited for: clients of Camunda 7 take every
    refusal for a failure, and would do the work again."""
    for _ in range(TRIES - 1):
        try:
            return run(call, **parts)
        except InstanceSuspended:
            raise
        except InstanceBusy:
            continue
    return run(call, **parts)


def read_body(shape: type[Body]) -> Body:
    """RequestInvalid."""
    if not request.get_data():
        return _read(shape, {})
    try:
        given = checked_json(request.get_data())
    except ValueError as wrong:
        cause = str(wrong).rstrip(".")
        raise RequestInvalid(
            f"The body is not JSON that can be read: {cause}."
        ) from None
    if not isinstance(given, dict):
        raise RequestInvalid("The body is not a JSON object.")
    return _read(shape, given)


def read_query(shape: type[Body]) -> Body:
    """RequestInvalid."""
    given = request.args.to_dict()
    if not all(map(keepable, given.values())):
        raise RequestInvalid("The query has characters that cannot be kept.")
    return _read(shape, given)


def _read(shape: type[Body], given: Mapping[str, Any]) -> Body:
    try:
        return shape.model_validate(given)
    except ValidationError as invalid:
        raise RequestInvalid(_words(invalid)) from invalid


def _words(invalid: ValidationError) -> str:
    found = []
    for each in invalid.errors(include_url=False, include_context=False):
        field = ".".join(str(part) for part in each["loc"])
        if each["type"] == "extra_forbidden":
            found.append(f"'{field}' is not offered here.")
        elif each["type"] == "missing":
            found.append(f"'{field}' is missing.")
        else:
            found.append(f"'{field}': {each['msg']}.")
    return " ".join(found)
