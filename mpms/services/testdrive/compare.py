"""Drive a new version and the present one through the same arrivals, and compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mpms.domain.models.definitions import ModelStep
from mpms.domain.testdrive import scenario as given
from mpms.domain.testdrive.report import Driven, Note, Report, Run, StepTime, median_of
from mpms.ports.clock import Clock
from mpms.ports.engine import Engine
from mpms.ports.store import UnitOfWork
from mpms.services.testdrive.ask import NONE_RECORDED, Asked, Prepared, prepare
from mpms.services.testdrive.drive import Drivable, MakeStore, VirtualRun
from mpms.services.testdrive.stand import Plant

Progress = Callable[[int, int], None]  # arrivals driven, of how many

NOT_SIMULATED = (
    Note("Shifts, breaks and absence: people are there all the time."),
    Note("Workers that are not ours: their past times and results are taken."),
    Note("Jobs that fail, unless they fail by what the model gives them."),
    Note("Messages and signals from outside that a process only listens for."),
)
TOPIC = "No worker of ours serves “{topic}”: {step} takes about {seconds} s."
UNKNOWN = "Too few times of {step} are known: it takes about {seconds} s."
FORM = "Too few have filled in {step}: it takes about {seconds} s."
ANSWER = "No answer of {step} is known: defaults and first choices of its form."
EVENT = "{step} waits for what comes from outside: it comes after about {seconds} s."
SILENT = "{step} listens for what does not come in a test-drive."
GROUP = "Nobody is in the group {group}: one person was assumed."

ASSUMED = (NONE_RECORDED, TOPIC, UNKNOWN, FORM, ANSWER, EVENT, SILENT, GROUP)


def compare_versions(
    uow: UnitOfWork,
    engine: Engine,
    plant: Plant,
    make_store: MakeStore,
    asked: Asked,
    *,
    clock: Clock,
    progress: Progress = lambda done, of: None,
    models: dict[str, bytes] | None = None,
) -> Report:
    """NotDrivable, Refused, ProcessUnknown, NeverEnds."""
    began_s = time.monotonic()
    ready = prepare(uow, engine, plant, asked, now=clock.now())
    if models is not None:
        models["new"] = ready.new.definition.xml
        if ready.present is not None:
            models["present"] = ready.present.definition.xml
    drive = _Drive(engine, make_store, ready, progress)
    new = drive.version(ready.new)
    present = None if ready.present is None else drive.version(ready.present)
    return Report(
        ready.new.definition.key,
        len(ready.scenario.arrivals),
        ready.scenario.source,
        ready.scenario.seeds,
        new,
        present,
        drive.times(),
        [*ready.assumed, *drive.assumed()],
        [*NOT_SIMULATED, *ready.plant.notes],
        time.monotonic() - began_s,
        ready.plant.floor,
    )


class _Drive:
    def __init__(
        self,
        engine: Engine,
        make_store: MakeStore,
        ready: Prepared,
        progress: Progress,
    ) -> None:
        self._engine, self._make_store = engine, make_store
        self._ready, self._progress = ready, progress
        versions = 1 if ready.present is None else 2
        scenario = ready.scenario
        self._all = versions * len(scenario.seeds) * len(scenario.arrivals)
        self._done = 0
        self._defaults: set[str] = set()
        self._silent: set[str] = set()
        self._groups: set[str] = set()
        self._visited: set[str] = set()
        self._ours: set[str] = set()  # steps whose topic a worker of ours serves

    def version(self, version: Drivable) -> Driven:
        return Driven(
            version.title,
            [self._run(version, seed) for seed in self._ready.scenario.seeds],
        )

    def _run(self, version: Drivable, seed: int) -> Run:
        before = self._done
        run = VirtualRun(
            version,
            self._ready.scenario,
            seed,
            self._engine,
            self._make_store,
            self._ready.plant.hooks,
            self._ready.plant.stand(),
            self._ready.begin_at,
            progress=lambda done, of: self._progress(before + done, self._all),
        )
        result = run.drive()
        self._done = before + len(self._ready.scenario.arrivals)
        self._progress(self._done, self._all)
        self._defaults |= run.used_default
        self._silent |= run.silent_events
        self._ours |= run.served_here
        self._groups |= run.crew.unknown_groups
        self._visited |= {step.element for step in result.steps}
        return result

    def _steps(self) -> dict[str, ModelStep]:
        found: dict[str, ModelStep] = {}
        for version in (self._ready.present, self._ready.new):
            if version is not None:
                for definition in version.definitions:
                    found |= {s.id: s for s in self._engine.steps(definition)}
        return found

    def times(self) -> Sequence[StepTime]:
        """Of every step that took some time."""
        learnt = self._ready.scenario.learnt
        found = []
        for element, step in self._steps().items():
            if element not in self._visited:
                continue
            seen = learnt.seconds.get(element, ())
            if element in self._defaults:
                default_s = _default_s(step)
                found.append(
                    StepTime(element, step.title, len(seen), default_s, learnt=False)
                )
            elif learnt.knows(element) and step.is_activity:
                middle = median_of(seen)
                found.append(
                    StepTime(element, step.title, len(seen), middle, learnt=True)
                )
        return found

    def assumed(self) -> Sequence[Note]:
        learnt, steps = self._ready.scenario.learnt, self._steps()
        found = []
        for element in sorted(self._defaults):
            step = steps.get(element)
            if step is None:
                continue
            text = {"userTask": FORM}.get(step.kind, TOPIC)
            if element in self._ours:
                text = UNKNOWN
            if step.kind in ("intermediateCatchEvent", "receiveTask"):
                text = EVENT
            holes = {"step": step.title, "seconds": round(_default_s(step))}
            if text is TOPIC:
                holes["topic"] = self._topics().get(element, element)
            found.append(Note(text, holes))
        for element in sorted(self._visited):
            step = steps.get(element)
            form = step is not None and step.kind == "userTask"
            if step is not None and form and not learnt.answers.get(element):
                found.append(Note(ANSWER, {"step": step.title}))
        for element in sorted(self._silent & steps.keys()):
            found.append(Note(SILENT, {"step": steps[element].title}))
        found += [Note(GROUP, {"group": group}) for group in sorted(self._groups)]
        return found

    def _topics(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for definition in self._ready.new.definitions:
            for part in self._engine.parts(definition):
                topic = part.facts.get("topic")
                if topic:
                    found[part.id] = topic
        return found


def _default_s(step: ModelStep) -> float:
    if step.kind == "userTask":
        return given.FORM_S
    if step.kind in ("intermediateCatchEvent", "receiveTask"):
        return given.EVENT_S
    return given.JOB_S
