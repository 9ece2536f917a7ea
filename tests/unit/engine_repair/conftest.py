"""Small drawings for repairs, and a hand that plays them with every promise checked.

A drawing is lines such as ``start -> a -> end``; what is no user task is given as an
element of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from typing import Any

import pytest

from mpms.domain.instances import InstanceStatus, Snapshot
from mpms.domain.models import Definition
from mpms.domain.steps import (
    CancelActivity,
    Command,
    Complete,
    Fire,
    LiveToken,
    Move,
    SetVariables,
    Skip,
    Start,
    StartAt,
    Step,
    StuckWait,
    TraceLine,
)
from mpms.engine.runner import SpiffEngine

MORNING = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
TAGS = {
    "start": "startEvent",
    "end": "endEvent",
    "xor": "exclusiveGateway",
    "and": "parallelGateway",
    "or": "inclusiveGateway",
    "event": "eventBasedGateway",
}
FILE = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
    ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="file"'
    ' targetNamespace="urn:test">{declared}'
    '<process id="process" isExecutable="true">{body}</process></definitions>'
)


class Drawing:
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
                tag = TAGS.get(re.split(r"[_\d]", id_)[0], "userTask")
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


class Play:
    """One instance; after every step the snapshot alone must give the same again."""

    def __init__(self, engine: SpiffEngine, definition: Definition) -> None:
        self.engine, self.definition = engine, definition
        self.now = MORNING
        self.snapshot: Snapshot | None = None
        self.step: Step
        self.trace: list[TraceLine] = []

    def do(self, command: Command) -> Step:
        return self._took(
            self.engine.advance(self.definition, self.snapshot, command, now=self.now)
        )

    def _took(self, step: Step) -> Step:
        self.snapshot = Snapshot(
            step.snapshot.state, json.loads(json.dumps(step.snapshot.variables))
        )
        if not step.status.ended:
            again = self.engine.waits(self.definition, self.snapshot)
            assert Counter(map(repr, again)) == Counter(map(repr, step.waits))
            assert step.waits, "an active instance waits for something"
        self.step = step
        self.trace += step.trace
        return step

    # -- looking -------------------------------------------------------------------

    @property
    def open(self) -> list[str]:
        return sorted(
            w.element for w in self.step.waits if not isinstance(w, StuckWait)
        )

    @property
    def stuck(self) -> dict[str, str]:
        return {
            w.element: w.reason for w in self.step.waits if isinstance(w, StuckWait)
        }

    @property
    def status(self) -> InstanceStatus:
        return self.step.status

    @property
    def variables(self) -> dict[str, Any]:
        assert self.snapshot is not None
        return self.snapshot.variables

    @property
    def tokens(self) -> list[LiveToken]:
        assert self.snapshot is not None
        return list(self.engine.tokens(self.definition, self.snapshot))

    def id(self, element: str, number: int = 0) -> str:
        """Of the token on an element; ``number`` counts where there are several."""
        return [t.task_id for t in self.tokens if t.element == element][number]

    def lines(self, kind: str) -> list[str | None]:
        return [line.element for line in self.trace if line.kind == kind]

    # -- acting --------------------------------------------------------------------

    def complete(self, element: str, number: int = 0, **variables: Any) -> Step:
        waits = [w for w in self.step.waits if w.element == element]
        return self.do(Complete(waits[number].task_id, variables))

    def fire(self, element: str) -> Step:
        wait: Any = next(w for w in self.step.waits if w.element == element)
        self.now = max(self.now, wait.due_at)
        return self.do(Fire(wait.task_id))

    def skip(self, element: str, number: int = 0, **variables: Any) -> Step:
        return self.do(Skip(self.id(element, number), variables))

    def move(self, element: str, to: str, number: int = 0) -> Step:
        return self.do(Move(self.id(element, number), to))

    def cancel(self, element: str, number: int = 0) -> Step:
        return self.do(CancelActivity(self.id(element, number)))

    def set(self, *removed: str, **variables: Any) -> Step:
        return self.do(SetVariables(variables, removed))

    def later(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)

    def migrate(self, xml: bytes, **renamed: str) -> Step:
        assert self.engine.check(xml) == []
        assert self.snapshot is not None
        new = Definition(hashlib.sha256(xml).hexdigest(), "process", 2, "", xml)
        step = self.engine.migrate(
            self.definition, new, self.snapshot, renamed, now=self.now
        )
        self.definition = new
        return self._took(step)

    def obstacles(self, xml: bytes, **renamed: str) -> str:
        assert self.engine.check(xml) == []
        assert self.snapshot is not None
        new = Definition(hashlib.sha256(xml).hexdigest(), "process", 2, "", xml)
        found = self.engine.obstacles(self.definition, new, self.snapshot, renamed)
        return " ".join(found)


@pytest.fixture(scope="session")
def draw() -> Drawing:
    return Drawing()


@pytest.fixture(scope="session")
def play() -> Callable[..., Play]:
    """Return a function that starts an instance of a drawing, at its start or not."""
    numbers = count()

    def start(xml: bytes, *, at: tuple[str, ...] = (), **variables: Any) -> Play:
        engine = SpiffEngine()
        assert engine.check(xml) == []
        digest = f"digest {next(numbers)}"
        played = Play(engine, Definition(digest, "process", 1, "", xml))
        played.do(StartAt(at, variables) if at else Start(variables))
        return played

    return start
