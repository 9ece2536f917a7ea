"""Random structured models: the engine against a token game that knows another way.

The game below moves numbered tokens over the drawing and never forgets one. Its joins
do not count arrivals: each fork numbers its firing, and a join waits for the tokens of
that firing. The engine is played twice, once through bytes after every command and once
with everything kept in memory. After each command all three must wait at the same
places; at the end every element must have been passed equally often, so no token was
lost or doubled.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from mpms.domain.instances import InstanceStatus, Snapshot
from mpms.domain.models import Definition
from mpms.domain.steps import Complete, EventWait, FormWait, Receive, Start, Step
from mpms.engine import codec
from mpms.engine.runner import SpiffEngine

MODELS = 520
BATCHES = 13
MOST_COMMANDS = 40
NOW = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
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


class Drawing:
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


@dataclass(eq=False)
class Token:
    """One token of the game; ``firings`` are the forks it comes from."""

    at: str
    home: "Room"
    firings: tuple[tuple[int, int], ...] = ()
    room: "Room | None" = None  # what it opened, if it stands on a scope
    live: bool = True


@dataclass(eq=False)
class Room:
    """One run of a scope, or the turns of a repeated activity."""

    scope: str | None
    holder: Token | None = None
    tokens: list[Token] = field(default_factory=list)
    left_turns: int = 0
    listening: bool = True  # its event subprocesses


class Game:
    """Moves tokens by the rules of BPMN, one at a time."""

    def __init__(self, drawing: Drawing, flags: dict[str, bool]) -> None:
        self.places, self.flags = drawing.places, flags
        self.drawing = drawing
        self.firing = count(1)
        self.waiting_at_joins: dict[tuple[int, str], list[Token]] = {}
        self.passed: Counter[str] = Counter()
        self.queue: deque[Token] = deque()
        self.top = Room(None)
        self.begin(self.top)
        self.settle()

    # -- rooms ---------------------------------------------------------------------

    def begin(self, room: Room) -> None:
        for place in self.places.values():
            if place.scope == room.scope and place.kind == "start":
                self.put(place.id, room)

    def put(
        self, at: str, room: Room, firings: tuple[tuple[int, int], ...] = ()
    ) -> Token:
        token = Token(at, room, firings)
        room.tokens.append(token)
        self.queue.append(token)
        return token

    def remove(self, token: Token) -> None:
        """Take a token away with everything in the room it holds."""
        token.live = False
        if token in token.home.tokens:
            token.home.tokens.remove(token)
        if token.room is not None:
            for inner in list(token.room.tokens):
                self.remove(inner)

    def close_if_empty(self, room: Room) -> None:
        holder = room.holder
        if room.tokens or holder is None or not holder.live:
            return
        if room.left_turns:
            room.left_turns -= 1
            self.turn(room)
            return
        self.go_on(holder)

    # -- moving --------------------------------------------------------------------

    def settle(self) -> None:
        while self.queue:
            token = self.queue.popleft()
            if token.live:
                self.enter(token)

    def enter(self, token: Token) -> None:
        place = self.places[token.at]
        if place.turns or place.sequential:
            if token.home.holder is not None and token.home.holder.at == token.at:
                pass  # a turn
            else:
                self.repeat(token, place)
                return
        kind = place.kind
        if kind in ("user", "catch", "race"):
            return
        if kind in ("sub", "alarm"):
            token.room = Room(place.id, token)
            self.begin(token.room)
        elif kind in ("and", "or") and place.joins:
            self.join(token)
        elif kind == "terminate":
            self.passed[place.id] += 1
            room = token.home
            for other in list(room.tokens):
                self.remove(other)
            self.close_if_empty(room)
        elif kind == "error":
            self.passed[place.id] += 1
            holder = token.home.holder
            assert holder is not None
            event = next(
                p.id
                for p in self.places.values()
                if p.kind == "caught" and p.host == holder.at
            )
            self.remove(holder)
            self.put(event, holder.home, holder.firings)
        else:
            self.go_on(token)

    def repeat(self, token: Token, place: Place) -> None:
        if not place.turns:
            self.go_on(token)
            return
        token.room = Room(place.scope, token, listening=False)
        token.room.left_turns = place.turns - 1 if place.sequential else 0
        for _ in range(1 if place.sequential else place.turns):
            self.turn(token.room)

    def turn(self, room: Room) -> None:
        assert room.holder is not None
        self.put(room.holder.at, room)

    def join(self, token: Token) -> None:
        firing, branches = token.firings[-1]
        here = self.waiting_at_joins.setdefault((firing, token.at), [])
        here.append(token)
        if len(here) == branches:
            for other in here[1:]:
                self.remove(other)
            token = here[0]
            token.firings = token.firings[:-1]
            self.go_on(token)

    def go_on(self, token: Token) -> None:
        place, room = self.places[token.at], token.home
        is_turn = (
            room.holder is not None
            and room.holder.at == token.at
            and bool(place.turns or place.sequential)
        )
        self.remove(token)
        if is_turn:
            self.close_if_empty(room)
            return
        self.passed[place.id] += 1
        targets = self.chosen(place)
        firings = token.firings
        if place.kind in ("and", "or") and not place.joins:
            firings = (*firings, (next(self.firing), len(targets)))
        for target in targets:
            self.put(target, room, firings)
        self.close_if_empty(room)

    def chosen(self, place: Place) -> list[str]:
        if place.kind == "linkout":
            return [self.drawing._partner(place)]
        if place.kind not in ("xor", "or"):
            return [target for target, _ in place.out]
        holding = [t for t, flag in place.out if flag and self.flags[flag]]
        default = [t for t, flag in place.out if flag is None]
        if place.kind == "xor":
            return (holding or default)[:1]
        return holding or default

    # -- what waits, and commands ------------------------------------------------------

    def everywhere(self) -> Iterator[Token]:
        rooms = [self.top]
        while rooms:
            for token in rooms.pop().tokens:
                yield token
                if token.room is not None:
                    rooms.append(token.room)

    def waits(self) -> list[tuple[str, Token | Room]]:
        """(element, token or room) of everything a command can move."""
        found: list[tuple[str, Token | Room]] = []
        rooms: list[Room] = [self.top]
        for token in self.everywhere():
            place = self.places[token.at]
            if token.room is not None:
                rooms.append(token.room)
            if token.room is None and place.kind in ("user", "catch"):
                found.append((token.at, token))
            if place.kind == "race":
                found += [(target, token) for target, _ in place.out]
            body = token.room is not None or place.kind == "user"
            repeated = bool(place.turns or place.sequential)
            if body and (not repeated or token.room is not None):
                found += [
                    (p.id, token)
                    for p in self.places.values()
                    if p.kind == "boundary" and p.host == token.at
                ]
        for room in rooms:
            if room.scope is None or not room.listening:
                continue
            found += [
                (p.id, room)
                for p in self.places.values()
                if p.kind == "trigger"
                and self.places[str(p.scope)].scope == room.scope
                and room.listening
                and not self._over_but_for_alarms(room)
            ]
        return found

    def _over_but_for_alarms(self, room: Room) -> bool:
        """Only event subprocesses are left: nothing starts another one then."""
        return all(self.places[t.at].kind == "alarm" for t in room.tokens)

    def command(self, element: str, thing: Token | Room) -> None:
        place = self.places[element]
        if isinstance(thing, Room):
            self.alarm(place, thing)
        elif place.kind == "boundary":
            self.passed[place.id] += 1
            if place.interrupts:
                self.remove(thing)
            firings = thing.firings if place.interrupts else ()
            for target, _ in place.out:
                self.put(target, thing.home, firings)
        elif thing.at != element:  # an event after an event gateway
            self.passed[thing.at] += 1
            thing.at = element
            self.go_on(thing)
        else:
            self.go_on(thing)
        self.settle()

    def alarm(self, place: Place, room: Room) -> None:
        if place.interrupts:
            for token in list(room.tokens):
                self.remove(token)
            room.listening = False
        self.passed[place.id] += 1
        holder = Token(str(place.scope), room)
        holder.room = Room(place.scope, holder)
        room.tokens.append(holder)
        for target, _ in place.out:
            self.put(target, holder.room)

    @property
    def over(self) -> bool:
        return not self.top.tokens


class Played:
    """The engine's side; ``waits`` pairs elements with the ids of their tasks."""

    def __init__(self, drawing: Drawing, flags: dict[str, bool]) -> None:
        self.engine = SpiffEngine()
        xml = drawing.xml()
        assert self.engine.check(xml) == []
        self.definition = Definition("game", "game", 1, "", xml)
        self.snapshot: Snapshot | None = None
        self.passed: Counter[str] = Counter()
        self.order: list[tuple[str, str | None]] = []
        self.step = self.give(Start(dict(flags)))

    def give(self, command: Any) -> Step:
        self.step = self.engine.advance(
            self.definition, self.snapshot, command, now=NOW
        )
        self.snapshot = self.step.snapshot
        self.order += [(line.kind, line.element) for line in self.step.trace]
        self.passed.update(
            str(line.element)
            for line in self.step.trace
            if line.kind == "left" and "turn" not in line.data
        )
        return self.step

    def waits(self) -> Counter[str]:
        return Counter(w.element for w in self.step.waits)

    def move(self, element: str, changed: dict[str, bool]) -> None:
        wait = next(w for w in self.step.waits if w.element == element)
        if isinstance(wait, FormWait):
            self.give(Complete(wait.task_id, changed))
        else:
            assert isinstance(wait, EventWait)
            self.give(Receive(wait.task_id, changed))


