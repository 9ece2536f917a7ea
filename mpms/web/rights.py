"""Who may open what. A page that does not say so keeps the whole site from starting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Flask

from mpms.domain.people.people import Role

View = TypeVar("View", bound=Callable[..., Any])

EVERYBODY = frozenset(Role)
LEADERS = frozenset({Role.ADMIN, Role.SUPERVISOR})
DOERS = frozenset({Role.ADMIN, Role.SUPERVISOR, Role.WORKER})
READERS = LEADERS | {Role.VIEWER}
ADMINS = frozenset({Role.ADMIN})
STRANGERS: frozenset[Role] = frozenset()


class PageWithoutRights(Exception):
    """A route does not say who may open it."""


def allowed(roles: frozenset[Role]) -> Callable[[View], View]:
    """Signed-in people with one of these roles."""

    def mark(view: View) -> View:
        view.allowed_roles = roles  # type: ignore[attr-defined]
        return view

    return mark


def allowed_by_token(roles: frozenset[Role]) -> Callable[[View], View]:
    """Programs with one of these roles, too; the API looks at their tokens itself."""

    def mark(view: View) -> View:
        view.knows_tokens = True  # type: ignore[attr-defined]
        return allowed(roles)(view)

    return mark


def knows_tokens(app: Flask, endpoint: str) -> bool:
    return bool(getattr(app.view_functions[endpoint], "knows_tokens", False))


def open_to_all(view: View) -> View:
    """Also to people who are not signed in."""
    view.allowed_roles = STRANGERS  # type: ignore[attr-defined]
    return view


def roles_of(app: Flask, endpoint: str) -> frozenset[Role] | None:
    """STRANGERS: open to all. None: nobody said."""
    view = app.view_functions[endpoint]
    found: frozenset[Role] | None = getattr(view, "allowed_roles", None)
    return found


def require_rights(app: Flask) -> None:
    for endpoint in app.view_functions:
        if endpoint != "static" and roles_of(app, endpoint) is None:
            raise PageWithoutRights(endpoint)
