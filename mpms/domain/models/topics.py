"""What people who draw models want to know of a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class KnownTopic:
    """A topic, what its work takes and gives, and where it comes from."""

    name: str
    about: str = ""
    takes: Mapping[str, str] = field(default_factory=dict)  # variable: what it means
    gives: Mapping[str, str] = field(default_factory=dict)
    source: str = ""  # MPMS, a plug-in; "": seen from a worker only
    served: bool | None = None  # None: not known, because no worker says
