"""Cases as OCEL 2.0 in JSON, so that a step can belong to several things at once.

Events are written case by case. Which objects there were is known at the end only, so
they come last: JSON lets the parts stand in any order. Until then the heads of the
cases and the names of their things are kept, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from mpms.domain.history.cases import Case, CaseHead, CaseStep, Part, Thing

INSTANCE = "instance"
TEXT, NUMBER, YES_OR_NO = "string", "integer", "boolean"
OF_EVENTS = {"lifecycle": TEXT, "element": TEXT, "resource": TEXT}
OF_INSTANCES = {
    **{"process": TEXT, "version": NUMBER, "status": TEXT},
    **{"business_key": TEXT, "cut": YES_OR_NO},
}


def as_ocel(cases: Iterable[Case]) -> Iterator[str]:
    names: set[str] = set()
    heads: list[tuple[CaseHead, bool, tuple[Thing, ...]]] = []
    yield '{"events":['
    comma = ""
    for case in cases:
        heads.append((case.head, case.cut, case.things))
        names.update(step.name for step in case.steps)
        if case.steps:
            yield comma + ",\n".join(_json(_event(case, s)) for s in case.steps)
            comma = ",\n"
    yield '],\n"eventTypes":' + _json([_type(n, OF_EVENTS) for n in sorted(names)])
    things = {(thing.kind, thing.id) for *_, found in heads for thing in found}
    kinds = sorted({kind for kind, _ in things})
    types = [_type(INSTANCE, OF_INSTANCES), *(_type(kind, {}) for kind in kinds)]
    yield ',\n"objectTypes":' + _json(types) + ',\n"objects":['
    comma = ""
    for head, cut, found in heads:
        yield comma + _json(_instance(head, found, cut=cut))
        comma = ",\n"
    for kind, name in sorted(things):
        plain: dict[str, Any] = {"attributes": [], "relationships": []}
        yield comma + _json({"id": _id(kind, name), "type": kind} | plain)
    yield "]}\n"


def _event(case: Case, step: CaseStep) -> dict[str, Any]:
    told = {"lifecycle": str(step.phase), "element": step.element}
    if step.resource is not None:
        told["resource"] = step.resource
    own = {"objectId": _id(INSTANCE, case.head.id), "qualifier": "of"}
    return {
        "id": str(step.line),
        "type": step.name,
        "time": _time(step.at),
        "attributes": [{"name": n, "value": v} for n, v in told.items()],
        "relationships": [own, *_related(step.things)],
    }


def _instance(
    head: CaseHead, things: tuple[Thing, ...], *, cut: bool
) -> dict[str, Any]:
    told = {"process": head.process, "version": head.version, "status": head.status}
    if head.business_key is not None:
        told["business_key"] = head.business_key
    if cut:
        told["cut"] = True
    at = _time(head.started_at)
    return {
        "id": _id(INSTANCE, head.id),
        "type": INSTANCE,
        "attributes": [{"name": n, "time": at, "value": v} for n, v in told.items()],
        "relationships": _related(t for t in things if t.part is not Part.PERFORMS),
    }


def _related(things: Iterable[Thing]) -> list[dict[str, str]]:
    found = {(_id(thing.kind, thing.id), str(thing.part)): None for thing in things}
    return [{"objectId": name, "qualifier": part} for name, part in found]


def _type(name: str, attributes: dict[str, str]) -> dict[str, Any]:
    told = [{"name": n, "type": kind} for n, kind in attributes.items()]
    return {"name": name, "attributes": told}


def _id(kind: str, name: str) -> str:
    """Things of two kinds may have the same name."""
    return f"{kind}:{name}"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)
