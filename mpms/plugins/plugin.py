"""What a plug-in is: one frozen table that says what a package adds.

Whatever is written as ``module:name`` is imported where it is used, so that a worker
loads no pages and a command line loads next to nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.domain.history.kinds import Kind
from mpms.domain.incidents.kinds import IncidentKind
from mpms.domain.jobs import Reach
from mpms.domain.models.definitions import Cause
from mpms.domain.people.people import Role
from mpms.domain.settings import value_of
from mpms.domain.tasks import Decision
from mpms.ports.store import UnitOfWork
from mpms.services.instances.advance import Advance
from mpms.services.jobs.handlers import DEFAULT_LIMIT_S

Phase = Callable[[], bool]  # True: something was moved

# What the core asks of plug-ins beside its own rows; a statement of theirs answers.
QUESTIONS = {
    "tally": "counts the lines of the history after (transaction, line), up to and with"
    " (to_transaction, to_line)",
    "metrics": "numbers for monitoring: metric, two labels, value",
    "queues": "a queue, and since when its oldest could have been done",
    "late": "a process, and how many instances should have ended before today",
    "undecided": "what waits for the decision of somebody who leads: a sentence for one"
    " and for {n}, the address of a page, how many",
    "pages": "which of these business keys have a page: key, address with {key}",
    "things": "what instances (ids) had to do with, for process mining: instance, kind,"
    " name, part (performs, concerns or uses), task",
    "old": "what goes with the history of instances (ids): a name, a title, how many",
    "delete": "deletes these rows",
}

# What pages of the core lead to where a plug-in has pages for it.
PLACES = {
    "task": "the task {key}",
    "tasks": "what waits for people",
    "late answers": "answers that came too late",
    "demo": "posted to be {key} in the demo",
    "tour": "posted to begin the tour of the demo",
}

# Where on the page of an instance a template of a plug-in can stand.
INSTANCE_PARTS = ("beside", "below")  # its diagram


class PluginRefused(MpmsError):
    """A plug-in cannot be used."""


@dataclass(frozen=True)
class Topic:
    """The work of a topic.

    An outside function takes a ``Job`` and may take its time; an inside one takes the
    transaction and the ``Job`` and does nothing but change the database; a pure one
    takes the variables and computes. Each gives variables, or an ``Answer``. Without a
    function, ``Plugin.work`` brings it when a worker starts.
    """

    function: Callable[..., Any] | None = None
    reach: Reach = Reach.OUTSIDE
    limit_s: float = DEFAULT_LIMIT_S
    about: str = ""
    takes: Mapping[str, str] = field(default_factory=dict)  # variable: what it means
    gives: Mapping[str, str] = field(default_factory=dict)
    retry_delays_s: tuple[float, ...] | None = None  # where the model does not say


@dataclass(frozen=True)
class Page:
    """Pages of a plug-in, in the menu of these roles; its views name their rights."""

    blueprint: str  # "package.module:name", loaded by the server alone
    address: str
    title: str
    roles: frozenset[Role] = frozenset(Role)
    in_menu: bool = True  # beside ours
    within: str = ""  # the blueprint of ours that it belongs to
    styles: tuple[str, ...] = ()  # sheets of our own that it uses


class Where(enum.StrEnum):
    """A menu of the pages."""

    BAR = "bar"  # on top of every page
    MORE = "more"  # behind the person's name
    COCKPIT = "cockpit"  # the parts of the cockpit
    PLANT = "plant"  # the parts of the plant's administration


@dataclass(frozen=True)
class MenuLine:
    """A line in a menu of the pages, for these roles."""

    address: str
    title: str  # in English
    where: Where = Where.MORE
    rank: int = 50  # lower ones come first
    icon: str = "gear"
    roles: frozenset[Role] = frozenset(Role)
    when: str = ""  # module:function, Desk -> bool: whether there is such a thing


@dataclass(frozen=True)
class Link:
    """How pages show what an instance works for or with; {value} is its name."""

    text: str  # in English
    address: str
    icon: str = ""
    at_step: str = ""  # the text beside a step that it is at work for
    by_hand: str = ""  # it was done without the process, which is cancelled
    several_by_hand: str = ""


@dataclass(frozen=True)
class Remedy:
    """Where a person settles an incident of a kind; {value}: what it quotes first."""

    text: str  # in English
    address: str


@dataclass(frozen=True)
class Setting:
    """A setting of a plug-in, read from ``MPMS_<PLUGIN>_<NAME>``.

    ``read`` makes the value of the text, as those of ``mpms.domain.settings`` do; the
    words of its ValueError go on from the name of the variable.
    """

    about: str
    default: Any = ""
    secret: bool = False  # nobody is shown any of it
    address: bool = False  # it is shown without the password in it
    read: Callable[[str], Any] = str
    without: str = ""  # what holds where it is not set; the default
    variable: str = ""  # another name of its own


@dataclass(frozen=True)
class Metric:
    """A family of numbers for monitoring; one whose name ends in _total only grows."""

    about: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class WorkContext:
    """What a worker gives to a plug-in that runs beside it."""

    uow: UnitOfWork
    advance: Advance
    name: str  # of the worker
    wake: Callable[[], None]  # there may be work: the next round begins at once
    settings: Mapping[str, Any]  # of the plug-in
    lease_s: float = 30.0  # how long what this worker leases is its own
    options: Any = None  # of whoever starts the worker, for the factory


@dataclass(frozen=True)
class BackgroundTask:
    """A function that is called again and again in a thread beside the worker.

    It gives True while there is more to do. What it raises is logged, and it is called
    again after a while.
    """

    name: str
    run: Callable[[], bool]
    pause_s: float = 1.0


@dataclass(frozen=True)
class Working:
    """What a plug-in does in a running worker.

    ``functions``: the work of the topics that it declares without a function.
    """

    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    first: Sequence[Phase] = ()  # before what lies ready is moved
    then: Sequence[Phase] = ()  # after it
    background: Sequence[BackgroundTask] = ()


@dataclass(frozen=True)
class Plugin:
    """What a package adds."""

    name: str
    topics: Mapping[str, Topic] = field(default_factory=dict)
    work: str = ""  # module:function, WorkContext -> context manager of Working
    hooks: str = ""  # module:InstanceHooks
    kinds: tuple[Kind, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict)
    """Lists of its pages, for ``Kind.changes``, with the field that says what of it."""
    subjects: tuple[str, ...] = ()
    """Fields of history lines that name what a process works for, as its business key
    does: pages go by them, and such lines are kept when old history is deleted."""
    things: tuple[str, ...] = ()  # other fields that say what a line is about
    machines: tuple[str, ...] = ()  # actors of history lines that are nobody
    problems: tuple[Cause, ...] = ()  # what people may report at any step
    incidents: tuple[IncidentKind, ...] = ()
    decisions: tuple[Decision, ...] = ()  # forms that are alarms
    details: str = ""  # module:function, (transaction, instance id) -> Details
    links: Mapping[str, Link] = field(default_factory=dict)  # by what details name
    health: str = ""  # module:function, Desk -> HealthPart
    health_labels: str = ""  # module:function, Finding -> Told, None if not its own
    queues: Mapping[str, str] = field(default_factory=dict)  # of that addition: title
    settings: Mapping[str, Setting] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    menu: tuple[MenuLine, ...] = ()
    templates: Path | None = None  # a directory of Jinja templates for its pages
    texts: Path | None = None  # <part>.<language>.json: English sentence, translation
    operations: str = ""  # module:sections of the API
    models: Path | None = None  # a directory with .bpmn, .dmn and .form files
    stores: Mapping[str, str] = field(default_factory=dict)  # tx.<name>: module:class
    queries: Path | None = None  # a directory with .sql files of named statements
    additions: Mapping[str, str] = field(default_factory=dict)  # see QUESTIONS
    shown_at: Mapping[str, str] = field(default_factory=dict)
    """The address of an addition or of one of PLACES."""
    instance_parts: Mapping[str, str] = field(default_factory=dict)
    """Templates on the page of an instance, by INSTANCE_PARTS."""
    metrics: Mapping[str, Metric] = field(default_factory=dict)  # of that addition
    migrations: Path | None = None  # a directory with NNNN_name.sql files
    asks: Mapping[str, str] = field(default_factory=dict)  # parts of others: name, what
    offers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For what another plug-in asks for: the names of parts, each as module:name."""
    remedies: Mapping[str, Remedy] = field(default_factory=dict)  # by kind of incident
    testdrive: str = ""  # module:function, Settings -> the Plant of a test-drive

    def variable_of(self, setting: str) -> str:
        given = self.settings[setting].variable
        return given or f"MPMS_{self.name}_{setting}".upper()

    @property
    def variables(self) -> frozenset[str]:
        """Of all its settings."""
        return frozenset(map(self.variable_of, self.settings))

    def settings_in(self, environment: Mapping[str, str]) -> dict[str, Any]:
        """What is set there, else the defaults. SettingInvalid."""
        found = {}
        for name, setting in self.settings.items():
            variable = self.variable_of(name)
            text = environment.get(variable)
            found[name] = value_of(variable, text, setting.read, setting.default)
        return found
