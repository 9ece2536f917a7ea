"""Random structured models: the engine against a token game that knows another way.

The engine is played twice, once through bytes after every command and once
with everything kept in memory. After each command all three must wait at the same
places; at the end every element must have been passed equally often, so no token was
lost or doubled.
"""

import random
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import (
    Complete,
    EventWait,
    FormWait,
    Receive,
    Start,
    Step,
)
from mpms.domain.models.definitions import Definition
from mpms.engine import codec
from mpms.engine.runner import SpiffEngine
from tests.support.random_models import BLOCKS, RandomModel
from tests.support.token_game import Game

MODELS = 520
BATCHES = 13
MOST_COMMANDS = 40
NOW = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)


class Played:
    """The engine's side; ``waits`` pairs elements with the ids of their tasks."""

    def __init__(
        self, engine: SpiffEngine, definition: Definition, flags: dict[str, bool]
    ) -> None:
        self.engine, self.definition = engine, definition
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


def compare(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[RandomModel, int]:
    print("seed", seed)
    chance = random.Random(seed)
    drawing = RandomModel(chance)
    begun = {flag: chance.random() < 0.5 for flag in drawing.flags}
    flags = dict(begun)
    engine, xml = SpiffEngine(), drawing.xml()
    assert engine.check(xml) == []
    definition = Definition("game", "game", 1, "", xml)
    game, played = Game(drawing, flags), Played(engine, definition, flags)
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
    _play_in_memory(begun, script, played, monkeypatch)
    return drawing, len(script)


def _play_in_memory(
    flags: dict[str, bool],
    script: list[tuple[str, dict[str, bool]]],
    reloaded: Played,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = KeptInMemory()
    with monkeypatch.context() as patched:
        patched.setattr(codec, "dump", memory.dump)
        patched.setattr(codec, "load", memory.load)
        kept = Played(reloaded.engine, reloaded.definition, flags)
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
            kinds += RandomModel(random.Random(batch * 1000 + number)).kinds
    assert sum(1 for _ in range(MODELS)) >= 500
    assert {kind: n for kind, n in kinds.items() if n < 50} == {}
    assert set(kinds) == {"task", *BLOCKS.split()}
