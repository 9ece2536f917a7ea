"""The regular expressions of ``matches``, ``replace`` and ``split``.

Python's own would let a pattern of ten characters occupy a worker for years. These run
all alternatives side by side, so the time is the text times the pattern, and every
character of it is paid for. Lookaround and backreferences, which cannot be run so and
which the standard's dialect (XPath) does without or nearly so, are refused.
"""

from collections.abc import Iterator
from functools import lru_cache

from ..expressions.faults import Fault, shown
from .pattern_syntax import (
    Alternatives,
    Anchor,
    Character,
    Group,
    InARow,
    Part,
    Repetition,
    parse_pattern,
)
from .values import Frame

MAX_PROGRAM = 2000
MAX_PARTS = 20_000  # copies of parts, also of such that have no instruction
_DONE_PER_STEP = 8
_CACHED = 256

Span = tuple[int, int]
Groups = list[Span | None]
# ("char", test, cost), ("split", a, b), ("jump", a), ("save", n), ("^",), ("$",),
# ("match",)
Instruction = tuple[object, ...]
Thread = tuple[int, tuple[int, ...]]


class Pattern:
    """A program for all alternatives at once."""

    def __init__(self, root: Part, groups: int, multiline: bool) -> None:
        self._program: list[Instruction] = []
        self._slots = 2 * (groups + 1)
        self._parts = 0
        self._multiline = multiline
        self._emit(Group(0, root))
        self._put("match")

    def _put(self, *instruction: object) -> int:
        if len(self._program) >= MAX_PROGRAM:
            raise Fault("has a pattern that repeats too much")
        self._program.append(instruction)
        return len(self._program) - 1

    def _emit(self, part: Part) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Fault("has a pattern that repeats too much")
        if isinstance(part, Character):
            self._put("char", part.test, part.cost)
        elif isinstance(part, InARow):
            for member in part.members:
                self._emit(member)
        elif isinstance(part, Group):
            if part.number is not None:
                self._put("save", 2 * part.number)
            self._emit(part.inner)
            if part.number is not None:
                self._put("save", 2 * part.number + 1)
        elif isinstance(part, Alternatives):
            self._emit_alternatives(part)
        elif isinstance(part, Repetition):
            self._emit_repetition(part)
        elif isinstance(part, Anchor):
            self._put(part.sign)

    def _emit_alternatives(self, part: Alternatives) -> None:
        leaving: list[int] = []
        for member in part.members[:-1]:
            split = self._put("split", 0, 0)
            self._emit(member)
            leaving.append(self._put("jump", 0))
            self._program[split] = ("split", split + 1, len(self._program))
        self._emit(part.members[-1])
        for jump in leaving:
            self._program[jump] = ("jump", len(self._program))

    def _emit_repetition(self, part: Repetition) -> None:
        for _ in range(part.fewest):
            self._emit(part.inner)
        if part.most is None:
            split = self._put("split", 0, 0)
            self._emit(part.inner)
            self._put("jump", split)
            self._aim(split, len(self._program), part.greedy)
            return
        splits: list[int] = []
        for _ in range(part.most - part.fewest):
            splits.append(self._put("split", 0, 0))
            self._emit(part.inner)
        for split in splits:
            self._aim(split, len(self._program), part.greedy)

    def _aim(self, split: int, after: int, greedy: bool) -> None:
        ways = (split + 1, after) if greedy else (after, split + 1)
        self._program[split] = ("split", *ways)

    # -- running -------------------------------------------------------------------

    def search(self, frame: Frame, text: str, start: int) -> Groups | None:
        """The groups of the first match from there on; group 0 is the whole."""
        threads: list[Thread] = []
        found: tuple[int, ...] | None = None
        blank = (-1,) * self._slots
        for at in range(start, len(text) + 1):
            seen: set[int] = set()
            ready: list[Thread] = []
            for counter, saved in threads:
                self._follow(counter, saved, text, at, seen, ready)
            if found is None:
                self._follow(0, blank, text, at, seen, ready)
            elif not ready:
                break
            done = len(seen) * (1 + self._slots // 8)  # each may copy the slots
            threads = []
            for counter, saved in ready:
                instruction = self._program[counter]
                if instruction[0] == "match":
                    found = saved
                    break
                test = instruction[1]
                done += instruction[2]  # type: ignore[operator]
                if at < len(text) and test(text[at]):  # type: ignore[operator]
                    threads.append((counter + 1, saved))
            frame.spend(1 + done // _DONE_PER_STEP)
        if found is None:
            return None
        pairs = zip(found[::2], found[1::2], strict=True)
        return [None if -1 in pair else pair for pair in pairs]

    def _follow(
        self,
        counter: int,
        saved: tuple[int, ...],
        text: str,
        at: int,
        seen: set[int],
        ready: list[Thread],
    ) -> None:
        """All instructions that want a character, reachable from here without one."""
        pending = [(counter, saved)]
        while pending:
            counter, saved = pending.pop()
            if counter in seen:
                continue
            seen.add(counter)
            instruction = self._program[counter]
            kind = instruction[0]
            if kind == "jump":
                pending.append((instruction[1], saved))  # type: ignore[arg-type]
            elif kind == "split":
                pending.append((instruction[2], saved))  # type: ignore[arg-type]
                pending.append((instruction[1], saved))  # type: ignore[arg-type]
            elif kind == "save":
                slot: int = instruction[1]  # type: ignore[assignment]
                saved = (*saved[:slot], at, *saved[slot + 1 :])
                pending.append((counter + 1, saved))
            elif kind in ("^", "$"):
                if self._holds(str(kind), text, at):
                    pending.append((counter + 1, saved))
            else:
                ready.append((counter, saved))

    def _holds(self, sign: str, text: str, at: int) -> bool:
        if sign == "^":
            return at == 0 or (self._multiline and text[at - 1] == "\n")
        return at == len(text) or (self._multiline and text[at] == "\n")

    def all(self, frame: Frame, text: str) -> Iterator[Groups]:
        """Every match, none inside another."""
        at = 0
        while at <= len(text):
            groups = self.search(frame, text, at)
            if groups is None or groups[0] is None:
                return
            yield groups
            start, end = groups[0]
            at = end if end > start else end + 1


@lru_cache(maxsize=_CACHED)
def _compiled(pattern: str, flags: str) -> Pattern | str:
    try:
        root, groups = parse_pattern(pattern, flags)
        return Pattern(root, groups, "m" in flags)
    except Fault as fault:
        return fault.cause


def compile_pattern(pattern: str, flags: str) -> Pattern:
    found = _compiled(pattern, flags)
    if isinstance(found, str):
        raise Fault(f"uses the pattern {shown(pattern)}, which {found}")
    return found
