"""Which paths instances of a process really took, and how many took each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mpms.domain.history.variants import Path, Variant, variants_of
from mpms.domain.models.definitions import ModelStep
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.history.export import model_of
from mpms.services.history.window import Window, heads_in, require_cases

MOST_CASES = 20_000
MOST_STEPS = 500  # of a path; a longer one says that it is cut
AT_ONCE = 500


@dataclass(frozen=True)
class Variants:
    """Of the instances that began in a window and have ended."""

    ranked: Sequence[Variant]
    names: Mapping[str, str]  # of the elements, as the newest instances call them
    ended: int
    running: int  # began in the window, too, and have no path yet


def find_variants(
    uow: UnitOfWork, engine: Engine, window: Window, *, most_cases: int = MOST_CASES
) -> Variants:
    """ProcessUnknown, WindowTurned, NoCases, TooManyCases."""
    require_cases(uow, window, most=most_cases)
    reading = _Reading(uow, engine, window)
    ranked = variants_of(reading.paths())
    names = {step.id: step.title for step in reading.activities.values()}
    return Variants(ranked, names, reading.ended, reading.running)


class _Reading:
    def __init__(self, uow: UnitOfWork, engine: Engine, window: Window) -> None:
        self.uow, self.engine, self.window = uow, engine, window
        self.activities: dict[str, ModelStep] = {}
        self.known: set[int] = set()  # definitions
        self.ended = self.running = 0

    def paths(self) -> Iterator[Path]:
        for heads in heads_in(self.uow, self.window, at_once=AT_ONCE):
            with self.uow() as tx:
                for definition_id in {h.definition_id for h in heads} - self.known:
                    self.known.add(definition_id)
                    model = model_of(tx, self.engine, definition_id)
                    self.activities |= {
                        name: step for name, step in model.items() if step.is_activity
                    }
                ids = [head.id for head in heads if head.ended_at is not None]
                taken = tx.cases.paths(
                    ids, elements=list(self.activities), limit=MOST_STEPS + 1
                )
            self.ended += len(ids)
            self.running += len(heads) - len(ids)
            for head in heads:
                if head.ended_at is not None:
                    way = taken.get(head.id, ())
                    lasted_s = (head.ended_at - head.started_at).total_seconds()
                    yield Path(
                        head.id,
                        tuple(way[:MOST_STEPS]),
                        len(way) > MOST_STEPS,
                        lasted_s,
                    )
