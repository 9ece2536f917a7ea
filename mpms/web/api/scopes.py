"""What a token may be bound to: the sections of the API, and external work."""

from __future__ import annotations

from collections.abc import Sequence

from flask import current_app

from mpms.domain.errors import MpmsError

WORKERS = "workers"  # the doors for workers of Camunda 7 and 8


class ScopeUnknown(MpmsError):
    """There is no such section."""


def scope_of(tag: str) -> str:
    """How a section is called where a token is bound to it."""
    return "-".join(tag.casefold().split())


def all_scopes() -> list[str]:
    """Of this site, also those of plug-ins."""
    tags = (section.tag for section in current_app.extensions["api"])
    return sorted({WORKERS, *map(scope_of, tags)})


def known_scopes(typed: Sequence[str]) -> list[str]:
    """ScopeUnknown names the first that there is not, and those that there are."""
    found = list(filter(None, (one.strip().casefold() for one in typed)))
    there = all_scopes()
    for one in found:
        if one.removesuffix(":read") not in there:
            raise ScopeUnknown(
                f"There is no section {one}. There are: {', '.join(there)}."
            )
    return found
