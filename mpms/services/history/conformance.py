"""How many of the past instances could have gone their way in another version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from mpms.domain.history.conformance import Misfit, Why
from mpms.domain.models.definitions import Definition
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.history.variants import AT_ONCE, MOST_CASES, MOST_STEPS
from mpms.services.history.window import Window, heads_in, require_cases


@dataclass(frozen=True)
class Reason:
    """Why some of them could not."""

    misfit: Misfit
    count: int
    example: str  # an instance


@dataclass(frozen=True)
class Conformance:
    """Of the instances that began in a window and have ended."""

    version: int  # of a draft: the one that it would become
    fits: int
    reasons: Sequence[Reason]  # the most frequent first
    names: Mapping[str, str]

    @property
    def misfits(self) -> int:
        judged = (r.count for r in self.reasons if r.misfit.why is not Why.UNJUDGED)
        return sum(judged)

    @property
    def unjudged(self) -> int:
        other = (r.count for r in self.reasons if r.misfit.why is Why.UNJUDGED)
        return sum(other)

    @property
    def ended(self) -> int:
        return self.fits + self.misfits + self.unjudged


def check_conformance(
    uow: UnitOfWork,
    engine: Engine,
    window: Window,
    *,
    version: int | None = None,
    xml: bytes | None = None,
    most_cases: int = MOST_CASES,
) -> Conformance:
    """Against a deployed version, the newest without one; or against a draft.

    ProcessUnknown, ModelRefused, WindowTurned, NoCases, TooManyCases.
    """
    require_cases(uow, window, most=most_cases)
    with uow() as tx:
        model = (
            tx.definitions.latest(window.key)
            if version is None
            else tx.definitions.of_version(window.key, version)
        )
    if xml is not None:
        # A name of its own: the engine keeps what it has read by it.
        name = f"draft {sha256(xml).hexdigest()}"
        model = Definition(name, window.key, model.version + 1, model.name, xml)
    found: Counter[Misfit] = Counter()
    examples: dict[Misfit, str] = {}
    names: dict[str, str] = {}
    compared: dict[tuple[tuple[str, ...], bool], Misfit | None] = {}
    fits = 0
    for heads in heads_in(uow, window, at_once=AT_ONCE):
        with uow() as tx:
            definitions = {h.definition_id: None for h in heads}
            for number in definitions:
                steps = engine.steps(tx.definitions.by_id(number))
                names |= {step.id: step.title for step in steps if step.is_activity}
            ended = [head for head in heads if head.ended_at is not None]
            ids = [head.id for head in ended]
            taken = tx.cases.paths(ids, elements=list(names), limit=MOST_STEPS + 1)
        ways = {
            head.id: (
                tuple(taken.get(head.id, ()))[:MOST_STEPS],
                head.status == "completed"
                and len(taken.get(head.id, ())) <= MOST_STEPS,
            )
            for head in ended
        }
        new = list(dict.fromkeys(way for way in ways.values() if way not in compared))
        compared |= dict(zip(new, engine.misfits(model, new), strict=True))
        for instance_id, way in ways.items():
            misfit = compared[way]
            if misfit is None:
                fits += 1
            else:
                found[misfit] += 1
                examples.setdefault(misfit, instance_id)
    names |= {step.id: step.title for step in engine.steps(model)}
    reasons = [Reason(misfit, n, examples[misfit]) for misfit, n in found.most_common()]
    return Conformance(model.version, fits, reasons, names)
