"""Every tiny model gives the token trace that stands beside it (see README.md)."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.steps import (
    Command,
    Complete,
    Escalate,
    EventWait,
    Fail,
    Fire,
    Receive,
    Retry,
    Start,
    Step,
    StuckWait,
    TimerWait,
    Wait,
)
from mpms.domain.models.definitions import Definition
from mpms.engine.runner import SpiffEngine

HERE = Path(__file__).parent
MODELS = sorted(HERE.glob("*.bpmn"))
MORNING = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)


@dataclass
class Run:
    """One instance, read from its bytes before every command."""

    engine: SpiffEngine
    definition: Definition
    now: datetime = MORNING
    snapshot: Snapshot | None = None
    status: InstanceStatus = InstanceStatus.ACTIVE
    waits: list[Wait] = field(default_factory=list)
    error: tuple[str, str] | None = None
    turns: dict[str, int] = field(default_factory=dict)  # task id -> turn

    def give(self, command: Command) -> Step:
        before = self.snapshot
        step = self.engine.advance(
            self.definition, before, command, now=self.now, business_key="MO-1"
        )
        self.snapshot, self.status = step.snapshot, step.status
        self.waits, self.error = list(step.waits), step.error
        for line in step.trace:
            if line.task_id and "turn" in line.data:
                self.turns[line.task_id] = line.data["turn"]
        return step

    def named(self, name: str) -> Wait:
        """The first that waits at an element; ``a.1``: in its second turn."""
        element, _, turn = name.partition(".")
        found = [w for w in self.waits if w.element == element]
        if turn:
            of_turn = [w for w in found if self.turns.get(w.task_id) == int(turn)]
            found = of_turn or found[int(turn) : int(turn) + 1]
        assert found, f"nothing waits at {name}, only {self.waiting()}"
        return found[0]

    def waiting(self) -> list[str]:
        if self.status is InstanceStatus.FAILED:
            assert self.error is not None
            return ["failed", self.error[0]]
        if self.status is not InstanceStatus.ACTIVE:
            return [self.status.value]
        return sorted(
            f"stuck:{w.element}" if isinstance(w, StuckWait) else w.element
            for w in self.waits
        )


def command_of(run: Run, words: list[str]) -> Command:
    verb, *rest = words
    variables = {
        name: json.loads(text)
        for name, _, text in (w.partition("=") for w in rest if "=" in w)
    }
    names = [w for w in rest if "=" not in w]
    if verb == "start":
        return Start(variables, at=names[1] if names else None)
    wait = run.named(names[0])
    if isinstance(wait, TimerWait) and verb == "fire":
        run.now = max(run.now, wait.due_at)
    made: dict[str, Command] = {
        "complete": Complete(wait.task_id, variables),
        "receive": Receive(wait.task_id, variables),
        "fire": Fire(wait.task_id),
        "retry": Retry(wait.task_id),
    }
    if verb == "fail":
        return Fail(wait.task_id, names[1], " ".join(names[2:]))
    if verb == "escalate":
        return Escalate(wait.task_id, names[1], variables)
    return made[verb]


def happened(step: Step) -> Iterator[str]:
    if not step.caught:
        yield "uncaught"
    for line in step.trace:
        turn = line.data.get("turn")
        place = f"{line.element}.{turn}" if turn is not None else str(line.element)
        if line.kind == "left":
            yield place
        elif line.kind == "cancelled":
            yield f"x:{place}"
        elif line.kind == "thrown" and line.data["kind"] in ("signal", "message"):
            yield f"thrown:{line.data['event']}"


def split_words(text: str) -> list[str]:
    """Words, with quotes kept: they are JSON."""
    reader = shlex.shlex(text, posix=False, punctuation_chars=False)
    reader.whitespace_split, reader.commenters = True, ""
    return list(reader)


def check(run: Run, verb: str, rest: str) -> None:
    name, _, wanted = (part.strip() for part in rest.partition(" = "))
    assert run.snapshot is not None
    if verb == "expect":
        assert run.snapshot.variables[name] == json.loads(wanted)
    elif verb == "absent":
        assert name not in run.snapshot.variables
    elif verb == "inputs":
        inputs: Any = run.named(name)
        assert inputs.inputs == json.loads(wanted)
    else:
        event = run.named(name)
        assert isinstance(event, EventWait)
        assert event.correlation == wanted


def play(run: Run, text: str) -> None:
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        verb = line.split()[0]
        if verb in ("expect", "absent", "inputs", "key"):
            check(run, verb, line.partition(" ")[2])
            continue
        command, _, outcome = line.partition(" : ")
        done, _, waiting = outcome.partition("|")
        step = run.give(command_of(run, split_words(command)))
        if done.strip() != "*":
            assert Counter(happened(step)) == Counter(done.split()), line
        if waiting.strip() == "stuck:*":
            assert [w for w in run.waits if isinstance(w, StuckWait)], line
        else:
            assert run.waiting() == waiting.split(), line


@pytest.mark.covers("A3")
@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_a_tiny_model_gives_the_token_trace_beside_it(model: Path) -> None:
    xml = model.read_bytes()
    engine = SpiffEngine()
    assert engine.check(xml) == []
    definition = Definition(model.stem, model.stem, 1, "", xml)
    play(Run(engine, definition), model.with_suffix(".trace").read_text())


def test_there_are_at_least_150_models_and_each_has_its_trace() -> None:
    assert len(MODELS) >= 150
    assert {p.stem for p in MODELS} == {p.stem for p in HERE.glob("*.trace")}
