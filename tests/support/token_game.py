"""A token game that executes a model in another way than the engine does.

It moves numbered tokens over the drawing and never forgets one. Its joins do not count
arrivals: each fork numbers its firing, and a join waits for the tokens of that firing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from tests.support.random_models import Place, RandomModel


@dataclass(eq=False)
class Token:
    """One token of the game; ``firings`` are the forks it comes from."""

    at: str
    home: Room
    firings: tuple[tuple[int, int], ...] = ()
    room: Room | None = None  # what it opened, if it stands on a scope
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

    def __init__(self, drawing: RandomModel, flags: dict[str, bool]) -> None:
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
