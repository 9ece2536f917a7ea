"""Random block models against an interpreter that knows nothing of tokens.

The interpreter walks the blocks a model was drawn from: a block is entered, holds
open tasks, and is over. The engine gets the drawing and goes through bytes at every
step. After each completion both must have the same open tasks.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player
from tests.support.seeds import seeds

pytestmark = pytest.mark.covers("A3")

MODELS = 240
BATCHES = 12
MOST_STEPS = 60


@dataclass
class Block:
    """``kind`` is task, seq, xor, and, or, loop or sub; a seq may be empty."""

    kind: str
    id: str = ""
    parts: "list[Block]" = field(default_factory=list)
    # xor, or: one flag for each part but the last, the default; loop: one flag
    flags: list[str] = field(default_factory=list)


class Inventor:
    """Makes random blocks with ids and flags that are used once."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.numbers = count()
        self.flags: list[str] = []

    def flag(self) -> str:
        self.flags.append(f"flag{len(self.flags)}")
        return self.flags[-1]

    def task(self) -> Block:
        return Block("task", f"task{next(self.numbers)}")

    def block(self, depth: int) -> Block:
        kinds = ["task"] * 3 + ["seq", "xor", "and", "or", "loop", "sub"] * depth
        kind = self.chance.choice(kinds)
        if kind == "task":
            return self.task()
        id_ = f"{kind}{next(self.numbers)}"
        if kind == "seq":
            size = self.chance.randint(0, 3)
            return Block("seq", id_, [self.block(depth - 1) for _ in range(size)])
        if kind == "sub":
            return Block("sub", id_, [self.block(depth - 1)])
        if kind == "loop":  # a task in it, so that no loop runs without waiting
            body = Block("seq", f"{id_}_body", [self.task(), self.block(depth - 1)])
            return Block("loop", id_, [body], [self.flag()])
        parts = [self.block(depth - 1) for _ in range(self.chance.randint(2, 3))]
        flags = [] if kind == "and" else [self.flag() for _ in parts[1:]]
        return Block(kind, id_, parts, flags)


class Pencil:
    """Draws a block as lines between two ids."""

    def __init__(self, draw: Drawing) -> None:
        self.draw = draw

    def whole(self, block: Block) -> bytes:
        lines, subs = self.scope(block, "")
        result: bytes = self.draw(*lines, **subs)
        return result

    def scope(self, block: Block, name: str) -> tuple[list[str], dict[str, Any]]:
        subs: dict[str, Any] = {}
        start, end = f"start_{name}", f"end_{name}"
        return self.lines(block, start, "", end, subs), subs

    def lines(
        self, block: Block, before: str, mark: str, after: str, subs: dict[str, Any]
    ) -> list[str]:
        """The lines of a block between two elements.

        ``mark`` is what stands on the first flow, such as a condition.
        """
        if block.kind == "seq":
            if not block.parts:
                return [f"{before} -> {after}{mark}"]
            lines: list[str] = []
            for number, part in enumerate(block.parts):
                last = number == len(block.parts) - 1
                meet = after if last else f"xor_{block.id}_{number}"
                lines += self.lines(part, before, mark, meet, subs)
                before, mark = meet, ""
            return lines
        if block.kind in ("task", "sub"):
            if block.kind == "sub":
                inner, inner_subs = self.scope(block.parts[0], block.id)
                subs[block.id] = self.draw.sub(*inner, **inner_subs)
            return [f"{before} -> {block.id}{mark}", f"{block.id} -> {after}"]
        if block.kind == "loop":
            head, tail = f"xor_{block.id}_in", f"xor_{block.id}_out"
            return [
                f"{before} -> {head}{mark}",
                *self.lines(block.parts[0], head, "", tail, subs),
                f"{tail} -> {head} if {block.flags[0]}",
                f"{tail} -> {after} otherwise",
            ]
        fork, join = f"{block.kind}_{block.id}_in", f"{block.kind}_{block.id}_out"
        lines = [f"{before} -> {fork}{mark}", f"{join} -> {after}"]
        for number, part in enumerate(block.parts):
            mark = ""
            if number < len(block.flags):
                mark = f" if {block.flags[number]}"
            elif block.flags:
                mark = " otherwise"
            lines += self.lines(part, fork, mark, join, subs)
        return lines


