"""Small drawings for repairs.

A drawing is lines such as ``start -> a -> end``; what is no user task is given as an
element of its own. Flows are named after their ends, so that two versions of a model
share them.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from tests.support.bpmn_drawing import BY_PREFIX

FILE = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file"'
    ' targetNamespace="urn:test">{declared}'
    '<process id="process" isExecutable="true">{body}</process></definitions>'
)


class RepairDrawing:
    """Called with lines and elements it gives the bytes of a file."""

    declared = (
        '<signal id="signal_bell" name="bell"/>'
        '<message id="message_letter" name="letter"/>'
    )

    def __call__(self, *lines: str, **elements: str) -> bytes:
        body = self.scope("", lines, elements)
        return FILE.format(declared=self.declared, body=body).encode()

    def scope(self, name: str, lines: tuple[str, ...], elements: dict[str, str]) -> str:
        """Flows are named after their ends, so that two versions share them."""
        found, flows, numbers = dict(elements), [], Counter[str]()
        for line in lines:
            path, _, condition = line.partition(" if ")
            ids = [part.strip() for part in path.split("->")]
            for id_ in ids:
                tag = BY_PREFIX.get(re.split(r"[_\d]", id_)[0], "userTask")
                found.setdefault(id_, f'<{tag} id="{id_}"/>')
            for source, target in pairwise(ids):
                flow = f"{source}_to_{target}"
                numbers[flow] += 1
                if numbers[flow] > 1:
                    flow += f"_{numbers[flow]}"
                rule = condition and (
                    f"<conditionExpression>${{{condition}}}</conditionExpression>"
                )
                flows.append(
                    f'<sequenceFlow id="{flow}" sourceRef="{source}"'
                    f' targetRef="{target}">{rule}</sequenceFlow>'
                )
        return "".join([*found.values(), *flows])

    def sub(self, id_: str, *lines: str, inside: str = "", **elements: str) -> str:
        body = self.scope(id_, lines, elements)
        return f'<subProcess id="{id_}">{inside}{body}</subProcess>'

    def on(self, id_: str, trigger: str, *lines: str, cancels: bool = True) -> str:
        """An event subprocess whose start event is called ``start_`` and its id."""
        word = "" if cancels else ' isInterrupting="false"'
        start = f'<startEvent id="start_{id_}"{word}>{trigger}</startEvent>'
        body = self.scope(id_, lines, {f"start_{id_}": start})
        return f'<subProcess id="{id_}" triggeredByEvent="true">{body}</subProcess>'

    def handler(self, id_: str, host: str) -> str:
        """A compensation handler of an activity, with its boundary event."""
        return (
            f'<boundaryEvent id="undo_{host}" attachedToRef="{host}">'
            "<compensateEventDefinition/></boundaryEvent>"
            f'<userTask id="{id_}" isForCompensation="true"/>'
            f'<association id="a_{id_}" sourceRef="undo_{host}" targetRef="{id_}"'
            ' associationDirection="One"/>'
        )

    def undo(self, id_: str) -> str:
        return (
            f'<intermediateThrowEvent id="{id_}"><compensateEventDefinition/>'
            "</intermediateThrowEvent>"
        )

    def when(self, condition: str) -> str:
        return (
            "<conditionalEventDefinition><condition>"
            f"${{{condition}}}</condition></conditionalEventDefinition>"
        )

    def user(self, id_: str, inside: str = "", **attributes: str) -> str:
        words = "".join(f' camunda:{k}="{v}"' for k, v in attributes.items())
        return f'<userTask id="{id_}"{words}>{inside}</userTask>'

    def service(self, id_: str, topic: str, inside: str = "") -> str:
        return (
            f'<serviceTask id="{id_}" camunda:type="external"'
            f' camunda:topic="{topic}">{inside}</serviceTask>'
        )

    def call(self, id_: str, called: str) -> str:
        return f'<callActivity id="{id_}" calledElement="{called}"/>'

    def script(self, id_: str, text: str) -> str:
        return f'<scriptTask id="{id_}"><script>{text}</script></scriptTask>'

    def maps(self, **values: str) -> str:
        """Input parameters; with a leading ``out_`` output parameters."""
        inner = "".join(
            f"<camunda:{'out' if name.startswith('out_') else 'in'}putParameter"
            f' name="{name.removeprefix("out_")}">{value}'
            f"</camunda:{'out' if name.startswith('out_') else 'in'}putParameter>"
            for name, value in values.items()
        )
        return (
            "<extensionElements><camunda:inputOutput>"
            f"{inner}</camunda:inputOutput></extensionElements>"
        )

    def each(self, items: str, name: str, *, one_by_one: bool = False) -> str:
        word = ' isSequential="true"' if one_by_one else ""
        return (
            f'<multiInstanceLoopCharacteristics{word} camunda:collection="{items}"'
            f' camunda:elementVariable="{name}"/>'
        )

    def timer(self, time: str) -> str:
        return (
            f"<timerEventDefinition><timeDuration>{time}</timeDuration>"
            "</timerEventDefinition>"
        )

    signal = '<signalEventDefinition signalRef="signal_bell"/>'
    message = '<messageEventDefinition messageRef="message_letter"/>'

    def catch(self, id_: str, trigger: str) -> str:
        return f'<intermediateCatchEvent id="{id_}">{trigger}</intermediateCatchEvent>'

    def edge(self, id_: str, host: str, trigger: str, *, cancels: bool = True) -> str:
        word = "" if cancels else ' cancelActivity="false"'
        return (
            f'<boundaryEvent id="{id_}" attachedToRef="{host}"{word}>{trigger}'
            "</boundaryEvent>"
        )
