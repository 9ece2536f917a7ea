"""Every kind of incident: how it is called, and what can be done about it.

A kind that nobody has named is shown by its name and belongs to the instance that it
happened in.
"""

from __future__ import annotations

from dataclasses import dataclass

UNSERVED = "topic"
"""About a job whose topic nobody serves."""

OVERDUE = "overdue"
"""About a task of a person that is late."""


@dataclass(frozen=True)
class IncidentKind:
    """``title``: what went wrong, in a word or two of English."""

    name: str
    title: str
    placed: bool = False  # it happens at an element of a model, and is named with it
    outside: bool = False  # it tells of something: nothing of ours can be tried again
    each: bool = False  # without an instance: it tells of one thing, no lasting state
    quoted: bool = False  # its cause is what its message quotes first


CORE = (
    IncidentKind("stuck", "stuck step", placed=True),
    IncidentKind("job", "failed job", placed=True),
    IncidentKind("step", "failing step", placed=True),
    IncidentKind("problem", "reported problem", placed=True, outside=True),
    IncidentKind(OVERDUE, "overdue task", placed=True, outside=True),
    IncidentKind(UNSERVED, "nobody does this work", outside=True, quoted=True),
    IncidentKind("call", "failed call"),
    IncidentKind("webhook", "webhook out of reach", outside=True),
)