class Course:
    """One run of a block: a tree of what has been entered and is not over."""

    def __init__(self, block: Block, flags: dict[str, bool]) -> None:
        self.block, self.flags = block, flags
        self.at = 0
        self.inner: list[Course] = []
        if block.kind == "and":
            self._enter(*block.parts)
        elif block.kind == "or":
            *guarded, default = block.parts
            chosen = [
                part
                for part, flag in zip(guarded, block.flags, strict=True)
                if flags[flag]
            ]
            self._enter(*(chosen or [default]))
        elif block.kind == "xor":
            *guarded, default = block.parts
            guards = zip(guarded, block.flags, strict=True)
            self._enter(next((p for p, flag in guards if flags[flag]), default))
        else:
            self._go_on()
        self.open = block.kind == "task"

    def _enter(self, *parts: Block) -> None:
        self.inner += [Course(part, self.flags) for part in parts]
        self.inner = [course for course in self.inner if not course.over]

    def _go_on(self) -> None:
        """Enter parts until one holds; a loop comes round when its flag says so."""
        parts = self.block.parts
        while not self.inner and parts:
            if self.at == len(parts):
                again = self.block.kind == "loop" and self.flags[self.block.flags[0]]
                if not again:
                    return
                self.at = 0
            self.at += 1
            self._enter(parts[self.at - 1])

    @property
    def over(self) -> bool:
        return not self.inner and not self.open

    def tasks(self) -> list[str]:
        if self.open:
            return [self.block.id]
        return [task for course in self.inner for task in course.tasks()]

    def complete(self, task: str) -> None:
        if self.open and self.block.id == task:
            self.open = False
        for course in self.inner:
            course.complete(task)
        waited = bool(self.inner)
        self.inner = [course for course in self.inner if not course.over]
        if waited and self.block.kind in ("seq", "loop", "sub"):
            self._go_on()


def size(block: Block) -> int:
    return 1 + sum(map(size, block.parts))


@pytest.mark.parametrize("batch", seeds(BATCHES, 3))
def test_the_engine_and_an_independent_interpreter_have_the_same_open_tasks(
    draw: Drawing, play: Player, batch: int
) -> None:
    for number in range(MODELS // BATCHES):
        seed = batch * 1000 + number
        print("seed", seed)
        chance = random.Random(seed)
        inventor = Inventor(chance)
        parts = [inventor.block(3) for _ in range(chance.randint(1, 3))]
        block = Block("seq", "whole", parts)
        flags = {flag: chance.random() < 0.5 for flag in inventor.flags}
        run = play(Pencil(draw).whole(block), dict(flags))
        course = Course(block, flags)
        for _ in range(MOST_STEPS):
            assert Counter(run.open) == Counter(course.tasks())
            assert run.stuck == {}
            assert run.done is course.over
            if course.over:
                break
            task = chance.choice(sorted(course.tasks()))
            changed = {
                flag: chance.random() < 0.4
                for flag in chance.sample(inventor.flags, min(3, len(inventor.flags)))
            }
            flags.update(changed)
            course.complete(task)
            run.complete(task, **changed)


def test_the_random_models_hold_every_kind_of_block_and_run_for_a_while() -> None:
    """Otherwise the comparison above would show little."""
    kinds: Counter[str] = Counter()
    for batch in range(BATCHES):
        for number in range(MODELS // BATCHES):
            chance = random.Random(batch * 1000 + number)
            inventor = Inventor(chance)
            blocks = [inventor.block(3) for _ in range(chance.randint(1, 3))]
            while blocks:
                block = blocks.pop()
                kinds[block.kind] += 1
                blocks += block.parts
    for kind in ("seq", "xor", "and", "or", "loop", "sub"):
        assert kinds[kind] > 100