class KeptInMemory:
    """Stands in for the codec: the instance is never written and never read."""

    def __init__(self) -> None:
        self.runs: list[Any] = []

    def dump(self, run: Any) -> bytes:
        self.runs.append(run)
        return str(len(self.runs) - 1).encode()

    def load(self, data: bytes, variables: Any, spec: Any, around: Any) -> Any:
        run = self.runs[int(data)]
        run.around = around
        run.steps = 0
        run.trace, run.throws = [], []
        return run


def compare(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Drawing, int]:
    print("seed", seed)
    chance = random.Random(seed)
    drawing = Drawing(chance)
    flags = {flag: chance.random() < 0.5 for flag in drawing.flags}
    game, played = Game(drawing, flags), Played(drawing, flags)
    script: list[tuple[str, dict[str, bool]]] = []
    for _ in range(MOST_COMMANDS):
        offered = game.waits()
        assert played.waits() == Counter(element for element, _ in offered)
        assert (played.step.status is InstanceStatus.COMPLETED) is game.over
        if game.over:
            break
        names = sorted({element for element, _ in offered})
        element = chance.choice(names)
        sample = chance.sample(drawing.flags, min(3, len(drawing.flags)))
        changed = {flag: chance.random() < 0.4 for flag in sample}
        flags.update(changed)
        script.append((element, changed))
        played.move(element, changed)
        chosen = next(thing for name, thing in offered if name == element)
        game.command(element, chosen)
    assert played.passed == game.passed
    _play_in_memory(drawing, seed, script, played, monkeypatch)
    return drawing, len(script)


