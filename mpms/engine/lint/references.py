"""Whether the topics, forms, decisions and processes of a model exist at the plant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mpms.domain.models.definitions import Problem
from mpms.domain.spelling import nearest
from mpms.engine.expressions import is_expression
from mpms.engine.lint.meanings import shown
from mpms.engine.lint.view import Known, Names, View, at
from mpms.engine.model import Element

_Reference = tuple[
    Callable[[Known], Names], Callable[[Element], str | None], frozenset[str], str
]

_BY_TOPIC = frozenset(
    {
        "serviceTask",
        "sendTask",
        "businessRuleTask",
        "scriptTask",
        "intermediateThrowEvent",
        "endEvent",
    }
)
MOST_NAMED = 30  # of the topics that are served

REFERENCES: tuple[_Reference, ...] = (
    (
        lambda known: known.forms,
        lambda element: element.settings.form,
        frozenset({"userTask", "startEvent"}),
        "there is no form '{}'",
    ),
    (
        lambda known: known.decisions,
        lambda element: element.settings.decision,
        frozenset({"businessRuleTask"}),
        "there is no decision '{}'",
    ),
    (
        lambda known: known.processes,
        lambda element: element.called,
        frozenset({"callActivity"}),
        "there is no process '{}' to call",
    ),
)


def check_references(view: View, known: Known) -> Iterator[Problem]:
    for element in view.accepted():
        topic = element.settings.topic
        served = known.topics if element.tag in _BY_TOPIC else None
        if served is not None and _written(topic) and topic not in served:
            yield at(element, _unserved(topic or "", served))
        for names_of, name_of, tags, reason in REFERENCES:
            names, name = names_of(known), name_of(element)
            if names is None or not _written(name) or element.tag not in tags:
                continue
            if name not in names:
                yield at(element, reason.format(shown(name or "")))


def _written(name: str | None) -> bool:
    """Whether it stands there, and is not chosen by an expression."""
    return bool(name) and not is_expression(name or "")


def _unserved(topic: str, served: frozenset[str]) -> str:
    meant = nearest(topic, served)
    names = [shown(name) for name in sorted(served)]
    more = len(names) - MOST_NAMED
    return (
        f"no worker has a handler for the topic '{shown(topic)}'; "
        + (f"did you mean '{shown(meant)}'? " if meant else "")
        + f"served topics: {', '.join(names[:MOST_NAMED]) or 'none'}"
        + (f" and {more} more" if more > 0 else "")
    )
