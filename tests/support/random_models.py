"""Random structured models: places for a token game, and XML for the engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

BLOCKS = (
    "seq xor and or loop sub multi waited border aside race alarm notice stop fail jump"
)


@dataclass
class Place:
    """One element of the drawing."""

    id: str
    kind: str
    scope: str | None
    out: list[tuple[str, str | None]] = field(default_factory=list)  # target, flag
    host: str | None = None
    interrupts: bool = True
    turns: int = 0
    sequential: bool = False
    joins: bool = False


class RandomModel:
    """A random model, as places for the game and as XML for the engine."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.numbers = count()
        self.places: dict[str, Place] = {}
        self.flags: list[str] = []
        self.kinds: Counter[str] = Counter()
        start, end = self.add("start", None), self.add("end", None)
        first, last = self.sequence(3, None, self.chance.randint(1, 3))
        self.flow(start, first)
        self.flow(last, end)

    # -- drawing -----------------------------------------------------------------

    def add(self, kind: str, scope: str | None, **more: Any) -> str:
        id_ = f"{kind}_{next(self.numbers)}"
        self.places[id_] = Place(id_, kind, scope, **more)
        return id_

    def flow(self, source: str, target: str, flag: str | None = None) -> None:
        self.places[source].out.append((target, flag))

    def flag(self) -> str:
        self.flags.append(f"flag{len(self.flags)}")
        return self.flags[-1]

    def sequence(self, depth: int, scope: str | None, length: int) -> tuple[str, str]:
        first, last = self.block(depth, scope)
        for _ in range(length - 1):
            following, end = self.block(depth, scope)
            self.flow(last, following)
            last = end
        return first, last

    def block(self, depth: int, scope: str | None) -> tuple[str, str]:
        """Draw one block; its first and last element."""
        kinds = ["task"] * 3 + BLOCKS.split() * (depth > 0)
        kind = self.chance.choice(kinds)
        self.kinds[kind] += 1
        if kind == "task":
            return (self.add("user", scope),) * 2
        if kind == "seq":
            return self.sequence(depth - 1, scope, self.chance.randint(1, 3))
        draw: Callable[[int, str | None], tuple[str, str]] = getattr(self, f"_{kind}")
        return draw(depth - 1, scope)

    def _branches(self, kind: str, depth: int, scope: str | None) -> tuple[str, str]:
        fork, join = self.add(kind, scope), self.add(kind, scope, joins=True)
        parts = self.chance.randint(2, 3)
        for number in range(parts):
            first, last = self.block(depth, scope)
            guarded = kind != "and" and number < parts - 1
            self.flow(fork, first, self.flag() if guarded else None)
            self.flow(last, join)
        return fork, join

    def _xor(self, depth: int, scope: str | None) -> tuple[str, str]:
        return self._branches("xor", depth, scope)

    def _and(self, depth: int, scope: str | None) -> tuple[str, str]:
        return self._branches("and", depth, scope)

    def _or(self, depth: int, scope: str | None) -> tuple[str, str]:
        return self._branches("or", depth, scope)

    def _loop(self, depth: int, scope: str | None) -> tuple[str, str]:
        head, tail = self.add("xor", scope, joins=True), self.add("xor", scope)
        task, after = self.add("user", scope), self.add("xor", scope, joins=True)
        first, last = self.block(depth, scope)
        for source, target in ((head, task), (task, first), (last, tail)):
            self.flow(source, target)
        self.flow(tail, head, self.flag())
        self.flow(tail, after)
        return head, after

    def _inside(self, kind: str, depth: int, scope: str | None, **more: Any) -> str:
        sub = self.add(kind, scope, **more)
        start, end = self.add("start", sub), self.add("end", sub)
        first, last = self.block(depth, sub)
        self.flow(start, first)
        self.flow(last, end)
        return sub

    def _sub(self, depth: int, scope: str | None) -> tuple[str, str]:
        return (self._inside("sub", depth, scope),) * 2

    def _multi(self, depth: int, scope: str | None) -> tuple[str, str]:
        more: dict[str, Any] = {
            "turns": self.chance.randint(0, 3),
            "sequential": self.chance.random() < 0.5,
        }
        if self.chance.random() < 0.5:
            return (self.add("user", scope, **more),) * 2
        return (self._inside("sub", depth, scope, **more),) * 2

    def _waited(self, depth: int, scope: str | None) -> tuple[str, str]:
        return (self.add("catch", scope),) * 2

    def _hosted(self, depth: int, scope: str | None) -> str:
        if self.chance.random() < 0.4:
            return self.add("user", scope)
        return self._inside("sub", depth, scope)

    def _border(self, depth: int, scope: str | None) -> tuple[str, str]:
        """An interrupting message; its path meets the usual one again."""
        host, meet = self._hosted(depth, scope), self.add("xor", scope, joins=True)
        event = self.add("boundary", scope, host=host)
        first, last = self.block(depth, scope)
        for source, target in ((host, meet), (event, first), (last, meet)):
            self.flow(source, target)
        return host, meet

    def _aside(self, depth: int, scope: str | None) -> tuple[str, str]:
        """A message that does not interrupt; its path has an end of its own."""
        host = self._hosted(depth, scope)
        event = self.add("boundary", scope, host=host, interrupts=False)
        task, end = self.add("user", scope), self.add("end", scope)
        self.flow(event, task)
        self.flow(task, end)
        return host, host

    def _race(self, depth: int, scope: str | None) -> tuple[str, str]:
        gateway, meet = self.add("race", scope), self.add("xor", scope, joins=True)
        for _ in range(self.chance.randint(2, 3)):
            event = self.add("catch", scope)
            first, last = self.block(depth, scope)
            for source, target in ((gateway, event), (event, first), (last, meet)):
                self.flow(source, target)
        return gateway, meet

    def _alarmed(self, depth: int, scope: str | None, interrupts: bool) -> str:
        sub = self._inside("sub", depth, scope)
        alarm = self.add("alarm", sub)
        start = self.add("trigger", alarm, interrupts=interrupts)
        task, end = self.add("user", alarm), self.add("end", alarm)
        self.flow(start, task)
        self.flow(task, end)
        return sub

    def _alarm(self, depth: int, scope: str | None) -> tuple[str, str]:
        return (self._alarmed(depth, scope, True),) * 2

    def _notice(self, depth: int, scope: str | None) -> tuple[str, str]:
        return (self._alarmed(depth, scope, False),) * 2

    def _ended(self, kind: str, depth: int, scope: str | None) -> str:
        """A subprocess in which one of two branches ends everything."""
        sub = self.add("sub", scope)
        start, fork = self.add("start", sub), self.add("and", sub)
        task, stop = self.add("user", sub), self.add(kind, sub)
        end = self.add("end", sub)
        first, last = self.block(depth, sub)
        pairs = ((start, fork), (fork, task), (task, stop), (fork, first), (last, end))
        for source, target in pairs:
            self.flow(source, target)
        return sub

    def _stop(self, depth: int, scope: str | None) -> tuple[str, str]:
        return (self._ended("terminate", depth, scope),) * 2

    def _fail(self, depth: int, scope: str | None) -> tuple[str, str]:
        sub, meet = self._ended("error", depth, scope), self.add("xor", scope)
        self.places[meet].joins = True
        event = self.add("caught", scope, host=sub)
        first, last = self.block(depth, scope)
        for source, target in ((sub, meet), (event, first), (last, meet)):
            self.flow(source, target)
        return sub, meet

    def _jump(self, depth: int, scope: str | None) -> tuple[str, str]:
        out = self.add("linkout", scope)
        into = self.add("linkin", scope)
        return out, into

    # -- as XML --------------------------------------------------------------------

    def xml(self) -> bytes:
        messages = "".join(
            f'<message id="m_{p.id}" name="{p.id}"/>'
            for p in self.places.values()
            if p.kind in ("catch", "boundary", "trigger")
        )
        return (
            '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'
            ' id="file" targetNamespace="urn:test">'
            f'<error id="bad" name="bad" errorCode="bad"/>{messages}'
            f'<process id="game" isExecutable="true">{self._body(None)}</process>'
            "</definitions>"
        ).encode()

    def _body(self, scope: str | None) -> str:
        parts: list[str] = []
        for place in self.places.values():
            if place.scope != scope:
                continue
            guarded = any(flag for _, flag in place.out)
            default = ""
            for number, (target, flag) in enumerate(place.out):
                if place.kind == "linkout":
                    continue
                flow = f"f_{place.id}_{number}"
                rule = f"<conditionExpression>${{{flag}}}</conditionExpression>"
                if guarded and flag is None:
                    default = f' default="{flow}"'
                parts.append(
                    f'<sequenceFlow id="{flow}" sourceRef="{place.id}"'
                    f' targetRef="{target}">{rule if flag else ""}</sequenceFlow>'
                )
            parts.append(self._element(place, default))
        return "".join(parts)

    def _element(self, place: Place, default: str) -> str:
        message = f'<messageEventDefinition messageRef="m_{place.id}"/>'
        tag, attributes, inside = {
            "start": ("startEvent", "", ""),
            "end": ("endEvent", "", ""),
            "user": ("userTask", "", ""),
            "xor": ("exclusiveGateway", default, ""),
            "and": ("parallelGateway", "", ""),
            "or": ("inclusiveGateway", default, ""),
            "race": ("eventBasedGateway", "", ""),
            "sub": ("subProcess", "", ""),
            "alarm": ("subProcess", ' triggeredByEvent="true"', ""),
            "catch": ("intermediateCatchEvent", "", message),
            "trigger": ("startEvent", "", message),
            "boundary": ("boundaryEvent", "", message),
            "caught": ("boundaryEvent", "", '<errorEventDefinition errorRef="bad"/>'),
            "terminate": ("endEvent", "", "<terminateEventDefinition/>"),
            "error": ("endEvent", "", '<errorEventDefinition errorRef="bad"/>'),
            "linkout": ("intermediateThrowEvent", "", ""),
            "linkin": ("intermediateCatchEvent", "", ""),
        }[place.kind]
        if place.kind.startswith("link"):
            pair = place.id if place.kind == "linkin" else self._partner(place)
            inside = f'<linkEventDefinition name="{pair}"/>'
        if place.host:
            attributes += f' attachedToRef="{place.host}"'
            if not place.interrupts:
                attributes += ' cancelActivity="false"'
        if place.kind == "trigger" and not place.interrupts:
            attributes += ' isInterrupting="false"'
        if place.turns or place.sequential:
            inside += (
                "<multiInstanceLoopCharacteristics"
                f' isSequential="{str(place.sequential).lower()}"><loopCardinality>'
                f"{place.turns}</loopCardinality></multiInstanceLoopCharacteristics>"
            )
        if place.kind in ("sub", "alarm"):
            inside += self._body(place.id)
        return f'<{tag} id="{place.id}"{attributes}>{inside}</{tag}>'

    def _partner(self, place: Place) -> str:
        """The catching link is drawn right after the throwing one."""
        number = int(place.id.rpartition("_")[2])
        return f"linkin_{number + 1}"
