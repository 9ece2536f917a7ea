"""What a process wants to know when a person starts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mpms.domain.models.definitions import Definition
from mpms.domain.people.people import Person
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.instances.start import require_starter


@dataclass(frozen=True)
class StartForm:
    """The newest version, and the form at its plain start event."""

    definition: Definition
    can_start: bool  # False: only a message, signal or timer starts it
    form: str = ""  # its name; empty: the process asks for nothing
    schema: Mapping[str, Any] | None = None  # None: no such form is deployed

    @property
    def name(self) -> str:
        return self.definition.name or self.definition.key


def start_form(uow: UnitOfWork, engine: Engine, key: str, person: Person) -> StartForm:
    """ProcessUnknown, NotYourProcess."""
    with uow() as tx:
        definition = tx.definitions.latest(key)
        require_starter(engine, definition, person)
        plain = [
            part
            for part in engine.parts(definition)
            if part.kind == "startEvent" and "event" not in part.facts
        ]
        form = next((part.facts.get("form", "") for part in plain), "")
        schema = tx.definitions.form(form) if form else None
    return StartForm(definition, bool(plain), form, schema)
