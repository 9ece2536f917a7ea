"""A person as administrators see one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mpms.domain.people.people import Person


@dataclass(frozen=True)
class PersonCard:
    """A person with the ways to sign in that they have."""

    person: Person
    has_password: bool
    has_pin: bool
    has_badge: bool
    password_once: bool
    seen_at: datetime | None
    created_at: datetime
