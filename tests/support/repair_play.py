"""Plays a drawing and lays hands on it, with every promise of a repair checked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import timedelta
from itertools import count
from typing import Any

from mpms.domain.instances.instances import Snapshot
from mpms.domain.instances.steps import (
    CancelActivity,
    Command,
    Complete,
    Fire,
    LiveToken,
    Move,
    SetVariables,
    Skip,
    Start,
    StartAt,
    Step,
)
from mpms.domain.models.definitions import Definition
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_play import Running


class RepairPlay(Running):
    """One instance; after every step the snapshot alone must give the same again."""

    def do(self, command: Command) -> Step:
        return self._took(
            self.engine.advance(self.definition, self.snapshot, command, now=self.now)
        )

    def _took(self, step: Step) -> Step:
        self.snapshot = Snapshot(
            step.snapshot.state, json.loads(json.dumps(step.snapshot.variables))
        )
        if not step.status.ended:
            again = self.engine.waits(self.definition, self.snapshot)
            assert Counter(map(repr, again)) == Counter(map(repr, step.waits))
            assert step.waits, "an active instance waits for something"
        self.step = step
        self.trace += step.trace
        return step

    # -- looking -------------------------------------------------------------------

    @property
    def tokens(self) -> list[LiveToken]:
        return list(self.engine.tokens(self.definition, self.kept))

    def id(self, element: str, number: int = 0) -> str:
        """Of the token on an element; ``number`` counts where there are several."""
        return [t.task_id for t in self.tokens if t.element == element][number]

    # -- acting --------------------------------------------------------------------

    def complete(self, element: str, number: int = 0, **variables: Any) -> Step:
        waits = [w for w in self.step.waits if w.element == element]
        return self.do(Complete(waits[number].task_id, variables))

    def fire(self, element: str) -> Step:
        wait: Any = next(w for w in self.step.waits if w.element == element)
        self.now = max(self.now, wait.due_at)
        return self.do(Fire(wait.task_id))

    def skip(self, element: str, number: int = 0, **variables: Any) -> Step:
        return self.do(Skip(self.id(element, number), variables))

    def move(self, element: str, to: str, number: int = 0) -> Step:
        return self.do(Move(self.id(element, number), to))

    def cancel(self, element: str, number: int = 0) -> Step:
        return self.do(CancelActivity(self.id(element, number)))

    def set(self, *removed: str, **variables: Any) -> Step:
        return self.do(SetVariables(variables, removed))

    def later(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)

    def migrate(self, xml: bytes, **renamed: str) -> Step:
        new = self._newer(xml)
        step = self.engine.migrate(
            self.definition, new, self.kept, renamed, now=self.now
        )
        self.definition = new
        return self._took(step)

    def obstacles(self, xml: bytes, **renamed: str) -> str:
        new = self._newer(xml)
        return " ".join(self.engine.obstacles(self.definition, new, self.kept, renamed))

    def _newer(self, xml: bytes) -> Definition:
        assert self.engine.check(xml) == []
        return Definition(hashlib.sha256(xml).hexdigest(), "process", 2, "", xml)


class RepairPlayer:
    """Starts an instance of a drawing, at its start or elsewhere."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(
        self, xml: bytes, *, at: tuple[str, ...] = (), **variables: Any
    ) -> RepairPlay:
        engine = SpiffEngine()
        assert engine.check(xml) == []
        digest = f"digest {next(self._numbers)}"
        played = RepairPlay(engine, Definition(digest, "process", 1, "", xml))
        played.do(StartAt(at, variables) if at else Start(variables))
        return played
