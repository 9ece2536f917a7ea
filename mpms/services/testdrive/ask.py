"""What somebody asks for, and what has to be read before anything is driven."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mpms.domain.errors import MpmsError, ProcessUnknown
from mpms.domain.models.definitions import Definition
from mpms.domain.people.people import Role
from mpms.domain.testdrive.report import Note
from mpms.domain.testdrive.scenario import Arrival, Scenario, Worker
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction, UnitOfWork
from mpms.services.history.window import Window
from mpms.services.models.check import check_file
from mpms.services.models.deploy import Refused
from mpms.services.models.file_kinds import file_kind
from mpms.services.testdrive.drive import Drivable
from mpms.services.testdrive.learn import learn
from mpms.services.testdrive.stand import Plant

WINDOWS = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
}
MOST_ARRIVALS = 5_000
MOST_SEEDS = 50
MOST_DAYS = 366
A_DAY_S = 24 * 3600.0
MADE_UP = 200  # where none are recorded
NONE_RECORDED = "No orders of this process are recorded in this time: {n} made up."
RECORDED, GENERATED = "recorded", "generated"


class NotDrivable(MpmsError):
    """This cannot be test-driven."""


@dataclass(frozen=True)
class Asked:
    """A file that is not deployed, with those that belong to it; or a deployed one."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    process: str | None = None
    version: int | None = None  # None: the newest
    against: int | None = None  # None: the newest that differs
    alone: bool = False  # not beside any other version
    orders: str = "month"  # day, week or month of the history, or how many made up
    days: float = 30.0  # over which made-up orders come
    seeds: int = 3
    people: int | None = None
    robots: int | None = None

    def problems(self) -> list[str]:
        """All at once."""
        found = []
        if self.orders not in WINDOWS and not self.orders.isdecimal():
            known = ", ".join(WINDOWS)
            found.append(f"orders is {known} or a number, not {self.orders!r}")
        elif self.orders.isdecimal() and not 1 <= int(self.orders) <= MOST_ARRIVALS:
            found.append(f"between 1 and {MOST_ARRIVALS} orders can be made up")
        if not 0 < self.days <= MOST_DAYS:
            found.append(f"days is above 0 and at most {MOST_DAYS}, not {self.days:g}")
        if not 1 <= self.seeds <= MOST_SEEDS:
            found.append(f"seeds is between 1 and {MOST_SEEDS}, not {self.seeds}")
        for what, count in (("people", self.people), ("robots", self.robots)):
            if count is not None and not 1 <= count <= 1000:
                found.append(f"{what} is between 1 and 1000, not {count}")
        return found


@dataclass(frozen=True)
class Prepared:
    """All that is driven."""

    new: Drivable
    present: Drivable | None
    scenario: Scenario
    begin_at: datetime
    plant: Plant
    assumed: Sequence[Note]


def prepare(
    uow: UnitOfWork, engine: Engine, plant: Plant, asked: Asked, *, now: datetime
) -> Prepared:
    """NotDrivable, Refused, ProcessUnknown."""
    if wrong := asked.problems():
        raise NotDrivable("; ".join(wrong) + ".")
    _refuse_wrong_files(engine, asked.files)
    if asked.robots is not None:
        plant = plant.with_machines(asked.robots)
    with uow() as tx:
        plant.look(tx)
        new, present = _versions(tx, engine, asked)
        people = _people(tx, asked.people)
    days = WINDOWS.get(asked.orders, WINDOWS["month"])
    window = Window(new.definition.key, now - days, now)
    recorded = learn(uow, plant, window, most=MOST_ARRIVALS)
    assumed: list[Note] = []
    arrivals, source, begin_at = list(recorded.arrivals), RECORDED, now - days
    if asked.orders.isdecimal() or not arrivals:
        count = int(asked.orders) if asked.orders.isdecimal() else MADE_UP
        if not asked.orders.isdecimal():
            assumed.append(Note(NONE_RECORDED, {"n": count}))
        with uow() as tx:
            arrivals = _made_up(tx, plant, count, asked.days * A_DAY_S)
        source, begin_at = GENERATED, now
    seeds = tuple(range(1, asked.seeds + 1))
    scenario = Scenario(arrivals, people, recorded.learnt, source, seeds)
    return Prepared(new, present, scenario, begin_at, plant, assumed)


def _refuse_wrong_files(engine: Engine, files: Mapping[str, bytes]) -> None:
    problems = {
        name: found
        for name, content in files.items()
        if (found := check_file(engine, name, content))
    }
    if problems:
        raise Refused(problems)


