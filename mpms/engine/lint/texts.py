"""Compiles every expression, condition, time and script, so that a slip of the pen
is found at deployment and not in the night shift."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from mpms.domain.errors import ExpressionInvalid
from mpms.domain.models.definitions import Problem
from mpms.engine.expressions import (
    Expression,
    Script,
    compile_condition,
    compile_expression,
    compile_script,
    compile_value,
    is_expression,
    is_template,
    parse_duration,
    parse_instant,
    parse_retry_cycle,
)
from mpms.engine.lint.activities import SCRIPT_FORMATS, THROWING
from mpms.engine.lint.elements import EXECUTED, TIMERS, position_of
from mpms.engine.lint.meanings import shown
from mpms.engine.lint.view import View, at
from mpms.engine.model import Element, ListenerScript, Mapping
from mpms.engine.reading.settings import SAME_BUSINESS_KEY
from mpms.engine.schedules import read_cycle

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")

Compiler = Callable[[str], object]
Text = tuple[str, str | None, Compiler]

_FOREIGN_NAMES = frozenset({"execution", "delegateTask", "delegateExecution"})
_TIMES: dict[str, Compiler] = {
    "date": parse_instant,
    "duration": parse_duration,
    "cycle": read_cycle,
}


def check_texts(view: View) -> Iterator[Problem]:
    for element in view.process.elements.values():
        for text in _texts_of(view, element):
            yield from (at(element, reason) for reason in _faults(*text))
        yield from (at(element, reason) for reason in _mapping_names(element))
    process = view.process
    priority = ("priority of jobs", process.job_priority, _either(_number))
    for told in (priority, *_listeners(process.scripts)):
        yield from (at(process, reason) for reason in _faults(*told))
    for flow in view.process.flows.values():
        for told in _listeners(flow.scripts):
            yield from (at(flow, reason) for reason in _faults(*told))
        if flow.condition is not None and flow.id not in view.refused:
            fault = _faults("condition", flow.condition, compile_condition)
            yield from (at(flow, reason) for reason in fault)


def _texts_of(view: View, element: Element) -> Iterator[Text]:
    settings, loop = element.settings, element.loop
    shows_name = element.tag == "userTask" and not settings.camunda_8
    if shows_name and is_template(element.name):
        yield "name", element.name, compile_value
    yield "assignee", settings.assignee, compile_value
    for group in settings.candidate_groups:
        yield "candidate group", group, compile_value
    for user in settings.candidate_users:
        yield "candidate user", user, compile_value
    for noun, name in (
        ("topic", settings.topic),
        ("decision", settings.decision),
        ("form", settings.form),
        ("called process", element.called),
        ("message", element.message),
        *(("topic of a listener", one.topic) for one in settings.listeners),
    ):
        yield noun, name if name and is_expression(name) else None, compile_value
    yield "due date", settings.due_date, _either(_date_or_duration)
    yield "follow-up date", settings.follow_up_date, _either(_date_or_duration)
    yield "priority", settings.priority, _either(_number)
    yield "priority of the job", settings.job_priority, _either(_number)
    yield from _listeners(settings.scripts)
    yield "retry cycle", settings.retry_cycle, parse_retry_cycle
    if settings.call_business_key != SAME_BUSINESS_KEY:
        yield "business key", settings.call_business_key, compile_value
    yield "correlation key", element.message_correlation, compile_value
    for noun, mappings in _mappings(element):
        for mapping in mappings:
            for text in _strings(mapping.value):
                yield f"{noun} '{shown(mapping.target)}'", text, compile_value
    if element.ad_hoc is not None:
        yield "collection of active elements", element.ad_hoc.active, compile_value
        yield "completion condition", element.ad_hoc.completion, compile_condition
    yield "activation condition", element.activation, compile_condition
    if loop is not None:
        yield "collection", loop.collection, _either(compile_expression)
        yield "number of turns", loop.cardinality, _either(_whole_number)
        yield "output item", loop.output_element, _either(compile_expression)
        yield "completion condition", loop.completion, compile_condition
        yield "loop condition", loop.loop_condition, compile_condition
    if element.tag == "scriptTask" and element.script_format in SCRIPT_FORMATS:
        yield "script", element.script or None, compile_script
    yield "expression", settings.expression, compile_value
    position = position_of(element, view.process)
    for trigger in element.triggers:
        known = TIMERS.get((position, element.interrupting), {})
        if trigger.kind == "timer" and known.get(trigger.timer) == EXECUTED:
            yield f"timer {trigger.timer}", trigger.text, _either(_TIMES[trigger.timer])
        if trigger.kind == "conditional":
            yield "condition", trigger.text or None, compile_condition
        yield "correlation key", trigger.correlation, compile_value
        coded = trigger.kind in ("error", "escalation") and element.tag in THROWING
        chosen = coded and is_expression(trigger.code or "")
        code = trigger.code if chosen else None
        yield f"code of the {trigger.kind}", code, compile_value
        yield "error message", trigger.error_message or None, compile_value
        named = trigger.kind in ("signal", "message") and is_expression(trigger.name)
        yield trigger.kind, trigger.name if named else None, compile_value


def _faults(noun: str, text: str | None, compiler: Compiler) -> Iterator[str]:
    if text is None:
        return
    if not text:
        yield f"the {noun} is empty; write or remove it"
        return
    try:
        compiled = compiler(text)
    except ExpressionInvalid as error:
        yield f"{noun}: {error}"
        return
    if isinstance(compiled, Expression | Script):
        for name in sorted(compiled.names & _FOREIGN_NAMES):
            yield f"{noun}: '{name}' belongs to the Java side of Camunda, not to models"


def _either(literal: Compiler) -> Compiler:
    """An expression, or a text that ``literal`` reads."""
    return lambda text: (compile_value if is_expression(text) else literal)(text)


def _date_or_duration(text: str) -> object:
    if text.startswith("P"):
        return parse_duration(text)
    return parse_instant(f"{text}T00:00" if _DAY.fullmatch(text) else text)


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ExpressionInvalid(f"'{shown(text)}' is no whole number")
    return int(text)


def _listeners(scripts: Iterable[ListenerScript]) -> Iterator[Text]:
    for one in scripts:
        yield f"script of the listener '{one.event}'", one.script, compile_script
        yield f"expression of the listener '{one.event}'", one.value, _no_call


def _no_call(text: str) -> Expression:
    """The value of a listener; whatever calls Java is refused by name."""
    try:
        return compile_value(text)
    except ExpressionInvalid as error:
        raise ExpressionInvalid(
            f"'{shown(text)}' calls code of another system or cannot be read ({error});"
            " what is executed is a value, or execution.setVariable('name', value)"
        ) from error


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ExpressionInvalid(f"'{shown(text)}' is no whole number")
    return int(text)


def _mappings(element: Element) -> Iterator[tuple[str, tuple[Mapping, ...]]]:
    settings = element.settings
    yield "input", settings.inputs
    yield "output", settings.outputs
    yield "passed variable", settings.call_in
    yield "returned variable", settings.call_out


def _mapping_names(element: Element) -> Iterator[str]:
    calls = (element.settings.call_in, element.settings.call_out)
    for noun, mappings in _mappings(element):
        if not all(mapping.target for mapping in mappings):
            yield f"one {noun} has no name"
        if mappings in calls and any(mapping.value is None for mapping in mappings):
            yield f"one {noun} has no source"
        for mapping in (m for m in mappings if m.in_turn):
            whole = ".".join((mapping.target, *mapping.path))
            if mapping.value is None:
                yield f"the {noun} '{shown(whole)}' has no source"
            if whole and not _TARGET.fullmatch(whole):
                yield f"'{shown(whole)}' is no name of a variable ({noun})"


def _strings(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            pending.extend(_backwards(part.values()))
        elif isinstance(part, list):
            pending.extend(_backwards(part))


def _backwards(parts: Iterable[object]) -> list[object]:
    return list(parts)[::-1]
