"""One instance in plain words: its state, its tokens, its values, its history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.models.definitions import ModelStep
from mpms.ports.instances.cockpit import Line
from mpms.services.instances.page import ACTIVITIES, UNREACHABLE
from mpms.services.instances.tabs import HistoryPage
from mpms.web.labels.history import Sentence, Told, sentence_of
from mpms.web.texts import t

LONG_VALUE = 160
LONGEST_FOUND = 200


def state_word(instance: Instance) -> str:
    if instance.suspended is not None and not instance.status.ended:
        return t("suspended")
    return status_word(instance.status)


def status_word(status: InstanceStatus) -> str:
    return {
        InstanceStatus.ACTIVE: t("running"),
        InstanceStatus.COMPLETED: t("completed"),
        InstanceStatus.CANCELLED: t("cancelled"),
        InstanceStatus.FAILED: t("failed"),
    }[status]


def state_chip(instance: Instance) -> str:
    """The class of its colour."""
    if instance.suspended is not None and not instance.status.ended:
        return "chip-warn"
    return status_chip(instance.status)


def status_chip(status: InstanceStatus) -> str:
    return {
        InstanceStatus.ACTIVE: "chip-info",
        InstanceStatus.COMPLETED: "chip-ok",
        InstanceStatus.CANCELLED: "",
        InstanceStatus.FAILED: "chip-bad",
    }[status]


def token_word(state: str) -> str:
    words = {
        "waiting": t("waits"),
        "joining": t("waits for other branches"),
        "stuck": t("stuck"),
        "watching": t("waits for a condition"),
    }
    return words.get(state, state)


def job_word(state: str, leased: bool) -> str:
    if leased:
        return t("running now")
    words = {
        "ready": t("waits for its turn"),
        "handed_on": t("handed on, waits for the report"),
        "given_up": t("failed"),
    }
    return words.get(state, state)


def relation_word(relation: str) -> str:
    words = {
        "caller": t("Called by"),
        "called": t("It calls"),
        "restarted from": t("Restarted from"),
        "restarted as": t("Restarted as"),
    }
    return words.get(relation, relation)


def type_word(value: Any) -> str:
    if value is None:
        return t("nothing")
    if isinstance(value, bool):
        return t("yes or no")
    if isinstance(value, int | float):
        return t("number")
    if isinstance(value, str):
        return t("text")
    return t("list") if isinstance(value, list) else t("object")


def as_json(value: Any, *, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def is_long(value: Any) -> bool:
    return len(as_json(value)) > LONG_VALUE


def is_found_by(value: Any) -> bool:
    """Whether others can be searched by it: plain values are, as far as they go."""
    plain = isinstance(value, str | int | float)
    return plain and 0 < len(as_found(value)) <= LONGEST_FOUND


def as_found(value: Any) -> str:
    """A plain value as the search writes it."""
    return value if isinstance(value, str) else as_json(value)


def line_words(page: HistoryPage, line: Line) -> Sentence:
    """The sentence of a timeline; moves name the element and not its id."""
    data = line.data
    if isinstance(data.get("to"), str):
        data = {**data, "to_name": page.name_of(data["to"])}
    step = page.name_of(line.element) or None
    return sentence_of(Told(line.kind, line.actor, data, step))


def choices(elements: Mapping[str, ModelStep]) -> list[tuple[str, list[ModelStep]]]:
    """Where a token can be put, in groups as a list shows them."""
    groups: dict[str, list[ModelStep]] = {"a": [], "e": [], "g": []}
    for step in elements.values():
        if step.kind in UNREACHABLE:
            continue
        is_event = step.kind.endswith("Event")
        group = "a" if step.kind in ACTIVITIES else "e" if is_event else "g"
        groups[group].append(step)
    named = {"a": t("Activities"), "e": t("Events"), "g": t("Gateways")}
    return [
        (named[key], sorted(steps, key=lambda s: (s.name or s.id).casefold()))
        for key, steps in groups.items()
        if steps
    ]


def error_words(error: MpmsError) -> str:
    """Messages are wrapped like the docstrings that most of them are."""
    return t(" ".join(str(error).split()))
