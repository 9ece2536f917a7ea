"""Random models of nested scopes with events around them, played at random.

No interpreter says what must happen; what is checked holds for every model: a command
that the engine offers is accepted, an instance that is active can be moved, every
activity that is entered is left or cancelled exactly once, and it all ends.
"""

import random
from collections import Counter
from itertools import count
from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.instances.steps import (
    CallWait,
    Complete,
    Escalate,
    EventWait,
    Fail,
    Fire,
    JobWait,
    StuckWait,
    TimerWait,
)
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player
from tests.support.seeds import seeds

pytestmark = pytest.mark.covers("A3")

BATCHES = 8
MODELS = 10
MOST_STEPS = 40
CODES = ("Jam", "Fire")


class Inventor:
    """Draws random scopes; every id is used once."""

    def __init__(self, draw: Drawing, chance: random.Random) -> None:
        self.draw, self.chance = draw, chance
        self.numbers = count()
        self.activities: set[str] = set()

    def name(self, kind: str) -> str:
        return f"{kind}{next(self.numbers)}"

    def scope(
        self, depth: int, begin: str | None = None
    ) -> tuple[list[str], dict[str, Any]]:
        """A line of activities with borders, and event subprocesses beside it."""
        elements: dict[str, Any] = {}
        line = [begin or self.name("start_")]
        lines: list[str] = []
        for _ in range(self.chance.randint(1, 3)):
            id_, drawn = self.activity(depth)
            elements[id_] = drawn
            line.append(id_)
            self.borders(id_, elements, lines)
            if self.chance.random() < 0.25:
                event = self.name("throw")
                line.append(event)
                elements[event] = self.thrown()
        end = self.name("end_")
        elements[end] = self.ending()
        lines.append(" -> ".join([*line, end]))
        for _ in range(self.chance.choice((0, 0, 1, 2)) if depth else 0):
            self.event_subprocess(depth, elements)
        return lines, elements

    def activity(self, depth: int) -> tuple[str, Any]:
        kind = self.chance.choice(["user", "job", "call", "sub", "sub"])
        id_ = self.name("task")
        self.activities.add(id_)
        loop = ""
        if self.chance.random() < 0.2:
            loop = self.draw.times("2", sequential=self.chance.random() < 0.5)
        if kind == "sub" and depth:
            lines, elements = self.scope(depth - 1)
            return id_, self.draw.sub(*lines, loop=loop, **elements)
        if kind == "job":
            return id_, self.draw.service("work", loop=loop)
        if kind == "call":
            return id_, self.draw.call("other", loop=loop)
        return id_, self.draw.user(loop=loop)

    def trigger(self) -> tuple[dict[str, Any], bool]:
        """What an event waits for, and whether it may leave its scope running."""
        kind = self.chance.choice(
            ["signal", "message", "timer", "error", "escalation", "conditional"]
        )
        values = {
            "signal": "s",
            "message": "m",
            "timer": "PT1M",
            "error": self.chance.choice((*CODES, None)),
            "escalation": self.chance.choice((*CODES, None)),
            "conditional": f"${{n % {self.chance.randint(2, 5)} == 1}}",
        }
        return {kind: values[kind]}, kind != "error" and self.chance.random() < 0.5

    def borders(self, host: str, elements: dict[str, Any], lines: list[str]) -> None:
        caught: set[tuple[str, str | None]] = set()
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            trigger, beside = self.trigger()
            if self.is_rival(trigger, caught):
                continue
            edge, after = self.name("edge"), self.name("task")
            self.activities.add(after)
            elements[edge] = self.draw.border(host, interrupting=not beside, **trigger)
            lines.append(f"{edge} -> {after}")
        if self.chance.random() < 0.4:
            edge, handler = self.name("edge"), self.name("task")
            self.activities.add(handler)
            elements[edge] = self.draw.border(host, compensate=handler)
            elements[handler] = self.draw.undo()

    @staticmethod
    def is_rival(trigger: dict[str, Any], caught: set[tuple[str, str | None]]) -> bool:
        ((kind, value),) = trigger.items()
        if kind not in ("error", "escalation"):
            return False
        known = (kind, value) in caught
        caught.add((kind, value))
        return known

    def event_subprocess(self, depth: int, elements: dict[str, Any]) -> None:
        trigger, beside = self.trigger()
        begun = Counter(
            str(kind_and_code)
            for drawn in elements.values()
            for start in drawn.inner[1].values()
            if drawn.attributes.get("triggeredByEvent") and start.tag == "startEvent"
            for kind_and_code in start.triggers.items()
        )
        if begun[str(next(iter(trigger.items())))]:
            return
        id_, begin = self.name("task"), self.name("begin")
        self.activities.add(id_)
        lines, inner = self.scope(depth - 1, begin)
        inner[begin] = self.draw.begin(interrupting=not beside, **trigger)
        elements[id_] = self.draw.on(*lines, **inner)

    def thrown(self) -> Any:
        kind = self.chance.choice(["escalation", "escalation", "compensate", "signal"])
        value = {"escalation": self.chance.choice(CODES), "signal": "s"}.get(kind)
        about = {}
        if kind == "compensate" and self.chance.random() < 0.3:
            about = {"waitForCompletion": "false"}
        return self.draw.throw(about=about, **{kind: value})

    def ending(self) -> Any:
        kind = self.chance.choice(
            ["", "", "", "terminate", "error", "escalation", "compensate"]
        )
        if not kind:
            return self.draw.end()
        code = self.chance.choice(CODES) if kind in ("error", "escalation") else None
        trigger: dict[str, Any] = {kind: code}
        return self.draw.end(**trigger)


