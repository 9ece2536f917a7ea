"""Small checks that several folders of tests make."""

from __future__ import annotations

from typing import TypedDict, TypeVar

Thing = TypeVar("Thing")


def there(thing: Thing | None) -> Thing:
    """Return a thing that must not be missing."""
    assert thing is not None
    return thing


class Why(TypedDict):
    """Who repairs something, and for what reason."""

    by: str
    reason: str
