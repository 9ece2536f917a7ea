"""Compares everything a file says with the tables; an unknown word is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from mpms.domain.models import Problem
from mpms.engine.lint.bpmn_words import ATTRIBUTES, CHILDREN, SINGLE
from mpms.engine.lint.camunda_words import INNER, INNER_REASONS, WORDS
from mpms.engine.lint.words import shown
from mpms.engine.reading.facts import Trait

_OTHER_ENGINES = {
    "zeebe": "Camunda 8; draw it for Camunda Platform 7",
    "activiti": "Activiti; use the camunda: attributes of Camunda Platform 7",
    "flowable": "Flowable; use the camunda: attributes of Camunda Platform 7",
    "spiffworkflow": "SpiffArena; use the camunda: attributes of Camunda Platform 7",
    "drools": "jBPM; use the camunda: attributes of Camunda Platform 7",
}
_PLATFORMS = frozenset({"Camunda Platform", ""})


def judge_traits(traits: Iterable[Trait]) -> Iterator[Problem]:
    """One problem for each word that is not executed as it stands."""
    singles: Counter[tuple[str, str, str]] = Counter()
    for trait in traits:
        if reason := _refusal(trait):
            yield Problem(trait.element, trait.name, reason)
        if trait.dialect == "bpmn" and trait.word in SINGLE:
            group = SINGLE[trait.word]
            singles[trait.element, trait.owner, group] += 1
            if singles[trait.element, trait.owner, group] == 2:
                reason = f"this element has more than one {group}"
                yield Problem(trait.element, trait.name, reason)


def _refusal(trait: Trait) -> str:
    if trait.dialect in _OTHER_ENGINES:
        return (
            f"drawn for {_OTHER_ENGINES[trait.dialect]} "
            f"({trait.dialect}:{shown(trait.word)} is not honoured)"
        )
    if trait.owner.startswith("camunda:"):
        return _inner_refusal(trait)
    if trait.dialect == "camunda":
        return _camunda_refusal(trait)
    if trait.dialect == "bpmn" and not trait.is_attribute:
        word = CHILDREN.get(trait.word)
        return word.refusal(trait.owner, "") if word else _unknown("element", trait)
    if trait.dialect in ("", "bpmn") and trait.is_attribute:
        word = ATTRIBUTES.get(trait.word)
        if word is None:
            return _unknown("attribute", trait)
        return word.refusal(trait.owner, trait.value)
    if (trait.dialect, trait.word) == ("modeler", "executionPlatform"):
        return _platform_refusal(trait.value)
    return ""  # drawing data of other tools, which BPMN lets everybody ignore


def _camunda_refusal(trait: Trait) -> str:
    word = WORDS.get(f"@{trait.word}" if trait.is_attribute else trait.word)
    if word is None:
        return f"camunda:{shown(trait.word)} is not known, so it is not honoured"
    return word.refusal(trait.owner, trait.value)


def _inner_refusal(trait: Trait) -> str:
    allowed = INNER.get(trait.owner)
    if allowed is None or trait.word in allowed or trait.dialect not in ("", "camunda"):
        return ""  # inside something refused as a whole, or of another tool
    reason = INNER_REASONS.get(
        trait.word, f"'{shown(trait.word)}' in {trait.owner} is not honoured"
    )
    return reason.replace("{owner}", trait.owner.removeprefix("camunda:"))


def _platform_refusal(platform: str) -> str:
    if platform in _PLATFORMS:
        return ""
    if platform == "Camunda Cloud":
        return f"drawn for {_OTHER_ENGINES['zeebe']}"
    return f"drawn for the platform '{shown(platform)}', which is not known"


def _unknown(noun: str, trait: Trait) -> str:
    return f"the {noun} '{shown(trait.word)}' is not known to BPMN 2.0 ({trait.owner})"
