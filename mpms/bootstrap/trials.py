"""Files that nobody has deployed are read and tried in child processes with limits.

Whoever may read may also send a model or a table, and ask what it gives. What that
costs is theirs alone: a child that takes too long or too much is ended, the answer says
so, and pages and worker do not notice. Few run at once; who comes when all are taken is
told to try again.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mpms.adapters.walled_child.outside import ChildGone, WalledChild
from mpms.domain import errors
from mpms.domain.errors import ModelRefused, MpmsError, ServerBusy
from mpms.domain.execution import Execution
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import Variables
from mpms.domain.models.decision_sheets import Decided, DecisionSheet
from mpms.domain.models.definitions import Problem
from mpms.domain.models.topics import KnownTopic
from mpms.ports.engine import Decisions

CHILDREN = 2
WAITING = 4  # for a child to be free
PATIENCE_S = 5.0
WALL_S = 10.0
MEMORY_MB = 1024
LARGEST_ANSWER = 16 << 20
ASKED_MOST = 30  # decisions of other files that one decision needs

_MODULE = "mpms.bootstrap.trial_child"
_PROBLEMS = TypeAdapter(list[Problem])
_NAMES = TypeAdapter(list[tuple[str, str]])
_FORMS = TypeAdapter(list[dict[str, Any]])
_SHEETS = TypeAdapter(list[DecisionSheet])
_DECIDED = TypeAdapter(Decided)


@dataclass
class ChildTrials:
    """Trials; safe to share between threads. ServerBusy."""

    promised_topics: Mapping[str, KnownTopic]
    limits: Limits = field(default_factory=Limits)
    execution: Execution = field(default_factory=Execution)
    wall_s: float = WALL_S
    memory_mb: int = MEMORY_MB
    patience_s: float = PATIENCE_S

    def __post_init__(self) -> None:
        self._free = threading.Semaphore(CHILDREN)
        self._room = threading.Semaphore(CHILDREN + WAITING)
        self._idle: list[WalledChild] = []
        self._lock = threading.Lock()
        self._closed = False

    def check(self, xml: bytes) -> list[Problem]:
        return self._problems("check", xml)

    def check_decisions(self, xml: bytes) -> list[Problem]:
        return self._problems("check_decisions", xml)

    def refused_decisions(self, xml: bytes) -> list[Problem]:
        return self._problems("refused_decisions", xml)

    def check_names(
        self,
        xml: bytes,
        *,
        topics: frozenset[str] | None = None,
        forms: frozenset[str] | None = None,
        decisions: frozenset[str] | None = None,
        processes: frozenset[str] | None = None,
    ) -> list[Problem]:
        known = {
            "topics": topics,
            "forms": forms,
            "decisions": decisions,
            "processes": processes,
        }
        given = {name: None if v is None else sorted(v) for name, v in known.items()}
        return self._problems("check_names", xml, **given)

    def processes(self, xml: bytes) -> list[tuple[str, str]]:
        return _NAMES.validate_python(self._ask("processes", xml))

    def inner_forms(self, xml: bytes) -> list[dict[str, Any]]:
        return _FORMS.validate_python(self._ask("inner_forms", xml))

    def decisions(self, xml: bytes) -> list[tuple[str, str]]:
        return _NAMES.validate_python(self._ask("decisions", xml))

    def sheets(self, xml: bytes) -> list[DecisionSheet]:
        return _SHEETS.validate_python(self._ask("sheets", xml))

    def write_sheet(self, xml: bytes, sheet: DecisionSheet) -> bytes:
        return base64.b64decode(self._ask("write_sheet", xml, sheet=asdict(sheet)))

    def decide(
        self,
        xml: bytes,
        key: str,
        variables: Variables,
        *,
        now: datetime,
        decisions: Decisions | None = None,
    ) -> Decided:
        """The child says which decision of another file it lacks, and is asked again
        with it: it cannot reach the database, and nobody holds a connection for it."""
        others: dict[str, str | None] = {}
        given = {"key": key, "variables": dict(variables), "now": now.isoformat()}
        for _ in range(ASKED_MOST):
            made = self._ask("decide", xml, **given, others=others)
            lacking = made.get("lacks")
            if lacking is None:
                return _DECIDED.validate_python(made)
            found = None if decisions is None else decisions(lacking)
            others[lacking] = None if found is None else _text(found)
        raise ModelRefused(f"It needs more than {ASKED_MOST} other decisions.")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.stop()

    # -- asking ------------------------------------------------------------------------

    def _problems(self, call: str, xml: bytes, **given: Any) -> list[Problem]:
        try:
            return _PROBLEMS.validate_python(self._ask(call, xml, **given))
        except ModelRefused as refusal:
            return [Problem("", "", str(refusal))]

    def _ask(self, call: str, xml: bytes, **given: Any) -> Any:
        question = json.dumps({"call": call, "xml": _text(xml), **given}).encode()
        if not self._room.acquire(blocking=False):
            raise ServerBusy
        try:
            if not self._free.acquire(timeout=self.patience_s):
                raise ServerBusy
            try:
                said = self._said(question)
            finally:
                self._free.release()
        finally:
            self._room.release()
        try:
            answer = json.loads(said)
            if "error" in answer:
                raise _error(*answer["error"])
            return answer["made"]
        except (ValueError, KeyError, TypeError, ValidationError) as failure:
            raise ModelRefused("Trying the file gave no answer.") from failure

    def _said(self, question: bytes) -> bytes:
        for may_try_again in (True, False):
            child = self._child()
            try:
                said = child.ask(question, timeout_s=self.wall_s)
            except ChildGone as gone:
                child.stop()
                if not (gone.innocent and may_try_again):
                    break
            else:
                self._keep(child)
                return said
        raise ModelRefused(
            f"It cannot be read or tried within {self.wall_s:g} s and"
            f" {self.memory_mb} MB."
        )

    def _child(self) -> WalledChild:
        with self._lock:
            child = self._idle.pop() if self._idle else None
        if child is not None:
            if not child.has_ended:
                return child
            child.stop()
        made = WalledChild(_MODULE, LARGEST_ANSWER)
        known = {
            "limits": asdict(self.limits),
            "execution": asdict(self.execution),
            "memory_bytes": self.memory_mb << 20,
            "cpu_s": self.wall_s,
        }
        try:
            made.start(json.dumps(known).encode())
        except ChildGone:
            made.stop()
            raise ServerBusy from None
        return made

    def _keep(self, child: WalledChild) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(child)
                return
        child.stop()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _error(name: str, sentence: str) -> MpmsError:
    """What the child raised, by its name; only errors of ours have one."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, MpmsError):
        return kind(sentence)
    return ModelRefused(sentence)
