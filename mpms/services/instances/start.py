"""Start a process: by its key, with variables, in one transaction."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from mpms.domain.errors import MpmsError
from mpms.domain.instances.steps import Start
from mpms.domain.models.definitions import Definition
from mpms.domain.people.people import Person
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction
from mpms.services.instances.advance import Advance


def start_instance(
    tx: Transaction,
    advance: Advance,
    key: str,
    *,
    variables: dict[str, Any] | None = None,
    business_key: str | None = None,
    version: int | None = None,
    at: str | None = None,
    actor: str,
    person: Person | None = None,
) -> str:
    """Start the latest or the given version and return the instance's id.

    ``at`` names the start event; without it the process must have a plain one.
    ProcessUnknown, StartUnknown, VariableTooLarge; with ``person``, who must be one
    that the model lets start it, NotYourProcess.
    """
    if version is None:
        definition = tx.definitions.latest(key)
    else:
        definition = tx.definitions.of_version(key, version)
    return start_definition(
        tx,
        advance,
        definition,
        Start(variables or {}, at, by=actor),
        business_key=business_key,
        actor=actor,
        person=person,
    )


class NotYourProcess(MpmsError):
    """The model names who may start this process, and you are not one of them."""


def require_starter(
    engine: Engine, definition: Definition, person: Person | None
) -> None:
    """NotYourProcess. ``person`` None: the product itself."""
    if person is not None and not person.may_start(engine.starters(definition)):
        raise NotYourProcess


def start_definition(
    tx: Transaction,
    advance: Advance,
    definition: Definition,
    command: Start,
    *,
    business_key: str | None = None,
    actor: str,
    person: Person | None = None,
) -> str:
    """Start this very version and return the instance's id. NotYourProcess."""
    require_starter(advance.engine, definition, person)
    instance_id = str(uuid4())
    instance = tx.instances.add(
        instance_id,
        tx.definitions.id_of(definition),
        business_key=business_key,
        parent=None,
    )
    told = {
        "process": definition.key,
        "version": definition.version,
        "key": business_key,
    }
    tx.events.append(
        "instance started",
        actor=actor,
        instance_id=instance_id,
        data=told if command.at is None else told | {"at": command.at},
    )
    advance(tx, instance, command, actor=actor)
    return instance_id
