"""Models in plain words: what differs, what an element says, kinds of files."""

from __future__ import annotations

from collections.abc import Collection

from mpms.domain.models.decision_sheets import DecisionSheet
from mpms.web.labels import cockpit as cockpit_words
from mpms.web.texts import t

_SIGNS = {"added": "+", "removed": "−", "changed": "≠", "moved": "↔"}
_CHIPS = {"added": "chip-ok", "removed": "chip-bad", "changed": "chip-warn"}


def how_word(how: str) -> str:
    words = {
        "added": t("added"),
        "removed": t("removed"),
        "changed": t("changed"),
        "moved": t("only moved"),
    }
    return words[how]


def how_sign(how: str) -> str:
    """Says the same as the colour, to those who do not see it."""
    return _SIGNS[how]


def how_chip(how: str) -> str:
    return _CHIPS.get(how, "")


def part_word(kind: str) -> str:
    words = {"process": t("process"), "sequenceFlow": t("flow")}
    return words.get(kind) or cockpit_words.kind_word(kind)


def fact_word(fact: str) -> str:
    """The facts that are changed most; the others are called as in the file."""
    words = {
        "kind": t("kind"),
        "name": t("name"),
        "form": t("form"),
        "assignee": t("assignee"),
        "candidate groups": t("candidate groups"),
        "topic": t("topic"),
        "called": t("called process"),
        "condition": t("condition"),
        "source": t("from"),
        "target": t("to"),
        "lane": t("lane"),
        "script": t("script"),
        "documentation": t("documentation"),
        "decision": t("decision"),
        "event": t("event"),
        "event name": t("name of the event"),
        "event text": t("time or condition of the event"),
        "retry cycle": t("retries"),
        "loop": t("repetition"),
        "default": t("default flow"),
        "attached to": t("attached to"),
    }
    return words.get(fact, fact)


def policy_word(policy: str) -> str:
    """What a hit policy means, in a sentence."""
    words = {
        "UNIQUE": t("At most one rule may match."),
        "FIRST": t("The first matching rule counts."),
        "ANY": t("Several rules may match if their outputs are equal."),
        "PRIORITY": t("The result with the highest priority counts."),
        "COLLECT": t("All matching rules count, collected."),
        "RULE ORDER": t("All matching rules count, in their order."),
        "OUTPUT ORDER": t("All matching rules count, highest priority first."),
    }
    return words.get(policy, "")


def rows_of(sheet: DecisionSheet, rules: Collection[str]) -> list[str]:
    """The numbers that readers see beside rules, by their ids."""
    return [str(n) for n, rule in enumerate(sheet.rules, 1) if rule.id in rules]
