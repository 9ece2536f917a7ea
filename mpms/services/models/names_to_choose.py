"""What whoever draws a process can choose from, each with a word about it.

Messages, signals and codes are declared nowhere but in drawings, so those of the newest
versions are read; a name with a typing error would otherwise wait for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.models.listing import ModelLine, list_models

Names = Mapping[str, str]
"""A name, and where it comes from."""

_EVENTS = {
    "message": "messages",
    "signal": "signals",
    "error": "errors",
    "escalation": "escalations",
}


def names_to_choose(
    uow: UnitOfWork, engine: Engine, person_id: int
) -> Mapping[str, Names]:
    """By kind: forms, decisions, processes, messages, signals, errors, escalations."""
    models = list_models(uow, person_id)
    found: dict[str, dict[str, str]] = {
        "forms": _deployed(models.forms),
        "decisions": _deployed(models.decisions),
        "processes": _deployed(models.processes),
        **{kind: {} for kind in _EVENTS.values()},
    }
    for line in models.processes:
        with uow() as tx:
            definition = tx.definitions.of_version(line.key, line.latest.version)
        for part in engine.parts(definition):
            kind = _EVENTS.get(part.facts.get("event", ""))
            name = part.facts.get("event code") or part.facts.get("event name")
            if kind is not None and name:
                said = found[kind].setdefault(name, line.name)
                if line.name not in said.split(", "):
                    found[kind][name] = f"{said}, {line.name}"
    return found


def _deployed(lines: Sequence[ModelLine]) -> dict[str, str]:
    return {line.key: f"{line.name}, v{line.latest.version}" for line in lines}
