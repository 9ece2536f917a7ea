"""The extension elements of Camunda 8 (``zeebe:``), read into the same records.

Camunda 8 marks FEEL by a leading ``=`` and takes every other text as it stands. A
text that is FEEL but only a literal, like ``="letter.print"``, is read as that literal,
so that names of topics, forms and processes may be written either way.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from lxml import etree

from mpms.domain.models.definitions import LATEST
from mpms.engine.model import Listener, Loop, Mapping, Settings
from mpms.engine.reading.inner_forms import embedded_form_id
from mpms.engine.reading.names import (
    BPMN,
    attribute,
    child_expression,
    children,
    is_true,
    tag_of,
    whole_number,
)

AS_IN_DMN = "asInDmn"
"""The result of a decision as DMN gives it, not as a list of rows."""

HEADERS = "taskHeaders"
"""The variable in which the handler of a job finds the headers of its task."""

USUAL_ATTEMPTS = 3

INBOUND = "inbound.type"

_OF_TASKS = {"creating": "start", "completing": "end"}
"""Events of a user task, by those of any activity."""

_LITERAL = re.compile(r'=\s*("(?:[^"\\]|\\.)*")\s*', re.DOTALL)
_PATH = re.compile(r"=\s*([^\W\d]\w*)(?:\.\w+)*\s*")
_JOB_TAGS = frozenset(
    {
        "serviceTask",
        "sendTask",
        "businessRuleTask",
        "scriptTask",
        "intermediateThrowEvent",
        "endEvent",
    }
)
_MEANING_NOTHING = frozenset({"properties", "versionTag"})
_EXTENSIONS = f"{{{BPMN}}}extensionElements"

_Words = defaultdict[str, list[etree._Element]]


def plain(text: str | None) -> str | None:
    """A name: without the marks of a FEEL literal, if it is one."""
    found = _LITERAL.fullmatch(text or "")
    if found is None:
        return text
    try:
        return str(json.loads(found[1], strict=False)).strip() or None
    except ValueError:
        return text


def text_value(text: str | None) -> str | None:
    """FEEL after its mark, or a text in which ``${`` means nothing."""
    if text is None or text.startswith("="):
        return text
    return re.sub(r"(?=[$#]\{)", r"\\", text)


def read_zeebe(
    node: etree._Element, loop: etree._Element | None = None
) -> Settings | None:
    """The settings of an element in the words of Camunda 8, if it has any."""
    words = _words(node)
    in_loop = {} if loop is None else _words(loop)
    if not (words.keys() | in_loop.keys()) - _MEANING_NOTHING:
        return None
    _, tag = tag_of(node)
    job, form = _first(words, "taskDefinition"), _first(words, "formDefinition")
    call, rule = _first(words, "calledElement"), _first(words, "calledDecision")
    people, script = _first(words, "assignmentDefinition"), _first(words, "script")
    inputs = _mappings(words["ioMapping"], "input")
    outputs = _mappings(words["ioMapping"], "output")
    return Settings(
        form=embedded_form_id(
            node,
            plain(
                _get(form, "formId")
                or _get(form, "formKey")
                or _get(form, "externalReference")
            ),
        ),
        assignee=text_value(_get(people, "assignee")),
        candidate_groups=_people(_get(people, "candidateGroups")),
        candidate_users=_people(_get(people, "candidateUsers")),
        due_date=text_value(_get(_first(words, "taskSchedule"), "dueDate")),
        follow_up_date=text_value(_get(_first(words, "taskSchedule"), "followUpDate")),
        priority=_get(_first(words, "priorityDefinition"), "priority"),
        topic=plain(_get(job, "type")),
        attempts=_attempts(job),
        inputs=(*(_headers(words["taskHeaders"]) if tag in _JOB_TAGS else ()), *inputs),
        outputs=outputs,
        call_in=()
        if _says(call, "propagateAllParentVariables")
        else tuple(Mapping(name, f"${{{name}}}") for name in _targets(inputs)),
        call_in_all=call is not None and _says(call, "propagateAllParentVariables"),
        call_out_all=call is not None
        and (bool(outputs) or _says(call, "propagateAllChildVariables")),
        called=plain(_get(call, "processId") or _get(call, "processIdExpression")),
        binding=_get(call, "bindingType") or _get(rule, "bindingType") or LATEST,
        listeners=tuple(
            _listeners([*words["executionListeners"], *words["taskListeners"]])
        ),
        call_business_key=_get(call, "businessId"),
        decision=plain(_get(rule, "decisionId")),
        decision_result=None if rule is None else AS_IN_DMN,
        result_variable=_get(rule, "resultVariable") or _get(script, "resultVariable"),
        expression=text_value(_get(script, "expression")),
        properties=inbound_connector(node),
        camunda_8=True,
    )


def read_zeebe_loop(node: etree._Element) -> Loop | None:
    """A multi-instance loop in the words of Camunda 8, if it has any."""
    found = _first(_words(node), "loopCharacteristics")
    if found is None:
        return None
    output = _get(found, "outputElement")
    path = _PATH.fullmatch(output or "")
    return Loop(
        kind="sequential" if is_true(node, "isSequential") else "parallel",
        collection=_get(found, "inputCollection"),
        element_variable=_get(found, "inputElement"),
        cardinality=child_expression(node, "loopCardinality") or None,
        completion=child_expression(node, "completionCondition") or None,
        output_collection=_get(found, "outputCollection"),
        output_element=output,
        camunda_8=True,
        turn_variable=path[1] if path else None,
    )


def subscription_key(message: etree._Element) -> str | None:
    """The expression for the correlation key of a message."""
    return _get(_first(_words(message), "subscription"), "correlationKey")


def _listeners(holders: list[etree._Element]) -> Iterator[Listener]:
    for holder in holders:
        for part in children(holder, "zeebe"):
            event, topic = _get(part, "eventType"), plain(_get(part, "type"))
            when = _OF_TASKS.get(event or "", event or "")
            yield Listener(when, topic or "", _attempts(part))


def ad_hoc_words(node: etree._Element) -> dict[str, str]:
    """What Camunda 8 says about an ad-hoc subprocess."""
    found = _first(_words(node), "adHoc")
    if found is None:
        return {}
    return {str(word): str(value) for word, value in found.attrib.items() if value}


def inbound_connector(node: etree._Element) -> tuple[tuple[str, str], ...]:
    """The property that makes an event the entrance of a connector."""
    found = _properties(_words(node)["properties"])
    return tuple(pair for pair in found if pair[0] == INBOUND)


def _words(node: etree._Element) -> _Words:
    found: _Words = defaultdict(list)
    for holder in node.iterchildren(_EXTENSIONS):
        for part in children(holder, "zeebe"):
            found[tag_of(part)[1]].append(part)
    return found


def _first(words: _Words, word: str) -> etree._Element | None:
    found = words.get(word)
    return found[0] if found else None


def _get(node: etree._Element | None, word: str) -> str | None:
    return None if node is None else attribute(node, word)


def _says(node: etree._Element | None, word: str) -> bool:
    return node is None or is_true(node, word, otherwise=True)


def _attempts(job: etree._Element | None) -> int | None:
    if job is None:
        return None
    retries = (attribute(job, "retries") or "").strip('=" ')
    return whole_number(retries) or USUAL_ATTEMPTS


def _people(text: str | None) -> tuple[str, ...]:
    if text is None or text.startswith("="):
        return () if text is None else (text,)
    parts = (part.strip() for part in text.split(","))
    return tuple(text_value(part) or "" for part in parts if part)


def _mappings(nodes: list[etree._Element], word: str) -> tuple[Mapping, ...]:
    return tuple(
        _mapping(part, merges=word == "output")
        for node in nodes
        for part in children(node, "zeebe")
        if tag_of(part)[1] == word
    )


def _mapping(node: etree._Element, *, merges: bool) -> Mapping:
    target, *path = (attribute(node, "target") or "").split(".")
    value = text_value(attribute(node, "source"))
    return Mapping(target, value, tuple(path), merges=merges, in_turn=True)


def _targets(mappings: Iterable[Mapping]) -> list[str]:
    return list(dict.fromkeys(mapping.target for mapping in mappings))


def _headers(nodes: list[etree._Element]) -> tuple[Mapping, ...]:
    found = {
        attribute(part, "key") or "": _constant(part.get("value") or "")
        for node in nodes
        for part in children(node, "zeebe")
    }
    return (Mapping(HEADERS, found),) if found else ()


def _constant(text: str) -> str:
    """A model text that gives this text, whatever is in it."""
    if text.lstrip().startswith("="):
        return f"={json.dumps(text, ensure_ascii=False)}"
    return text_value(text) or ""


def _properties(nodes: list[etree._Element]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (attribute(part, "name") or "", part.get("value", ""))
        for node in nodes
        for part in children(node, "zeebe")
    )
