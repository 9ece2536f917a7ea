"""Before a deployment: what would change, and what would become of what runs.

Nothing is changed here. Each file is compared with the newest version of what is in it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mpms.domain.errors import ModelRefused
from mpms.domain.models.definitions import Definition
from mpms.domain.models.difference import PartChange, difference
from mpms.ports.engine import Engine
from mpms.ports.models.models import DeployedRow
from mpms.ports.store import UnitOfWork
from mpms.services.instances.migrate import Planned, plan_for
from mpms.services.models.file_kinds import file_kind
from mpms.services.models.listing import ModelLine, ModelList, list_models


@dataclass(frozen=True)
class Review:
    """One process, decision or form of the files."""

    kind: str  # process, decision, form
    key: str
    name: str
    old: DeployedRow | None  # the newest version; None: it is new
    same: bool = False  # no new version would be made
    changes: Sequence[PartChange] = ()  # of a process
    running: int = 0
    planned: Sequence[Planned] = ()  # those that were looked at one by one

    @property
    def can_go(self) -> int:
        return sum(one.can_go for one in self.planned)

    @property
    def must_stay(self) -> int:
        return len(self.planned) - self.can_go

    @property
    def obstacles(self) -> Sequence[tuple[str, int]]:
        """Why they must stay, the most frequent first."""
        return Counter(
            why for one in self.planned for why in one.obstacles
        ).most_common()


def review_deployment(
    uow: UnitOfWork, engine: Engine, files: Mapping[str, bytes], person_id: int
) -> list[Review]:
    """Of what can be read; what cannot is among the findings."""
    models = list_models(uow, person_id)
    found: list[Review] = []
    for name, content in files.items():
        try:
            found += _of_file(uow, engine, models, name, content)
        except (ModelRefused, ValueError):
            continue
    return found


def _of_file(
    uow: UnitOfWork, engine: Engine, models: ModelList, name: str, content: bytes
) -> Iterator[Review]:
    kind = file_kind(name)
    if kind == "bpmn":
        for key, title in engine.processes(content):
            yield _of_process(uow, engine, models, key, title, content)
    elif kind == "dmn":
        for key, title in engine.decisions(content):
            line = _line(models.decisions, key)
            with uow() as tx:
                before = line and tx.models.decision(key, line.latest.version)
            yield Review(
                "decision", key, title or key, _latest(line), before == content
            )
    elif kind == "form":
        schema = json.loads(content)
        key = str(schema["id"])
        line = _line(models.forms, key)
        with uow() as tx:
            form = line and tx.models.form(key, line.latest.version)
        yield Review("form", key, key, _latest(line), form == schema)


def _of_process(
    uow: UnitOfWork,
    engine: Engine,
    models: ModelList,
    key: str,
    title: str,
    content: bytes,
) -> Review:
    line = _line(models.processes, key)
    if line is None:
        return Review("process", key, title or key, None)
    with uow() as tx:
        before = tx.definitions.of_version(key, line.latest.version)
    digest = hashlib.sha256(content).hexdigest()
    after = Definition(digest, key, line.latest.version + 1, title, content)
    same = before.digest == digest
    return Review(
        "process",
        key,
        title or key,
        line.latest,
        same,
        () if same else difference(engine.parts(before), engine.parts(after)),
        line.active,
        () if same else plan_for(uow, engine, after),
    )


def _line(lines: Sequence[ModelLine], key: str) -> ModelLine | None:
    return next((line for line in lines if line.key == key), None)


def _latest(line: ModelLine | None) -> DeployedRow | None:
    return None if line is None else line.latest
