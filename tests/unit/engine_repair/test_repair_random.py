"""Random structured models under random repairs.

Whatever an operator does, the instance can be written and read again, an active one
waits for something, no scope is left without a token in it, and a refusal changes
nothing. Play checks the first two after every step.
"""

import random
from collections import Counter
from itertools import count

import pytest

from mpms.domain.errors import ElementUnknown, MpmsError, RepairRefused
from mpms.domain.instances.steps import (
    CancelActivity,
    Command,
    Complete,
    Move,
    Receive,
    Retry,
    SetVariables,
    Skip,
)
from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlay, RepairPlayer
from tests.support.seeds import seeds

MODELS, BATCHES, STEPS = 160, 8, 25


class Inventor:
    """Draws random blocks between two elements."""

    def __init__(self, draw: RepairDrawing, chance: random.Random) -> None:
        self.draw, self.chance, self.numbers = draw, chance, count()
        self.ids: list[str] = []

    def new(self, kind: str) -> str:
        id_ = f"{kind}_{next(self.numbers)}"
        self.ids.append(id_)
        return id_

    def scope(self, depth: int) -> tuple[list[str], dict[str, str]]:
        elements: dict[str, str] = {}
        start, end = self.new("start"), self.new("end")
        if self.chance.random() < 0.3:
            id_, task = self.new("on"), self.new("task")
            elements[id_] = self.draw.on(
                id_,
                self.draw.signal,
                f"start_{id_} -> {task} -> end_{id_}",
                cancels=self.chance.random() < 0.5,
            )
            self.ids.append(f"start_{id_}")
        return self.block(depth, start, end, elements), elements

    def block(
        self, depth: int, before: str, after: str, elements: dict[str, str]
    ) -> list[str]:
        kinds = ["task"] if depth < 1 else ["seq", "and", "or", "sub", "each"]
        kind = self.chance.choice(kinds)
        if kind == "seq":
            meet = self.new("xor")
            return [
                *self.block(depth - 1, before, meet, elements),
                *self.block(depth - 1, meet, after, elements),
            ]
        if kind in ("and", "or"):
            fork, join = self.new(kind), self.new(kind)
            lines = [f"{before} -> {fork}", f"{join} -> {after}"]
            for _ in range(2):
                lines += self.branch(kind, depth - 1, fork, join, elements)
            return lines
        id_ = self.new("task" if kind in ("task", "each") else "sub")
        loop = self.draw.each("items", "item", one_by_one=self.chance.random() < 0.5)
        if kind == "each":
            elements[id_] = self.draw.user(id_, loop)
        elif kind == "sub":
            lines, inner = self.scope(depth - 1)
            inside = loop if self.chance.random() < 0.3 else ""
            elements[id_] = self.draw.sub(id_, *lines, inside=inside, **inner)
        lines = [f"{before} -> {id_} -> {after}"]
        if self.chance.random() < 0.3:
            edge, end = self.new("edge"), self.new("end")
            elements[edge] = self.draw.edge(
                edge, id_, self.draw.signal, cancels=self.chance.random() < 0.5
            )
            lines.append(f"{edge} -> {end}")
        return lines

    def branch(
        self, kind: str, depth: int, fork: str, join: str, elements: dict[str, str]
    ) -> list[str]:
        first = self.new("task")
        mark = " if items != []" if kind == "or" else ""
        return [
            f"{fork} -> {first}{mark}",
            *self.block(depth, first, join, elements),
        ]


def whole(run: RepairPlay) -> None:
    """Scopes hold tokens, watchers watch somebody, ids are unique."""
    tokens = run.tokens
    ids = Counter(token.task_id for token in tokens)
    assert set(ids.values()) <= {1}
    holders = {token.inside for token in tokens}
    for token in tokens:
        assert token.inside is None or token.inside in ids
        if token.element.startswith("sub") and token.state == "waiting":
            assert token.task_id in holders
    if not run.status.ended:
        assert any(token.state != "watching" for token in tokens)


@pytest.mark.parametrize("batch", seeds(BATCHES, 2))
def test_no_repair_loses_an_instance(
    draw: RepairDrawing, play: RepairPlayer, batch: int
) -> None:
    for number in range(MODELS // BATCHES):
        seed = batch * 1000 + number
        print("seed", seed)
        chance = random.Random(seed)
        inventor = Inventor(draw, chance)
        lines, elements = inventor.scope(3)
        run = play(draw(*lines, **elements), items=[1, 2])
        for _ in range(STEPS):
            if run.status.ended:
                break
            token = chance.choice(run.tokens)
            target = chance.choice([*inventor.ids, "nowhere"])
            commands: list[Command] = [
                Move(token.task_id, target),
                Move(token.task_id, target),
                Skip(token.task_id, {"n": chance.random()}),
                CancelActivity(token.task_id),
                SetVariables({"local": 1}, task_id=token.task_id),
                Complete(token.task_id),
                Retry(token.task_id),
                Receive(token.task_id),
            ]
            command = chance.choice(commands)
            before = run.snapshot
            try:
                run.do(command)
            except (RepairRefused, ElementUnknown):
                assert run.snapshot is before
            except MpmsError:
                assert isinstance(command, Complete | Retry | Receive)
            whole(run)


def test_random_repairs_do_move_skip_and_cancel(
    draw: RepairDrawing, play: RepairPlayer
) -> None:
    """Otherwise the test above would show little."""
    kinds: Counter[str] = Counter()
    for seed in range(40):
        chance = random.Random(seed)
        inventor = Inventor(draw, chance)
        lines, elements = inventor.scope(3)
        run = play(draw(*lines, **elements), items=[1, 2])
        for _ in range(STEPS):
            if run.status.ended:
                break
            token = chance.choice(run.tokens)
            try:
                run.do(Move(token.task_id, chance.choice(inventor.ids)))
            except (RepairRefused, ElementUnknown) as refused:
                kinds[type(refused).__name__] += 1
        kinds.update(line.kind for line in run.trace)
    for kind in ("moved", "cancelled", "entered", "RepairRefused", "ElementUnknown"):
        assert kinds[kind] > 20


@pytest.mark.parametrize("batch", seeds(4))
def test_a_migrated_run_goes_on_as_one_that_was_not(
    draw: RepairDrawing, play: RepairPlayer, batch: int
) -> None:
    """Every task has another name in the new version; half-way all are carried over."""
    for number in range(20):
        seed = 90_000 + batch * 1000 + number
        print("seed", seed)
        chance = random.Random(seed)
        inventor = Inventor(draw, chance)
        lines, elements = inventor.scope(3)
        xml = draw(*lines, **elements)
        renamed = {i: i.replace("task", "weigh") for i in inventor.ids if "task" in i}
        stays, goes = play(xml, items=[1, 2]), play(xml, items=[1, 2])
        change_at = chance.randint(0, 6)
        for step in range(60):
            if step == change_at and not goes.status.ended:
                ids = sorted(w.task_id for w in goes.step.waits)
                goes.migrate(xml.replace(b"task_", b"weigh_"), **renamed)
                assert goes.step.opened == goes.step.closed == ()
                assert sorted(w.task_id for w in goes.step.waits) == ids
            names = renamed if step >= change_at else {}
            assert goes.status is stays.status
            if goes.status.ended:
                break
            assert goes.open == sorted(names.get(i, i) for i in stays.open)
            tasks = [i for i in stays.open if i.startswith("task")]
            chosen = chance.choice(tasks)
            stays.complete(chosen)
            goes.complete(names.get(chosen, chosen))
