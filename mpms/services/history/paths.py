"""The paths really taken, on the drawing: who came to each step, who took each flow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.history.flow_shares import FlowEnds, FlowShare, flow_shares
from mpms.domain.models.definitions import Definition, ModelStep
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.history.variants import AT_ONCE, MOST_CASES
from mpms.services.history.window import Window, heads_in, require_cases

MOST_LINES = 5_000  # of an instance


@dataclass(frozen=True)
class StepShare:
    """A step, and how many of the instances did it at least once."""

    step: ModelStep
    instances: int
    visits: int
    share: float


@dataclass(frozen=True)
class PathsTaken:
    """Of the instances that began in a window and have ended."""

    ended: int
    steps: Sequence[StepShare]
    flows: Sequence[FlowShare]  # where a step or gateway has several


def find_paths(
    uow: UnitOfWork,
    engine: Engine,
    window: Window,
    shown: Definition,
    *,
    most_cases: int = MOST_CASES,
) -> PathsTaken:
    """ProcessUnknown, WindowTurned, NoCases, TooManyCases."""
    require_cases(uow, window, most=most_cases)
    steps = {step.id: step for step in engine.steps(shown)}
    instances: Counter[str] = Counter()
    visits: Counter[str] = Counter()
    ended = 0
    for heads in heads_in(uow, window, at_once=AT_ONCE):
        ids = [head.id for head in heads if head.ended_at is not None]
        ended += len(ids)
        with uow() as tx:
            taken = tx.cases.paths(ids, elements=list(steps), limit=MOST_LINES)
        for way in taken.values():
            visits.update(way)
            instances.update(set(way))
    found = [
        StepShare(step, instances[name], visits[name], instances[name] / max(ended, 1))
        for name, step in steps.items()
    ]
    ends = [
        FlowEnds(part.id, part.facts["source"], part.facts["target"])
        for part in engine.parts(shown)
        if part.kind == "sequenceFlow"
    ]
    out = Counter(flow.source for flow in ends)
    flows = [flow for flow in flow_shares(ends, visits) if out[flow.source] > 1]
    return PathsTaken(ended, found, flows)
