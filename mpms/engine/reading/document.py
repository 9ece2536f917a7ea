"""A whole file: which processes it holds and what is declared beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from mpms.domain.errors import ModelRefused
from mpms.domain.models.definitions import Problem
from mpms.engine.model import Model
from mpms.engine.reading.declared import read_declared
from mpms.engine.reading.facts import Facts, Trait, traits_of
from mpms.engine.reading.foreign import foreign_file
from mpms.engine.reading.inner_forms import InnerForm, inner_forms, lost_forms
from mpms.engine.reading.names import (
    BPMN,
    MODELER,
    ZEEBE,
    attribute,
    children,
    is_true,
    shown_name,
    tag_of,
)
from mpms.engine.reading.processes import read_process
from mpms.engine.reading.relatives import in_the_words_of_camunda
from mpms.engine.reading.safe_xml import parse_safely
from mpms.engine.reading.tags import CLOSED_TAGS, NODE_TAGS, SHOWN_TAGS

KEPT = 8
MAX_STEPS = 20_000  # of a file; a drawing for people has some dozens

_WITH_IDS = NODE_TAGS | {"process", "sequenceFlow", "message", "signal", "error"}
_COUNTED = NODE_TAGS | {"process"}
_OUTSIDE_PROCESSES = CLOSED_TAGS | {"process"}


@dataclass(frozen=True)
class Reading:
    """The model, and the facts that only the lint needs."""

    model: Model
    facts: Facts
    forms: tuple[InnerForm, ...] = ()


def read_model(xml: bytes) -> Model:
    """The model in a BPMN file; ``ModelRefused`` if there is none to read."""
    return read(xml).model


@lru_cache(maxsize=KEPT)
def read(xml: bytes) -> Reading:
    """The model and the facts; ``ModelRefused`` if the file cannot be read.

    A deployment asks five times about each file, so the last ones are kept.

    Processes marked as not executable are pictures beside the others: they are
    read, but nothing in them counts unless the file holds nothing else.
    """
    root = parse_safely(xml)
    _refuse_other_than_bpmn(root)
    _refuse_endless(root)
    contradictions = in_the_words_of_camunda(root)
    declared = read_declared(root)
    nodes = [node for node in children(root) if tag_of(node)[1] == "process"]
    camunda_8 = is_of_camunda_8(root)
    only_pictures = not any(map(_is_executable, nodes))
    problems = [*_shared_ids(root), *contradictions]
    traits: list[Trait] = list(traits_of(root, SHOWN_TAGS, _OUTSIDE_PROCESSES))
    processes = []
    for node in nodes:
        counts = only_pictures or _is_executable(node)
        told = problems if counts else []
        processes.append(read_process(node, declared, told, camunda_8=camunda_8))
        if counts:
            traits.extend(traits_of(node, SHOWN_TAGS, CLOSED_TAGS))
    model = Model(tuple(processes), (*problems, *lost_forms(root)))
    return Reading(model, Facts(tuple(traits)), tuple(inner_forms(root)))


def is_of_camunda_8(root: etree._Element) -> bool:
    """Whether a file was drawn for Camunda 8: it says so, or speaks so."""
    platform = root.get(f"{{{MODELER}}}executionPlatform")
    return platform == "Camunda Cloud" or any(True for _ in root.iter(f"{{{ZEEBE}}}*"))


def _is_executable(process: etree._Element) -> bool:
    return is_true(process, "isExecutable", otherwise=True)


def _refuse_other_than_bpmn(root: etree._Element) -> None:
    dialect, word = tag_of(root)
    if (dialect, word) == ("bpmn", "definitions"):
        return
    if word == "definitions" and "/DMN/" in dialect:
        raise ModelRefused("this is a DMN decision file, not a BPMN 2.0 model")
    if (known := foreign_file(dialect, word)) is not None:
        raise ModelRefused(f"this is not a BPMN 2.0 file but {known}")
    namespace = f" of the namespace '{dialect}'" if dialect else ""
    raise ModelRefused(
        f"this is not a BPMN 2.0 file: it begins with the element '{word}'{namespace}"
    )


def _refuse_endless(root: etree._Element) -> None:
    steps = map(tag_of, root.iter(f"{{{BPMN}}}*"))
    count = sum(1 for _, tag in steps if tag in _COUNTED)
    if count > MAX_STEPS:
        raise ModelRefused(
            f"the model has {count} processes and steps; at most {MAX_STEPS} are read"
        )


def _shared_ids(root: etree._Element) -> list[Problem]:
    uses: Counter[str] = Counter()
    names: dict[str, str] = {}
    for node in root.iter(f"{{{BPMN}}}*"):
        id_ = attribute(node, "id")
        if tag_of(node)[1] in _WITH_IDS and id_ is not None:
            uses[id_] += 1
            names.setdefault(id_, shown_name(node))
    return [
        Problem(id_, names[id_], f"the id '{id_}' is used {count} times")
        for id_, count in uses.items()
        if count > 1
    ]
