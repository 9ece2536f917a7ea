"""Small BPMN models, written as elements and the ways between them."""

from __future__ import annotations

from itertools import pairwise

MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    id="drawing" targetNamespace="urn:test">
{declared}
<process id="{key}" name="{name}" isExecutable="true">
{elements}
{flows}
</process>
</definitions>
"""


def draw(
    key: str, elements: str, *ways: str, declared: str = "", name: str | None = None
) -> dict[str, bytes]:
    """A model whose flows are written as 'from to' or 'from to condition'."""
    text = MODEL.format(
        key=key,
        name=name or f"{key} process",
        declared=declared,
        elements=elements,
        flows="\n".join(_flow(way) for way in ways),
    )
    return {f"{key}.bpmn": text.encode()}


def in_a_row(
    key: str, way: str, *, name: str | None = None, **elements: str
) -> dict[str, bytes]:
    """A model without branches: its ids, of which those not given are user tasks."""
    ids = way.split()
    ends = {ids[0]: "startEvent", ids[-1]: "endEvent"}
    drawn = [
        elements.get(each)
        or f'<{ends.get(each, "userTask")} id="{each}" name="{each.title()}"/>'
        for each in ids
    ]
    flows = (f"{source} {target}" for source, target in pairwise(ids))
    return draw(key, "".join(drawn), *flows, name=name)


def _flow(way: str) -> str:
    source, target, *condition = way.split(" ", 2)
    inner = "".join(
        f'<conditionExpression xsi:type="tFormalExpression">{each}'
        "</conditionExpression>"
        for each in condition
    )
    return (
        f'<sequenceFlow id="{source}_to_{target}" sourceRef="{source}"'
        f' targetRef="{target}">{inner}</sequenceFlow>'
    )


# -- elements ------------------------------------------------------------------------


def job(id_: str, topic: str, inside: str = "", *, name: str = "") -> str:
    """A step that a handler of this topic does."""
    called = f' name="{name}"' if name else ""
    return (
        f'<serviceTask id="{id_}"{called} camunda:type="external"'
        f' camunda:topic="{topic}">{inside}</serviceTask>'
    )


def timer(id_: str, time: str) -> str:
    return (
        f'<intermediateCatchEvent id="{id_}"><timerEventDefinition>'
        f"<timeDuration>{time}</timeDuration></timerEventDefinition>"
        "</intermediateCatchEvent>"
    )


def signal(id_: str, ref: str) -> str:
    return (
        f'<intermediateCatchEvent id="{id_}"><signalEventDefinition'
        f' signalRef="{ref}"/></intermediateCatchEvent>'
    )


def script(id_: str, text: str) -> str:
    return f'<scriptTask id="{id_}"><script>{text}</script></scriptTask>'


def call(id_: str, called: str) -> str:
    return f'<callActivity id="{id_}" calledElement="{called}"/>'
