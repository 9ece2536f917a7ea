"""Cases as XES (IEEE 1849), one by one: a long history needs little memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import quoteattr

from mpms.domain.history.cases import Case, CaseStep, Part

HEADING = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849-2016" xes.features="" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>
<extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
<global scope="trace"><string key="concept:name" value="unknown"/></global>
<global scope="event"><string key="concept:name" value="unknown"/>\
<string key="lifecycle:transition" value="complete"/>\
<date key="time:timestamp" value="1970-01-01T00:00:00+00:00"/></global>
<classifier name="Activity" keys="concept:name"/>
<string key="lifecycle:model" value="standard"/>
"""
# What XML cannot hold at all, not even escaped.
UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_xes(name: str, cases: Iterable[Case]) -> Iterator[str]:
    """``name``: of the whole log."""
    yield HEADING + _text("concept:name", name) + "\n"
    for case in cases:
        yield _trace(case)
    yield "</log>\n"


def _trace(case: Case) -> str:
    head = case.head
    parts = [
        _text("concept:name", head.id),
        _text("process", head.process),
        f'<int key="version" value="{head.version}"/>',
        _text("status", head.status),
        _date("started_at", head.started_at),
    ]
    if head.ended_at is not None:
        parts.append(_date("ended_at", head.ended_at))
    if head.business_key is not None:
        parts.append(_text("business_key", head.business_key))
    if case.cut:
        parts.append('<boolean key="cut" value="true"/>')
    for kind, ids in _grouped(case).items():
        parts.append(_text(kind, ", ".join(ids)))
    return "\n".join(("<trace>", *parts, *map(_event, case.steps), "</trace>\n"))


def _grouped(case: Case) -> dict[str, dict[str, None]]:
    """The things of the whole case by their kind; who did a step stands there."""
    found: dict[str, dict[str, None]] = {}
    for thing in case.things:
        if thing.part is not Part.PERFORMS:
            found.setdefault(f"thing:{thing.kind}", {})[thing.id] = None
    return found


def _event(step: CaseStep) -> str:
    parts = [
        _text("concept:name", step.name),
        _text("element", step.element),
        _text("lifecycle:transition", step.phase),
        _date("time:timestamp", step.at),
    ]
    if step.resource is not None:
        parts.append(_text("org:resource", step.resource))
    return f"<event>{''.join(parts)}</event>"


def _text(key: str, value: str) -> str:
    plain = UNWRITABLE.sub("\ufffd", value)
    return f"<string key={quoteattr(key)} value={quoteattr(plain)}/>"


def _date(key: str, at: datetime) -> str:
    return f'<date key="{key}" value="{at.astimezone(UTC).isoformat()}"/>'
