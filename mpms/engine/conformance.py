"""Replay a path over a drawing: the activities that were completed, in order.

Tokens lie on flows or on activities. Between two activities of a path all that leaves
no trace may happen: gateways, events, activities that an event at their border takes
away. All ways of doing so are tried; who can do the next activity goes on. Conditions
are not looked at: a path fits if the drawing has it, whatever the data were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

from mpms.domain.history.conformance import Misfit, Why
from mpms.engine.model import SUBPROCESS_TAGS, Element, Process

MOST_MARKINGS = 2_000
MOST_SPLIT = 5  # ways of an inclusive gateway of which every choice is tried

Marking = tuple[str, ...]  # sorted; a flow's id, or AT with an activity's
AT = "at "
ONE_OF = frozenset({"exclusiveGateway", "eventBasedGateway"})
SOME_OF = frozenset({"inclusiveGateway", "complexGateway"})


class TooManyWays(Exception):
    """There are more ways than can be tried."""


class Replay:
    """One model; remembers what can happen from where."""

    def __init__(self, process: Process) -> None:
        self._elements = process.elements
        self._flows = process.flows
        self._inside: dict[str | None, list[Element]] = {}
        for element in self._elements.values():
            self._inside.setdefault(element.scope, []).append(element)
        self._borders: dict[str, list[Element]] = {}
        for element in self._elements.values():
            if element.attached_to is not None:
                self._borders.setdefault(element.attached_to, []).append(element)
        self._closures: dict[Marking, frozenset[Marking]] = {}

    def misfit(self, path: Sequence[str], *, completed: bool) -> Misfit | None:
        """None: it fits. A path that was broken off need not reach an end."""
        after = ""
        try:
            now = self._closed(frozenset(self._begun(None)))
            for element in path:
                if element not in self._elements:
                    return Misfit(Why.UNKNOWN, element, after)
                done = frozenset(
                    chain.from_iterable(self._done(m, element) for m in now)
                )
                if not done:
                    return Misfit(Why.ORDER, element, after, self._next(now))
                now, after = self._closed(done), element
        except TooManyWays:
            return Misfit(Why.UNJUDGED, "", after)
        if completed and () not in now:
            return Misfit(Why.EARLY, "", after, self._next(now))
        return None

    @staticmethod
    def _next(markings: frozenset[Marking]) -> tuple[str, ...]:
        places = set(chain.from_iterable(markings))
        return tuple(sorted(p.removeprefix(AT) for p in places if p.startswith(AT)))

    # -- what is seen -----------------------------------------------------------------

    def _done(self, marking: Marking, name: str) -> Iterator[Marking]:
        """After an activity, if it can be done now."""
        element, place = self._elements[name], AT + name
        scope = element.scope
        free = element.for_compensation or (
            scope is not None
            and self._elements[scope].tag == "adHocSubProcess"
            and not element.incoming
            and AT + scope in marking
        )
        if place not in marking and not free:
            return
        if element.tag in SUBPROCESS_TAGS and self._within(marking, name):
            return
        rest = _without(marking, place) if place in marking else marking
        if element.loop is not None:
            yield marking  # another turn
        conditional = any(self._flows[f].condition for f in element.outgoing)
        ways = _choices(element.outgoing) if conditional else [element.outgoing]
        for ways_on in ways:
            yield _with(rest, ways_on)

    # -- what is not seen -------------------------------------------------------------

    def _closed(self, markings: frozenset[Marking]) -> frozenset[Marking]:
        return frozenset(chain.from_iterable(self._closure(m) for m in markings))

    def _closure(self, marking: Marking) -> frozenset[Marking]:
        known = self._closures.get(marking)
        if known is not None:
            return known
        seen, open_ones = {marking}, [marking]
        while open_ones:
            for other in self._silent(open_ones.pop()):
                if other not in seen:
                    if len(seen) >= MOST_MARKINGS:
                        raise TooManyWays
                    seen.add(other)
                    open_ones.append(other)
        self._closures[marking] = frozenset(seen)
        return self._closures[marking]

    def _silent(self, marking: Marking) -> Iterator[Marking]:
        for place in dict.fromkeys(marking):
            if place.startswith(AT):
                yield from self._interrupted(marking, place.removeprefix(AT))
            else:
                yield from self._entered(marking, place)
        yield from self._listened(marking)

    def _entered(self, marking: Marking, flow: str) -> Iterator[Marking]:
        element = self._elements[self._flows[flow].target]
        rest = _without(marking, flow)
        if element.is_activity:
            for inner in self._begun(element.id):
                yield _with(rest, (AT + element.id, *inner))
        elif element.tag in ONE_OF:
            for way in element.outgoing:
                yield _with(rest, (way,))
        elif element.tag == "parallelGateway":
            if all(way in marking for way in element.incoming):
                for way in element.incoming:
                    marking = _without(marking, way)
                yield _with(marking, element.outgoing)
        elif element.tag in SOME_OF:
            for way in element.incoming:
                while way in rest:
                    rest = _without(rest, way)
            for ways in _choices(element.outgoing):
                yield _with(rest, ways)
        elif element.tag == "endEvent":
            kinds = {trigger.kind for trigger in element.triggers}
            if kinds & {"terminate", "error", "cancel"}:
                rest = self._cleared(rest, element.scope)
            yield rest
        else:
            yield _with(rest, self._linked(element) or element.outgoing)

    def _linked(self, element: Element) -> tuple[str, ...]:
        """A link goes on at the one of its name."""
        trigger = element.trigger
        if trigger is None or trigger.kind != "link" or element.outgoing:
            return ()
        for other in self._inside.get(element.scope, ()):
            same = other.trigger is not None and other.trigger.name == trigger.name
            if same and other.outgoing and other.tag == "intermediateCatchEvent":
                return other.outgoing
        return ()

    def _interrupted(self, marking: Marking, name: str) -> Iterator[Marking]:
        for border in self._borders.get(name, ()):
            if not border.outgoing:
                continue
            rest = marking
            if border.interrupting:
                rest = self._cleared(_without(marking, AT + name), name)
            elif any(way in marking for way in border.outgoing):
                continue  # it may come often; once at a time is enough to tell
            yield _with(rest, border.outgoing)

    def _listened(self, marking: Marking) -> Iterator[Marking]:
        """Event subprocesses, while their scope runs."""
        for element in self._elements.values():
            if not element.event_subprocess or AT + element.id in marking:
                continue
            scope = element.scope
            runs = bool(marking) if scope is None else AT + scope in marking
            if not runs:
                continue
            starts = [s for s in self._inside.get(element.id, ()) if _is_start(s)]
            stops = any(start.interrupting for start in starts)
            rest = self._cleared(marking, scope) if stops else marking
            for inner in self._begun(element.id):
                yield _with(rest, (AT + element.id, *inner))

    def _begun(self, scope: str | None) -> list[Marking]:
        """What lies in a scope that has just begun: one for each of its starts."""
        inside = self._inside.get(scope, ())
        found = [_with((), e.outgoing) for e in inside if _is_start(e)]
        if found:
            return found
        heads = [
            AT + e.id
            for e in inside
            if e.is_activity and not e.incoming and not e.event_subprocess
        ]
        holder = None if scope is None else self._elements[scope]
        if holder is not None and holder.tag == "adHocSubProcess":
            heads = []
        return [tuple(sorted(heads))]

    def _within(self, marking: Marking, scope: str) -> bool:
        return self._cleared(marking, scope) != marking

    def _cleared(self, marking: Marking, scope: str | None) -> Marking:
        """Without what lies inside a scope, and deeper."""
        return tuple(p for p in marking if not self._lies_in(p, scope))

    def _lies_in(self, place: str, scope: str | None) -> bool:
        if scope is None:
            return True
        at = place.removeprefix(AT)
        if not place.startswith(AT):
            at = self._flows[place].source
        holder = self._elements[at].scope
        while holder is not None:
            if holder == scope:
                return True
            holder = self._elements[holder].scope
        return False


def _is_start(element: Element) -> bool:
    return element.tag == "startEvent"


def _with(marking: Marking, more: Sequence[str]) -> Marking:
    return tuple(sorted((*marking, *more)))


def _without(marking: Marking, place: str) -> Marking:
    at = marking.index(place)
    return marking[:at] + marking[at + 1 :]


def _choices(ways: Sequence[str]) -> list[tuple[str, ...]]:
    """Every choice of at least one; of many ways one or all."""
    if not ways:
        return [()]
    sizes = range(1, len(ways) + 1) if len(ways) <= MOST_SPLIT else (1, len(ways))
    return [chosen for size in sizes for chosen in combinations(ways, size)]
