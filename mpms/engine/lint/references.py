"""Whether the topics, forms, decisions and processes of a model exist at the plant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mpms.domain.models import Problem
from mpms.engine.lint.view import Known, Names, View, at
from mpms.engine.lint.words import shown
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

REFERENCES: tuple[_Reference, ...] = (
    (
        lambda known: known.topics,
        lambda element: element.settings.topic,
        _BY_TOPIC,
        "no handler is registered for the topic '{}'",
    ),
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


def judge_references(view: View, known: Known) -> Iterator[Problem]:
    for element in view.judged():
        for names_of, name_of, tags, reason in REFERENCES:
            names, name = names_of(known), name_of(element)
            if names is None or not name or element.tag not in tags:
                continue
            if name not in names:
                yield at(element, reason.format(shown(name)))
