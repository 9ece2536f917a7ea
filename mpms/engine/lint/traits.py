"""Compares everything a file says with the tables; an unknown word is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from mpms.domain.models.definitions import Problem
from mpms.engine.lint import camunda_vocabulary as camunda_words
from mpms.engine.lint import zeebe_vocabulary as zeebe_words
from mpms.engine.lint.bpmn_vocabulary import ATTRIBUTES, CHILDREN, SINGLE
from mpms.engine.lint.editors import foreign_refusal
from mpms.engine.lint.meanings import Inner, Word, shown
from mpms.engine.lint.vendors import VENDORS, vendor_refusal
from mpms.engine.reading.facts import Trait

DIALECTS: dict[str, tuple[dict[str, Word], Inner]] = {
    "camunda": (camunda_words.WORDS, camunda_words.INNER),
    "zeebe": (zeebe_words.WORDS, zeebe_words.INNER),
}
_HARMLESS = frozenset({"modeler", "diagram", "xsi", "xml"})
_PLATFORMS = frozenset({"Camunda Platform", "Camunda Cloud", "Operaton", ""})
_ONCE_IN_CAMUNDA = frozenset({"failedJobRetryTimeCycle", "inputOutput"})
_BOTH = (
    "this element speaks both Camunda 7 (camunda:{}) and Camunda 8 (zeebe:{}); keep "
    "the words of one of them"
)


def check_traits(traits: Iterable[Trait]) -> Iterator[Problem]:
    """One problem for each word that is not executed as it stands."""
    singles: Counter[tuple[int, str]] = Counter()
    spoken: dict[str | int, dict[str, str]] = {}
    for trait in traits:
        if reason := _refusal(trait):
            yield Problem(trait.element, trait.name, reason)
        elif _counts(trait):
            words = spoken.setdefault(trait.element or trait.node, {})
            words.setdefault(trait.dialect, trait.word)
            if len(words) == 2:
                reason = _BOTH.format(words["camunda"], words["zeebe"])
                yield Problem(trait.element, trait.name, reason)
        if group := _single(trait):
            singles[trait.node, group] += 1
            if singles[trait.node, group] == 2:
                reason = f"this element has more than one {group}"
                yield Problem(trait.element, trait.name, reason)


def _single(trait: Trait) -> str:
    """The group of children that may stand once in their parent."""
    if trait.is_attribute or ":" in trait.owner:
        return ""
    if trait.dialect == "bpmn":
        return SINGLE.get(trait.word, "")
    twice = trait.dialect == "camunda" and trait.word not in _ONCE_IN_CAMUNDA
    known = trait.dialect in DIALECTS and _counts(trait)
    return f"{trait.dialect}:{trait.word}" if known and not twice else ""


def _counts(trait: Trait) -> bool:
    """Whether this is an honoured word of one of the two dialects."""
    if trait.dialect not in DIALECTS or ":" in trait.owner:
        return False
    word = DIALECTS[trait.dialect][0].get(_key(trait))
    return word is not None and trait.owner in word.on


def _refusal(trait: Trait) -> str:
    if trait.dialect in VENDORS:
        return vendor_refusal(trait)
    owner = trait.owner.partition(":")[0]
    if owner in DIALECTS:
        return _inner_refusal(owner, trait)
    if trait.dialect in DIALECTS:
        word = DIALECTS[trait.dialect][0].get(_key(trait))
        if word is None:
            written = f"{trait.dialect}:{shown(trait.word)}"
            return f"{written} is not known, so it is not honoured"
        return word.refusal(trait.owner, trait.value)
    if trait.dialect == "bpmn" and not trait.is_attribute:
        word = CHILDREN.get(trait.word)
        if word is None:
            return _unknown("element", trait)
        return word.refusal(trait.owner, "").replace("{word}", trait.word)
    if trait.dialect in ("", "bpmn") and trait.is_attribute:
        word = ATTRIBUTES.get(trait.word)
        if word is None:
            return _unknown("attribute", trait)
        return word.refusal(trait.owner, trait.value)
    is_platform = (trait.dialect, trait.word) == ("modeler", "executionPlatform")
    if is_platform and trait.value not in _PLATFORMS:
        return f"drawn for the platform '{shown(trait.value)}', which is not known"
    return "" if trait.dialect in _HARMLESS else foreign_refusal(trait)


def _inner_refusal(dialect: str, trait: Trait) -> str:
    allowed = DIALECTS[dialect][1].get(trait.owner)
    if allowed is None:
        return ""  # inside something refused as a whole
    of_bpmn = trait.dialect == "bpmn" and not trait.is_attribute
    if trait.dialect not in ("", dialect) and not (of_bpmn and trait.word in allowed):
        known = trait.dialect in DIALECTS or trait.dialect in _HARMLESS
        return "" if known else foreign_refusal(trait)
    word = allowed.get(trait.word)
    if word is None:
        return f"'{shown(trait.word)}' in {trait.owner} is not honoured"
    return word.refusal(trait.owner, trait.value)


def _key(trait: Trait) -> str:
    return f"@{trait.word}" if trait.is_attribute else trait.word


def _unknown(noun: str, trait: Trait) -> str:
    return f"the {noun} '{shown(trait.word)}' is not known to BPMN 2.0 ({trait.owner})"