def _made_up(
    tx: Transaction, plant: Plant, count: int, seconds: float
) -> list[Arrival]:
    """They come at any time of the window, one as likely as the other."""
    throw = random.Random(count)  # noqa: S311
    times = sorted(throw.random() * seconds for _ in range(count))
    details = plant.made_up(tx, count, throw) or [None] * count
    return [
        Arrival(getattr(one, "number", None) or f"T-{number:05}", at_s, details=one)
        for number, (at_s, one) in enumerate(zip(times, details, strict=True), 1)
    ]


def _people(tx: Transaction, count: int | None) -> list[Worker]:
    if count is not None:
        return [Worker(f"person {number}") for number in range(1, count + 1)]
    return [
        Worker(
            person.login,
            frozenset({g.casefold() for g in person.groups} | {f"user:{person.login}"}),
        )
        for person in tx.people.listing()
        if person.active and person.role is Role.WORKER
    ]


# -- versions -------------------------------------------------------------------------


def _versions(
    tx: Transaction, engine: Engine, asked: Asked
) -> tuple[Drivable, Drivable | None]:
    newest = {d.key: d for d in tx.definitions.listing()}
    drawn = _drawn(engine, asked.files, newest)
    key = _chosen(asked, drawn)
    if key in drawn:
        new, title = drawn[key], f"{key}, not deployed"
        before = newest.get(key)
    else:
        new = (
            tx.definitions.latest(key)
            if asked.version is None
            else tx.definitions.of_version(key, asked.version)
        )
        title = f"{key}, version {new.version}"
        before = _before(tx, new)
    if asked.against is not None:
        before = tx.definitions.of_version(key, asked.against)
    decisions, forms = _around(tx)
    mine, own = _of_files(engine, asked.files)
    drivable = Drivable(
        title,
        new,
        _beside(new, {**newest, **drawn}),
        {**decisions, **mine},
        {**forms, **own},
    )
    if asked.alone or before is None or before.digest == new.digest:
        return drivable, None
    shown_title = f"{key}, version {before.version}"
    beside = _beside(before, newest)
    return drivable, Drivable(shown_title, before, beside, decisions, forms)


def _drawn(
    engine: Engine, files: Mapping[str, bytes], newest: Mapping[str, Definition]
) -> dict[str, Definition]:
    """The processes of files, numbered as if they were deployed next."""
    found = {}
    for name, content in files.items():
        if file_kind(name) == "bpmn":
            digest = hashlib.sha256(content).hexdigest()
            for key, title in engine.processes(content):
                old = newest.get(key)
                version = 1 if old is None else old.version + 1
                found[key] = Definition(digest, key, version, title, content)
    return found


def _chosen(asked: Asked, drawn: Mapping[str, Definition]) -> str:
    if asked.process is not None:
        return asked.process
    if len(drawn) == 1:
        return next(iter(drawn))
    if not drawn:
        raise NotDrivable("Name a .bpmn file or a process that is deployed.")
    known = ", ".join(drawn)
    raise NotDrivable(f"The files hold several processes: {known}. Say which one.")


def _before(tx: Transaction, new: Definition) -> Definition | None:
    if new.version < 2:
        return None
    try:
        return tx.definitions.of_version(new.key, new.version - 1)
    except ProcessUnknown:
        return None


def _beside(chosen: Definition, others: Mapping[str, Definition]) -> list[Definition]:
    return [chosen, *(d for key, d in others.items() if key != chosen.key)]


def _around(tx: Transaction) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Decisions and forms as they are deployed."""
    decisions = {}
    for row in tx.models.decisions():
        newest = tx.definitions.decision(row.key)
        this = tx.definitions.decision(row.key, str(row.version))
        for name, xml in ((row.key, newest), (f"{row.key}@{row.version}", this)):
            if xml is not None:
                decisions[name] = xml
    forms = {}
    for key in {row.key for row in tx.models.forms()}:
        if (schema := tx.definitions.form(key)) is not None:
            forms[key] = schema
    return decisions, forms


def _of_files(
    engine: Engine, files: Mapping[str, bytes]
) -> tuple[dict[str, bytes], dict[str, Any]]:
    decisions: dict[str, bytes] = {}
    forms: dict[str, Any] = {}
    tables = {n: c for n, c in files.items() if file_kind(n) == "dmn"}
    for name, content in {**files, **engine.with_imports(tables)}.items():
        kind = file_kind(name)
        if kind == "dmn":
            decisions |= {key: content for key, _ in engine.decisions(content)}
        elif kind == "form":
            schema = json.loads(content)
            forms[schema["id"]] = schema
        elif kind == "bpmn":
            forms |= {form["id"]: form for form in engine.inner_forms(content)}
    return decisions, forms
