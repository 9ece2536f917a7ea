"""Every kind of line that the history may have, and what each of them means.

One table, read by all who look at lines: what browsers fetch again, what the log of
actions leaves out, the sentence of a timeline, who is shown a line. A kind that is not
here, nor brought by a plug-in, cannot be written.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mpms.domain.errors import MpmsError
from mpms.domain.incidents.kinds import CORE as CORE_INCIDENTS
from mpms.domain.incidents.kinds import IncidentKind
from mpms.domain.models.definitions import Cause
from mpms.domain.tasks import Decision


class KindUnknown(MpmsError):
    """The history knows no such kind of line."""


class Audit(enum.Enum):
    """Whether a line belongs to the log of what people did."""

    NEVER = "never"  # machines write so many that the index of the log leaves them out
    BY_PEOPLE = "by people"  # only where somebody who can sign in wrote it
    ALWAYS = "always"  # unless the product itself wrote it


@dataclass(frozen=True)
class Kind:
    """One kind of line. ``changes``: lists of pages that may look different now.

    ``sentence`` is a text with the holes {who}, {step} and the fields of the line, or
    ``module:function`` where that is not enough; empty: a timeline leaves it out.
    """

    name: str
    changes: tuple[str, ...] = ()
    sentence: str = ""
    tone: str = ""  # ok, bad, warn, info
    audit: Audit = Audit.ALWAYS
    for_admins: bool = False  # who signed in, from where; secrets that changed
    fields: tuple[str, ...] = ()  # of its data
    action: str = ""  # what the actor did, in the log of actions
    told: bool = True  # in timelines, if it has a sentence

    @property
    def in_timeline(self) -> bool:
        return bool(self.sentence) and self.told


LABELS = "mpms.web.labels.history"
STEP = ("tasks", "instances", "incidents")
INSTANCE = ("instances",)
INCIDENTS = ("instances", "incidents")
LISTS = frozenset({*STEP, "batches"})
"""What pages of the core show, by the names that kinds of lines change."""


def machine(
    name: str, changes: tuple[str, ...] = STEP, sentence: str = "", tone: str = ""
) -> Kind:
    """Of the engine and the queue: too many for the log of actions."""
    return Kind(name, changes, sentence, tone, Audit.NEVER)


TOKENS = (
    machine("entered", ("tasks", "instances")),
    machine("left"),
    machine("cancelled"),
    machine("variable", INSTANCE),
    machine("thrown", INSTANCE),
    machine("escalated"),
    machine("compensated"),
    machine("moved"),
    machine("skipped"),
    machine("caught", INSTANCE),
    machine("decided", INSTANCE),
    machine("failed", sentence=f"{LABELS}:failed"),
    machine("stuck", sentence="Stuck: {step}", tone="bad"),
    machine(
        "turns missed",
        sentence="Missed timer runs skipped: {missed} ({step})",
        tone="warn",
    ),
    machine(
        "came late",
        sentence="Came after the gateway had gone on, so it was taken: {step}",
        tone="info",
    ),
    machine("retried", sentence="Tried again: {step}"),
    machine("job failed", INCIDENTS, sentence=f"{LABELS}:job_failed"),
)
INSTANCES = (
    Kind(
        "instance started",
        STEP,
        "{who} started the process",
        "info",
        Audit.BY_PEOPLE,
        fields=("process", "version", "key", "caller", "restarted_from"),
        action="started a process",
    ),
    Kind("instance completed", STEP, "The process ended", "ok", Audit.BY_PEOPLE),
    Kind("instance failed", STEP, "The process failed", "bad", Audit.BY_PEOPLE),
    Kind(
        "instance cancelled", STEP, "The process was cancelled", "bad", Audit.BY_PEOPLE
    ),
    Kind("dropped", STEP, audit=Audit.BY_PEOPLE),
    Kind(
        "cancel",
        STEP,
        "{who} cancelled the process",
        "bad",
        fields=("reason",),
        action="cancelled a process",
    ),
    Kind("variables set", STEP, f"{LABELS}:variables_set", action="changed variables"),
    Kind(
        "activity skipped",
        STEP,
        "{who} skipped: {step}",
        "info",
        action="skipped a step",
    ),
    Kind(
        "activity cancelled",
        STEP,
        "{who} cancelled: {step}",
        "warn",
        action="cancelled a step",
    ),
    Kind(
        "token moved",
        STEP,
        f"{LABELS}:token_moved",
        fields=("to", "reason"),
        action="moved a token",
    ),
    Kind(
        "suspended",
        STEP,
        "{who} suspended the process",
        "warn",
        action="suspended a process",
    ),
    Kind(
        "resumed",
        STEP,
        "{who} resumed the process",
        "info",
        action="resumed a process",
    ),
    Kind(
        "restarted",
        STEP,
        "{who} restarted the process",
        "info",
        fields=("as",),
        action="restarted a process",
    ),
    Kind(
        "migrated",
        STEP,
        f"{LABELS}:migrated",
        fields=("from", "to", "reason"),
        action="migrated a process",
    ),
    Kind(
        "process suspended",
        STEP,
        "{who} stopped new starts of a process",
        "warn",
        action="suspended a model",
    ),
    Kind(
        "process resumed",
        STEP,
        "{who} allowed new starts of a process",
        "info",
        action="resumed a model",
    ),
    Kind("message sent", STEP, action="sent a message"),
    Kind("signal sent", STEP, action="sent a signal"),
)
TASKS = (
    Kind("task claimed", ("tasks",), "{who} took: {step}", action="took a task"),
    Kind(
        "task given back",
        ("tasks",),
        "{who} gave back: {step}",
        action="gave a task back",
    ),
    Kind(
        "task delegated",
        ("tasks",),
        "{who} asked {to} for help: {step}",
        fields=("to", "owner"),
        action="asked for help with a task",
    ),
    Kind(
        "task handed back",
        ("tasks",),
        "{who} handed back to {owner}: {step}",
        fields=("owner",),
        action="handed a task back",
    ),
    Kind(
        "task commented",
        ("tasks",),
        "{who} on {step}: {text}",
        fields=("text",),
        action="commented on a task",
    ),
    Kind(
        "task scheduled",
        ("tasks",),
        "{who} changed when it is due: {step}",
        fields=("due_at", "follow_up_at", "priority"),
        action="changed when a task is due",
    ),
    Kind(
        "task offered",
        ("tasks",),
        "{who} changed whose task it is: {step}",
        fields=("groups",),
        action="changed whose task it is",
    ),
    Kind("draft begun", ("tasks",), "{who} started to fill in: {step}"),
    Kind(
        "form answered",
        STEP,
        f"{LABELS}:answered",
        fields=("answers", "posted_by"),
        action="answered a form",
    ),
    Kind(
        "problem reported",
        STEP,
        "{who} reported a problem: {step}",
        "bad",
        action="reported a problem",
    ),
    Kind(
        "problem reported too late",
        STEP,
        "{who} reported a problem, but too late: {step}",
        "warn",
    ),
    Kind("answer came late", STEP, "The answer of {who} came too late: {step}", "warn"),
    Kind("late answer accepted", STEP, "{who} accepted a late answer"),
    Kind("late answer discarded", STEP, "{who} discarded a late answer"),
)
TROUBLE = (
    Kind("incident", INCIDENTS, "Incident: {step}", "bad", Audit.BY_PEOPLE),
    Kind(
        "incident closed",
        INCIDENTS,
        "{who} put an incident aside: {step}",
        action="closed an incident",
    ),
    Kind(
        "incident over",
        INCIDENTS,
        f"{LABELS}:incident_over",
        audit=Audit.BY_PEOPLE,
    ),
    Kind("incidents assigned", ("incidents",)),
    Kind("incidents discussed", ("incidents",)),
    Kind("retry", STEP, "{who} tried again: {step}", "info", action="retried"),
    Kind("alert sent"),
    Kind("alert not sent"),
)
BULK = (
    Kind("batch ordered", ("batches",)),
    Kind("batch item", ("batches",), f"{LABELS}:in_bulk_action"),
    Kind("batch stopped", ("batches",)),
    Kind("batch ended", ("batches",)),
)
ADMINISTRATION = (
    Kind("deployed", action="deployed models"),
    Kind("draft kept", action="submitted a draft for review"),
    Kind("draft dropped", action="discarded somebody's draft"),
    Kind("connection tested", action="tested a connection"),
    Kind("retention changed", action="changed the retention"),
    Kind("deletion asked", action="asked for a deletion"),
    Kind("log fetched", action="fetched a log"),
    Kind("log of actions fetched", action="fetched the log of actions"),
    Kind("token added"),
    Kind("token revoked"),
    Kind("webhook added"),
    Kind("webhook changed"),
    Kind("webhook deleted"),
    Kind("webhook secret renewed"),
    Kind("webhook replayed"),
    Kind("webhook stopped"),
    Kind("webhook paused"),
    Kind("webhook resumed"),
    Kind("alerts chosen", action="chose alerts"),
    Kind("alerts on a device", action="switched alerts on a device"),
    Kind("mail address changed", action="changed a mail address"),
    Kind(
        "history deleted",
        sentence="{who} deleted old history",
        tone="warn",
        action="deleted old history",
    ),
    # The actor is the product: a dump was restored on another server.
    Kind("history renumbered", audit=Audit.BY_PEOPLE, fields=("lines",)),
)
PEOPLE = (
    Kind("signed in", action="signed in", for_admins=True),
    Kind("signed out", action="signed out", for_admins=True),
    Kind("sign-in refused", action="sign-in refused", for_admins=True),
    Kind("sign-in linked", action="linked a sign-in", for_admins=True),
    Kind("sign-in unlinked", action="unlinked a sign-in", for_admins=True),
    Kind("password changed", action="changed a password", for_admins=True),
    Kind("PIN changed", action="changed a PIN", for_admins=True),
    Kind("badge changed", action="changed a badge", for_admins=True),
    Kind(
        "second factor added",
        fields=("login", "factor"),
        action="added a second factor",
        for_admins=True,
    ),
    Kind(
        "second factor removed",
        fields=("login", "factor", "reason"),
        action="removed a second factor",
        for_admins=True,
    ),
    Kind(
        "sessions ended",
        fields=("count",),
        action="signed out elsewhere",
        for_admins=True,
    ),
    Kind("person added", action="added a person", for_admins=True),
    Kind("person changed", action="changed a person", for_admins=True),
    Kind("person enabled", action="enabled a person", for_admins=True),
    Kind("person unlocked", action="unlocked a person", for_admins=True),
    Kind("person disabled", action="disabled a person", for_admins=True),
    Kind(
        "administrator kept",
        action="kept the last administrator",
        for_admins=True,
    ),
    Kind("tablet enrolled", action="enrolled a tablet", for_admins=True),
    Kind("tablet revoked", action="revoked a tablet", for_admins=True),
)
CORE = (*TOKENS, *INSTANCES, *TASKS, *TROUBLE, *BULK, *ADMINISTRATION, *PEOPLE)


@dataclass(frozen=True)
class Kinds:
    """Kinds by name: those of the core and of every plug-in.

    ``lists``: lists of pages of plug-ins, with the field of a line that names what has
    changed. ``subjects``: fields of lines that name what a process works for, as its
    business key does; such lines outlive processes. ``things``: fields that say
    what else a line is about. ``machines``: actors that are nobody's, besides ours.
    ``problems``: what people may report at any step.
    """

    kinds: Mapping[str, Kind] = field(
        default_factory=lambda: {kind.name: kind for kind in CORE}
    )
    incidents: Mapping[str, IncidentKind] = field(
        default_factory=lambda: {kind.name: kind for kind in CORE_INCIDENTS}
    )
    decisions: tuple[Decision, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict)
    subjects: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    problems: tuple[Cause, ...] = ()

    @classmethod
    def of(
        cls,
        more: Iterable[Kind],
        *,
        incidents: Iterable[IncidentKind] = (),
        decisions: Iterable[Decision] = (),
        lists: Mapping[str, str] | None = None,
        subjects: Iterable[str] = (),
        things: Iterable[str] = (),
        machines: Iterable[str] = (),
        problems: Iterable[Cause] = (),
    ) -> Kinds:
        """The core's and these. ValueError names what is there twice."""
        found = {kind.name: kind for kind in CORE}
        for kind in more:
            if kind.name in found:
                raise ValueError(f"the history has the kind {kind.name!r} already")
            found[kind.name] = kind
        of_incidents = {kind.name: kind for kind in CORE_INCIDENTS}
        for each in incidents:
            if each.name in of_incidents:
                raise ValueError(f"there are incidents {each.name!r} already")
            of_incidents[each.name] = each
        return cls(
            found,
            of_incidents,
            tuple(decisions),
            dict(lists or {}),
            tuple(subjects),
            tuple(things),
            tuple(machines),
            tuple(problems),
        )

    def __contains__(self, name: object) -> bool:
        return name in self.kinds

    def get(self, name: str) -> Kind | None:
        return self.kinds.get(name)

    def incident(self, name: str) -> IncidentKind:
        """Of one that nobody has named, what holds for most."""
        return self.incidents.get(name) or IncidentKind(name, name)

    @property
    def outside(self) -> frozenset[str]:
        """Kinds of incidents of which nothing of ours can be tried again."""
        return frozenset(k.name for k in self.incidents.values() if k.outside)

    def decision(self, form: str | None) -> Decision | None:
        """What somebody who gets this form decides about."""
        fits = (each for each in self.decisions if (form or "").startswith(each.forms))
        return next(fits, None)

    def require(self, name: str) -> None:
        """KindUnknown."""
        if name not in self.kinds:
            raise KindUnknown(
                f"The history knows no lines of the kind {name!r}; name it in"
                " mpms/domain/history/kinds.py or in the kinds of a plug-in."
            )

    def timeline(self) -> list[str]:
        """Those that a timeline tells."""
        return sorted(kind.name for kind in self.kinds.values() if kind.in_timeline)