def move(run: Play, chance: random.Random) -> None:
    wait = chance.choice(run.step.waits)
    if isinstance(wait, StuckWait):
        raise AssertionError(wait)
    if isinstance(wait, TimerWait):
        run.now = max(run.now, wait.due_at)
        run.do(Fire(wait.task_id))
    elif isinstance(wait, EventWait):
        run.receive_at(wait.task_id, n=chance.randint(0, 9))
    elif isinstance(wait, CallWait) and chance.random() < 0.3:
        run.do(Escalate(wait.task_id, chance.choice(CODES), {}))
    elif isinstance(wait, CallWait | JobWait) and chance.random() < 0.3:
        if not run.do(Fail(wait.task_id, chance.choice(CODES))).caught:
            run.do(Complete(wait.task_id))
    else:
        run.do(Complete(wait.task_id, {"n": chance.randint(0, 9)}))


def finish(run: Play) -> None:
    """Complete what is work and leave events alone: then a model must end."""
    for _ in range(3000):
        if run.status.ended:
            return
        work = [w for w in run.step.waits if not isinstance(w, TimerWait | EventWait)]
        assert work, run.step.waits
        run.do(Complete(work[0].task_id))
    raise AssertionError("it does not end")


def each_once(run: Play, activities: set[str]) -> None:
    ways: Counter[str | None] = Counter()
    entered: set[str | None] = set()
    for line in run.trace:
        if line.element not in activities:
            continue
        if line.kind == "entered":
            assert line.task_id not in entered
            entered.add(line.task_id)
        elif line.kind in ("left", "cancelled"):
            ways[line.task_id] += 1
    assert set(ways) == entered
    assert set(ways.values()) <= {1}


@pytest.mark.parametrize("batch", seeds(BATCHES, 3))
def test_random_models_with_events_around_their_scopes(
    draw: Drawing, play: Player, batch: int
) -> None:
    for number in range(MODELS):
        seed = batch * 1000 + number
        print(f"seed {seed}")
        chance = random.Random(seed)
        inventor = Inventor(draw, chance)
        lines, elements = inventor.scope(3)
        run = play(draw(*lines, **elements), {"n": 0})
        for _ in range(MOST_STEPS):
            if run.status.ended or not run.step.waits:
                break
            move(run, chance)
        finish(run)
        assert run.status in (InstanceStatus.COMPLETED, InstanceStatus.FAILED)
        each_once(run, inventor.activities)
