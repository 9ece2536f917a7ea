"""A short way to draw BPMN models.

A drawing is a few lines ``start -> a -> end``; the first word of an id says what it
is (``xor_weight`` is an exclusive gateway), everything else is a user task unless
the drawing says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any
from xml.sax.saxutils import escape, quoteattr

BY_PREFIX = {
    "start": "startEvent",
    "end": "endEvent",
    "xor": "exclusiveGateway",
    "and": "parallelGateway",
    "or": "inclusiveGateway",
    "event": "eventBasedGateway",
}
TIMES = {"timer": "timeDuration", "date": "timeDate", "cycle": "timeCycle"}


@dataclass
class Drawn:
    """One element: its tag, attributes, and what stands inside it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    triggers: dict[str, str | None] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)  # of the trigger
    extensions: str = ""
    loop: str = ""
    inside: str = ""
    correlation: str | None = None
    inner: tuple[tuple[str, ...], dict[str, Drawn]] = ((), {})


class Drawing:
    """Draws models; called with lines and elements it gives the bytes of a file."""

    def __call__(
        self,
        *lines: str,
        lanes: Mapping[str, list[str]] | None = None,
        **elements: Drawn,
    ) -> bytes:
        declared: dict[str, str] = {}
        body = self._scope(lines, elements, declared, count())
        lane_set = "".join(
            f"<lane id={quoteattr('lane_' + name)} name={quoteattr(name)}>"
            + "".join(f"<flowNodeRef>{id_}</flowNodeRef>" for id_ in ids)
            + "</lane>"
            for name, ids in (lanes or {}).items()
        )
        if lane_set:
            lane_set = f'<laneSet id="lanes">{lane_set}</laneSet>'
        return (
            '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
            ' xmlns:camunda="http://camunda.org/schema/1.0/bpmn"'
            ' id="file" targetNamespace="urn:test">'
            f"{''.join(declared.values())}"
            f'<process id="process" isExecutable="true">{lane_set}{body}</process>'
            "</definitions>"
        ).encode()

    def _scope(
        self,
        lines: tuple[str, ...],
        elements: Mapping[str, Drawn],
        declared: dict[str, str],
        numbers: Iterator[int],
    ) -> str:
        found, flows = dict(elements), []
        for line in lines:
            path, _, condition = line.partition(" if ")
            otherwise = path.endswith(" otherwise")
            ids = [part.strip() for part in path.split(" otherwise")[0].split("->")]
            for id_ in ids:
                found.setdefault(id_, self._known_by_its_id(id_))
            for source, target in pairwise(ids):
                flow = f"{source}_to_{target}_{next(numbers)}"
                if otherwise:
                    found[source].attributes["default"] = flow
                rule = condition and (
                    f"<conditionExpression>${{{escape(condition)}}}"
                    "</conditionExpression>"
                )
                flows.append(
                    f'<sequenceFlow id="{flow}" sourceRef="{source}"'
                    f' targetRef="{target}">{rule}</sequenceFlow>'
                )
        nodes = [self._node(i, e, declared, numbers) for i, e in found.items()]
        return "".join(nodes + flows)

    @staticmethod
    def _known_by_its_id(id_: str) -> Drawn:
        return Drawn(BY_PREFIX.get(re.split(r"[_\d]", id_)[0], "userTask"))

    def _node(
        self,
        id_: str,
        drawn: Drawn,
        declared: dict[str, str],
        numbers: Iterator[int],
    ) -> str:
        attributes = {"id": id_, **drawn.attributes}
        extensions = drawn.extensions
        if drawn.correlation is not None:
            extensions += (
                '<camunda:properties><camunda:property name="correlationKey"'
                f" value={quoteattr(drawn.correlation)}/></camunda:properties>"
            )
        triggers = associations = ""
        for kind, value in drawn.triggers.items():
            if drawn.tag in ("sendTask", "receiveTask"):
                attributes["messageRef"] = self._declare(declared, kind, str(value))
            elif kind in TIMES:
                time = f"<{TIMES[kind]}>{escape(str(value))}</{TIMES[kind]}>"
                triggers += f"<timerEventDefinition>{time}</timerEventDefinition>"
            elif kind == "conditional":
                tag = "conditionalEventDefinition"
                triggers += (
                    f"<{tag}{_written(drawn.about)}><condition>{escape(str(value))}"
                    f"</condition></{tag}>"
                )
            else:
                refer = dict(drawn.about)
                if kind == "link":
                    refer["name"] = str(value)
                elif kind == "compensate":
                    if value and drawn.tag == "boundaryEvent":
                        associations = (
                            f'<association id="undoes_{id_}" sourceRef="{id_}"'
                            f' targetRef="{value}"/>'
                        )
                    elif value:
                        refer["activityRef"] = value
                elif value:
                    refer[f"{kind}Ref"] = self._declare(declared, kind, value)
                if kind == "error" and drawn.tag in ("boundaryEvent", "startEvent"):
                    refer["camunda:errorCodeVariable"] = "error_code"
                    refer["camunda:errorMessageVariable"] = "error_message"
                triggers += f"<{kind}EventDefinition{_written(refer)}/>"
        if extensions:
            extensions = f"<extensionElements>{extensions}</extensionElements>"
        lines, elements = drawn.inner
        scope = self._scope(lines, elements, declared, numbers) if lines else ""
        return (
            f"<{drawn.tag}{_written(attributes)}>"
            f"{extensions}{drawn.loop}{drawn.inside}{triggers}{scope}</{drawn.tag}>"
            f"{associations}"
        )

    @staticmethod
    def _declare(declared: dict[str, str], kind: str, name: str) -> str:
        id_ = f"{kind}_{name.replace(' ', '_')}"
        coded = kind in ("error", "escalation")
        code = f" {kind}Code={quoteattr(name)}" if coded else ""
        declared[id_] = f'<{kind} id="{id_}" name={quoteattr(name)}{code}/>'
        return id_

    # -- elements ------------------------------------------------------------------

    def task(
        self,
        tag: str,
        *,
        loop: str = "",
        inputs: Mapping[str, str] | None = None,
        outputs: Mapping[str, str] | None = None,
        inside: str = "",
        **attributes: str,
    ) -> Drawn:
        maps = "".join(
            f"<camunda:{word}Parameter name={quoteattr(name)}>{escape(value)}"
            f"</camunda:{word}Parameter>"
            for word, values in (("input", inputs), ("output", outputs))
            for name, value in (values or {}).items()
        )
        if maps:
            maps = f"<camunda:inputOutput>{maps}</camunda:inputOutput>"
        camunda = {f"camunda:{word}": value for word, value in attributes.items()}
        return Drawn(tag, camunda, extensions=maps, loop=loop, inside=inside)

    def user(self, **options: Any) -> Drawn:
        return self.task("userTask", **options)

    def service(self, topic: str, **options: Any) -> Drawn:
        return self.task("serviceTask", type="external", topic=topic, **options)

    def script(self, text: str, **options: Any) -> Drawn:
        inside = f"<script>{escape(text)}</script>"
        return self.task("scriptTask", inside=inside, **options)

    def rule(self, decision: str, **options: Any) -> Drawn:
        return self.task("businessRuleTask", decisionRef=decision, **options)

    def send(self, message: str, key: str | None = None, **options: Any) -> Drawn:
        drawn = self.task("sendTask", **options)
        drawn.triggers, drawn.correlation = {"message": message}, key
        return drawn

    def receive(self, message: str, key: str | None = None, **options: Any) -> Drawn:
        drawn = self.task("receiveTask", **options)
        drawn.triggers, drawn.correlation = {"message": message}, key
        return drawn

    def call(
        self,
        called: str,
        *,
        passes: Mapping[str, str] | None = None,
        returns: Mapping[str, str] | None = None,
        all_in: bool = False,
        all_out: bool = False,
        key: str | None = None,
        **options: Any,
    ) -> Drawn:
        drawn = self.task("callActivity", **options)
        drawn.attributes["calledElement"] = called
        for word, values, everything in (
            ("in", passes, all_in),
            ("out", returns, all_out),
        ):
            for target, source in (values or {}).items():
                kind = "sourceExpression" if source.startswith("${") else "source"
                drawn.extensions += (
                    f"<camunda:{word} {kind}={quoteattr(source)} target='{target}'/>"
                )
            if everything:
                drawn.extensions += f'<camunda:{word} variables="all"/>'
        if key is not None:
            drawn.extensions += f"<camunda:in businessKey={quoteattr(key)}/>"
        return drawn

    def sub(self, *lines: str, loop: str = "", **elements: Drawn) -> Drawn:
        return Drawn("subProcess", loop=loop, inner=(lines, elements))

    def ad_hoc(
        self,
        *lines: str,
        until: str | None = None,
        active: str | None = None,
        inside: str = "",
        elements: Mapping[str, Drawn] | None = None,
        **attributes: str,
    ) -> Drawn:
        if until is not None:
            inside += f"<completionCondition>{escape(until)}</completionCondition>"
        words = ""
        if active is not None:
            space = "http://camunda.org/schema/zeebe/1.0"
            collection = f"activeElementsCollection={quoteattr(active)}"
            words = f'<zeebe:adHoc xmlns:zeebe="{space}" {collection}/>'
        return Drawn(
            "adHocSubProcess",
            attributes,
            extensions=words,
            inside=inside,
            inner=(lines, dict(elements or {})),
        )

    def transaction(self, *lines: str, **elements: Drawn) -> Drawn:
        return Drawn("transaction", inner=(lines, elements))

    def on(self, *lines: str, **elements: Drawn) -> Drawn:
        """An event subprocess; its start is drawn with ``begin``."""
        whenever = {"triggeredByEvent": "true"}
        return Drawn("subProcess", whenever, inner=(lines, elements))

    def begin(
        self,
        *,
        interrupting: bool = True,
        key: str | None = None,
        about: Mapping[str, str] | None = None,
        **trigger: str | None,
    ) -> Drawn:
        attributes = {} if interrupting else {"isInterrupting": "false"}
        return Drawn(
            "startEvent",
            attributes,
            triggers=dict(trigger),
            about=dict(about or {}),
            correlation=key,
        )

    def undo(self, drawn: Drawn | None = None) -> Drawn:
        """An activity that compensates; a user task unless another is given."""
        found = drawn or self.user()
        found.attributes["isForCompensation"] = "true"
        return found

    def catch(
        self,
        *,
        key: str | None = None,
        about: Mapping[str, str] | None = None,
        **trigger: str | None,
    ) -> Drawn:
        return Drawn(
            "intermediateCatchEvent",
            triggers=dict(trigger),
            about=dict(about or {}),
            correlation=key,
        )

    def throw(
        self,
        *,
        key: str | None = None,
        about: Mapping[str, str] | None = None,
        **trigger: str | None,
    ) -> Drawn:
        return Drawn(
            "intermediateThrowEvent",
            triggers=dict(trigger),
            about=dict(about or {}),
            correlation=key,
        )

    def end(
        self,
        *,
        key: str | None = None,
        about: Mapping[str, str] | None = None,
        **trigger: str | None,
    ) -> Drawn:
        return Drawn(
            "endEvent",
            triggers=dict(trigger),
            about=dict(about or {}),
            correlation=key,
        )

    def border(
        self,
        host: str,
        *,
        interrupting: bool = True,
        key: str | None = None,
        about: Mapping[str, str] | None = None,
        **trigger: str | None,
    ) -> Drawn:
        attributes = {"attachedToRef": host}
        if not interrupting:
            attributes["cancelActivity"] = "false"
        return Drawn(
            "boundaryEvent",
            attributes,
            triggers=dict(trigger),
            about=dict(about or {}),
            correlation=key,
        )

    # -- loops ---------------------------------------------------------------------

    def each(
        self,
        items: str,
        name: str | None = None,
        *,
        sequential: bool = False,
        until: str | None = None,
        collect: tuple[str, str] | None = None,
    ) -> str:
        attributes = {"camunda:collection": items}
        if name:
            attributes["camunda:elementVariable"] = name
        return self._many(attributes, "", sequential, until, collect)

    def times(
        self,
        number: str,
        *,
        sequential: bool = False,
        until: str | None = None,
        collect: tuple[str, str] | None = None,
    ) -> str:
        turns = f"<loopCardinality>{escape(number)}</loopCardinality>"
        return self._many({}, turns, sequential, until, collect)

    @staticmethod
    def _many(
        attributes: dict[str, str],
        inside: str,
        sequential: bool,
        until: str | None,
        collect: tuple[str, str] | None,
    ) -> str:
        if sequential:
            attributes["isSequential"] = "true"
        if collect:
            inside += (
                f"<loopDataOutputRef>{collect[0]}</loopDataOutputRef>"
                f"<outputDataItem name={quoteattr(collect[1])}/>"
            )
        if until:
            inside += f"<completionCondition>{escape(until)}</completionCondition>"
        tag = "multiInstanceLoopCharacteristics"
        return f"<{tag}{_written(attributes)}>{inside}</{tag}>"

    def again(
        self, condition: str | None = None, *, before: bool = False, most: int = 0
    ) -> str:
        attributes = {"testBefore": "true"} if before else {}
        if most:
            attributes["loopMaximum"] = str(most)
        tag = "standardLoopCharacteristics"
        inside = ""
        if condition is not None:
            inside = f"<loopCondition>{escape(condition)}</loopCondition>"
        return f"<{tag}{_written(attributes)}>{inside}</{tag}>"


def _written(attributes: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