def _play_in_memory(
    drawing: Drawing,
    seed: int,
    script: list[tuple[str, dict[str, bool]]],
    reloaded: Played,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(seed)
    flags = {flag: chance.random() < 0.5 for flag in Drawing(chance).flags}
    memory = KeptInMemory()
    with monkeypatch.context() as patched:
        patched.setattr(codec, "dump", memory.dump)
        patched.setattr(codec, "load", memory.load)
        kept = Played(drawing, flags)
        for element, changed in script:
            kept.move(element, changed)
    assert kept.order == reloaded.order
    assert kept.step.status is reloaded.step.status


@pytest.mark.covers("A3")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_engine_token_game_and_unsaved_run_agree(
    batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MODELS // BATCHES):
        compare(batch * 1000 + number, monkeypatch)


def test_the_random_models_hold_every_kind_of_block_and_run_for_a_while() -> None:
    """Otherwise the comparison above would show little."""
    kinds: Counter[str] = Counter()
    for batch in range(BATCHES):
        for number in range(MODELS // BATCHES):
            kinds += Drawing(random.Random(batch * 1000 + number)).kinds
    assert sum(1 for _ in range(MODELS)) >= 500
    assert {kind: n for kind, n in kinds.items() if n < 50} == {}
    assert set(kinds) == {"task", *BLOCKS.split()}
