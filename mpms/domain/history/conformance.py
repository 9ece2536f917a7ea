"""Whether a path that was taken is one of a model, and where it leaves it if not."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Why(enum.StrEnum):
    """Why a path is none of a model."""

    UNKNOWN = "unknown"  # the model has no such step
    ORDER = "order"  # it has, but not there
    EARLY = "early"  # it goes on where the path ended
    UNJUDGED = "unjudged"  # it has too many ways to try them all


@dataclass(frozen=True)
class Misfit:
    """The first place where a path leaves the model."""

    why: Why
    element: str = ""  # what came, unless the path ended
    after: str = ""  # the last that fitted; empty: nothing yet
    expected: tuple[str, ...] = ()  # what could have come
