"""One transaction over rows in memory: the parts of the ports that the hub writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any
from uuid import uuid4

from mpms.adapters.memory.messages import Messages
from mpms.domain.errors import ProcessUnknown
from mpms.domain.instances.instances import (
    Instance,
    InstanceStatus,
    Parent,
    Snapshot,
)
from mpms.domain.instances.steps import (
    EventWait,
    FormWait,
    JobWait,
    Start,
    TimerWait,
    Wait,
)
from mpms.domain.models.definitions import LATEST, Definition
from mpms.ports.clock import Clock
from mpms.ports.engine import Engine
from mpms.ports.instances.deliveries import Delivery

Line = tuple[str, str, str | None, str | None, str | None, Mapping[str, Any]]
"""Kind, actor, instance, element, task, data."""


class MemoryStore:
    """``tx`` and ``uow`` in one: ``with store() as tx`` gives itself.

    What came and went since the last look lies in ``opened``, ``closed``, ``lines``
    and ``ended`` for whoever drives.
    """

    def __init__(
        self,
        clock: Clock,
        engine: Engine,
        definitions: Sequence[Definition],
        decisions: Mapping[str, bytes],
        more: Mapping[str, Any],
    ) -> None:
        self.opened: list[tuple[str, Wait]] = []
        self.closed: list[str] = []
        self.lines: list[Line] = []
        self.ended: list[Instance] = []
        self.definitions = _Definitions(definitions, decisions)
        self.instances = _Instances(self, clock)
        self.messages = Messages(self, engine, definitions)
        self.deliveries = _Deliveries(self)
        self.waits = _Waits(self)
        self.incidents = _Incidents()
        self.events = _Events(self)
        self.jobs = _Jobs()
        for name, store in more.items():
            setattr(self, name, store)

    @contextmanager
    def __call__(self) -> Iterator[MemoryStore]:
        yield self

    @contextmanager
    def undoable(self, *, at_once: bool = True) -> Iterator[None]:
        yield

    def wake(self) -> None:
        """Whoever drives looks after every step."""

    def start_by(
        self, definition: Definition, start: Start, business_key: str | None
    ) -> str:
        """A message or signal starts a process: a delivery, as in the database."""
        instance_id = str(uuid4())
        self.instances.add(
            instance_id,
            self.definitions.id_of(definition),
            business_key=business_key,
            parent=None,
        )
        data = {"variables": start.variables, "at": start.at}
        self.deliveries.add(instance_id, "start", data=data)
        return instance_id


class _Definitions:
    def __init__(
        self, definitions: Sequence[Definition], decisions: Mapping[str, bytes]
    ) -> None:
        self._by_id = dict(enumerate(definitions, 1))
        self._ids = {(d.key, d.version): number for number, d in self._by_id.items()}
        self._decisions = decisions

    def latest(self, key: str) -> Definition:
        versions = [d for d in self._by_id.values() if d.key == key]
        if not versions:
            raise ProcessUnknown(f"No model with the key {key} is deployed.")
        return max(versions, key=lambda d: d.version)

    def bound(self, key: str, binding: str, *, caller: int) -> Definition:
        if binding.isdigit():
            return self.of_version(key, int(binding))
        return self.latest(key)

    def of_version(self, key: str, version: int) -> Definition:
        if (key, version) not in self._ids:
            raise ProcessUnknown(f"Version {version} of {key} is not deployed.")
        return self._by_id[self._ids[key, version]]

    def by_id(self, definition_id: int) -> Definition:
        return self._by_id[definition_id]

    def id_of(self, definition: Definition) -> int:
        return self._ids[definition.key, definition.version]

    def listing(self) -> Sequence[Definition]:
        return [self.latest(key) for key in dict.fromkeys(k for k, _ in self._ids)]

    def decision(
        self, key: str, binding: str = LATEST, *, caller: int | None = None
    ) -> bytes | None:
        """Versions are there as ``key@2``; all is deployed at once here."""
        return self._decisions.get(f"{key}@{binding}" if binding.isdigit() else key)


class _Instances:
    def __init__(self, store: MemoryStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._rows: dict[str, Instance] = {}
        self._children: dict[str, list[str]] = {}
        self.saved: set[str] = set()

    def add(
        self,
        instance_id: str,
        definition_id: int,
        *,
        business_key: str | None,
        parent: Parent | None,
        restarted_from: str | None = None,
    ) -> Instance:
        now = self._clock.now()
        key = self._store.definitions.by_id(definition_id).key
        row = Instance(
            *(instance_id, definition_id, key, business_key, parent),
            status=InstanceStatus.ACTIVE,
            snapshot=None,
            revision=0,
            started_at=now,
            changed_at=now,
        )
        self._rows[instance_id] = row
        if parent is not None:
            self._children.setdefault(parent.instance_id, []).append(instance_id)
        return row

    def lock(self, instance_id: str, *, wait_s: float = 2.0) -> Instance:
        return self._rows[instance_id]

    def get(self, instance_id: str) -> Instance:
        return self._rows[instance_id]

    def save(
        self,
        instance_id: str,
        snapshot: Snapshot,
        status: InstanceStatus,
        end_reason: str | None,
    ) -> None:
        now = self._clock.now()
        old = self._rows[instance_id]
        row = replace(
            old,
            snapshot=snapshot,
            status=status,
            end_reason=end_reason,
            changed_at=now,
            ended_at=now if status.ended else None,
        )
        self._rows[instance_id] = row
        if status.ended:
            self._store.ended.append(row)

    def children(self, instance_id: str, task_id: str | None = None) -> list[str]:
        found = self._children.get(instance_id, [])
        if task_id is None:
            return list(found)
        parent = Parent(instance_id, task_id)
        return [one for one in found if self._rows[one].parent == parent]

    def depth(self, instance_id: str, *, limit: int) -> int:
        depth, row = 0, self._rows[instance_id]
        while row.parent is not None and depth < limit:
            depth, row = depth + 1, self._rows[row.parent.instance_id]
        return depth

    def forget(self, instance_id: str) -> None:
        """It has ended and nobody asks for it any more."""
        row = self._rows[instance_id]
        self._rows[instance_id] = replace(row, snapshot=None)


class _Deliveries:
    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._numbers = count(1)
        self._ready: deque[Delivery] = deque()
        self._later: dict[int, Delivery] = {}
        self._claimed: Delivery | None = None
        self.locks_messages = False
        self.match = store.messages.match
        self.throw = store.messages.throw
        self.keep = store.messages.keep

    def add(
        self,
        instance_id: str,
        kind: str,
        *,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        number = next(self._numbers)
        self._ready.append(Delivery(number, instance_id, kind, task_id, data or {}))

    def claim(self) -> Delivery | None:
        self._claimed = self._ready.popleft() if self._ready else None
        return self._claimed

    def postpone(self, delivery_id: int, delay_s: float) -> None:
        """What a run in memory cannot apply now, it never can: an incident says so."""

    def __bool__(self) -> bool:
        return bool(self._ready)


class _Waits:
    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.open: dict[str, tuple[str, Wait]] = {}
        self._of_instance: dict[str, set[str]] = {}

    def _add(self, instance_id: str, wait: Wait) -> None:
        self.open[wait.task_id] = (instance_id, wait)
        self._of_instance.setdefault(instance_id, set()).add(wait.task_id)
        self._store.opened.append((instance_id, wait))

    def known(self, instance_id: str) -> set[str]:
        return set(self._of_instance.get(instance_id, ()))

    def open_form(self, instance_id: str, wait: FormWait) -> None:
        self._add(instance_id, wait)

    def open_job(self, instance_id: str, wait: JobWait) -> None:
        self._add(instance_id, wait)

    def open_timer(self, instance_id: str, wait: TimerWait) -> None:
        self._add(instance_id, wait)

    def open_subscription(self, instance_id: str, wait: EventWait) -> None:
        self._add(instance_id, wait)
        self._store.messages.subscribe(instance_id, wait)

    def close_waits(self, instance_id: str, waits: Iterable[Wait]) -> None:
        self.close(instance_id, [wait.task_id for wait in waits])

    def close(self, instance_id: str, task_ids: Iterable[str]) -> None:
        for task_id in task_ids:
            if self.open.pop(task_id, None) is not None:
                self._of_instance[instance_id].discard(task_id)
                self._store.closed.append(task_id)
                self._store.messages.unsubscribe(task_id)


class _Incidents:
    def __init__(self) -> None:
        self.open_ones: dict[tuple[str | None, str], str] = {}

    def open(
        self,
        kind: str,
        message: str,
        *,
        instance_id: str | None = None,
        task_id: str | None = None,
        element: str | None = None,
    ) -> bool:
        key = (task_id or instance_id, kind)
        new = key not in self.open_ones
        self.open_ones[key] = f"{element}: {message}" if element else message
        return new

    def resolve(self, *, by: str, **_: Any) -> int:
        return 0

    def resolve_with_task(
        self, task_id: str, *, by: str, kind: str | None = None
    ) -> None:
        for key in [k for k in self.open_ones if k[0] == task_id]:
            if kind is None or key[1] == kind:
                del self.open_ones[key]


class _Events:
    def __init__(self, store: MemoryStore) -> None:
        self._lines = store.lines

    def append(
        self,
        kind: str,
        *,
        actor: str,
        instance_id: str | None = None,
        element: str | None = None,
        task_id: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._lines.append((kind, actor, instance_id, element, task_id, data or {}))

    def append_many(
        self,
        instance_id: str,
        actor: str,
        lines: Sequence[tuple[str, str | None, str | None, dict[str, Any]]],
    ) -> None:
        for kind, element, task_id, data in lines:
            self._lines.append((kind, actor, instance_id, element, task_id, data))


class _Jobs:
    """Whoever drives holds the jobs; here lies what was said about them."""

    def __init__(self) -> None:
        self.postponed: dict[int, tuple[float, str, bool]] = {}
        self.handed_on: set[int] = set()
        self.given_up: dict[int, str] = {}

    def hold(self, job_id: int, worker: str | None) -> bool:
        return True

    def postpone(
        self, job_id: int, *, delay_s: float, error: str | None, failed: bool
    ) -> None:
        self.postponed[job_id] = (delay_s, error or "", failed)

    def wait_for_report(self, job_id: int) -> None:
        self.handed_on.add(job_id)

    def give_up(self, job_id: int, error: str) -> None:
        self.given_up[job_id] = error
