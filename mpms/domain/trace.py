"""What a line of the log is about: the request, who asked, which instance and order.

Kept beside the call, per thread or task, so that no function has to hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_NOTHING: Mapping[str, str] = MappingProxyType({})
_about: ContextVar[Mapping[str, str]] = ContextVar("about", default=_NOTHING)


def about() -> Mapping[str, str]:
    """What is known now."""
    return _about.get()


def begin(**facts: str | None) -> None:
    """A new piece of work in this thread: what was known before is forgotten."""
    _about.set({key: value for key, value in facts.items() if value})


def add(**facts: str | None) -> None:
    """Something more is known."""
    _about.set({**_about.get(), **{k: v for k, v in facts.items() if v}})


@contextmanager
def tracing(**facts: str | None) -> Iterator[None]:
    """Known inside the block only."""
    token = _about.set({**_about.get(), **{k: v for k, v in facts.items() if v}})
    try:
        yield
    finally:
        _about.reset(token)
