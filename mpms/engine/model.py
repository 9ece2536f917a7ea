"""A BPMN file as plain data, between the XML and SpiffWorkflow.

The reader fills these records, the lint checks them and the spec builder turns
them into SpiffWorkflow specs. SpiffWorkflow's own parser is not used: it recurses
along the flow, hangs on some files and drops what Camunda Modeler writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mpms.domain.models.definitions import LATEST, Problem

ACTIVITY_TAGS = frozenset(
    {
        "task",
        "userTask",
        "manualTask",
        "serviceTask",
        "scriptTask",
        "businessRuleTask",
        "sendTask",
        "receiveTask",
        "subProcess",
        "transaction",
        "adHocSubProcess",
        "callActivity",
    }
)
SUBPROCESS_TAGS = frozenset({"subProcess", "transaction", "adHocSubProcess"})


@dataclass(frozen=True)
class ListenerScript:
    """What a listener of Camunda 7 does in the step itself: ``event`` says when.

    A script, or the value of an expression, which ``target`` gets if there is one.
    """

    event: str  # start, create, complete, end; take: of a flow
    script: str | None = None
    value: str | None = None
    target: str | None = None
    local: bool = False  # the variable belongs to the activity


@dataclass(frozen=True)
class Flow:
    """A sequence flow."""

    id: str
    name: str
    source: str
    target: str
    condition: str | None = None
    scripts: tuple[ListenerScript, ...] = ()


@dataclass(frozen=True)
class EventTrigger:
    """What an event throws or waits for; ``name`` and ``code`` are already resolved.

    ``kind`` is the tag without its ending: timer, signal, message, error,
    escalation, terminate, link, conditional, compensate, cancel.
    """

    kind: str
    name: str = ""
    code: str | None = None
    timer: str = ""  # date, duration or cycle
    text: str = ""  # of a timer or a condition
    correlation: str | None = None  # expression for the key of a message
    error_message: str | None = None  # or an expression, of whoever throws it
    error_code_variable: str | None = None
    error_message_variable: str | None = None
    escalation_code_variable: str | None = None
    variable_name: str | None = None  # a condition looks at changes of this one only
    variable_events: tuple[str, ...] = ()  # create, update, delete; empty: all
    activity: str | None = None  # to be compensated; None: all of the scope
    wait_for_completion: bool = True  # of a compensation


@dataclass(frozen=True)
class Loop:
    """Multi-instance or standard loop of an activity."""

    kind: str  # parallel, sequential or standard
    collection: str | None = None
    element_variable: str | None = None
    cardinality: str | None = None
    completion: str | None = None
    loop_condition: str | None = None
    loop_maximum: int | None = None
    test_before: bool = False
    output_collection: str | None = None
    output_element: str | None = None
    camunda_8: bool = False  # counts from one, keeps gaps, its own counter names
    turn_variable: str | None = None  # every turn has its own, empty at first
    async_before: bool = False  # each turn waits for a commit of its own
    async_after: bool = False


@dataclass(frozen=True)
class AdHoc:
    """What an ad-hoc subprocess does with the activities inside."""

    active: str | None = None  # expression for the ids that begin; None: people choose
    completion: str | None = None
    cancels_remaining: bool = True
    one_at_a_time: bool = False


@dataclass(frozen=True)
class Mapping:
    """One input, output, in or out: ``target`` gets the value of ``value``.

    ``value`` is JSON-like data whose strings are model texts (``${…}``, ``=…`` or
    plain): a string, a list of values or a dict of values. ``script`` marks an
    inline script as the value.
    """

    target: str
    value: object
    path: tuple[str, ...] = ()  # the place inside the target, for ``order.id``
    merges: bool = False  # the rest of the target stays as it is
    in_turn: bool = False  # sees what the mappings before it gave
    variable: str | None = None  # the value is that of this one, which may be missing


@dataclass(frozen=True)
class Listener:
    """Work that is done before an activity begins, or after it."""

    event: str  # start or end
    topic: str
    attempts: int | None = None


@dataclass(frozen=True)
class Settings:
    """The extension attributes and elements we honour, whatever their dialect."""

    form: str | None = None
    assignee: str | None = None
    candidate_groups: tuple[str, ...] = ()
    candidate_users: tuple[str, ...] = ()
    due_date: str | None = None
    follow_up_date: str | None = None
    priority: str | None = None  # of a user task
    job_priority: str | None = None  # of whatever a worker takes up
    topic: str | None = None
    retry_cycle: str | None = None
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    call_in: tuple[Mapping, ...] = ()
    call_out: tuple[Mapping, ...] = ()
    call_in_all: bool = False
    call_out_all: bool = False
    call_business_key: str | None = None
    decision: str | None = None
    result_variable: str | None = None
    decision_result: str | None = None  # singleEntry, singleResult, collectEntries...
    properties: tuple[tuple[str, str], ...] = ()
    camunda_8: bool = False  # results stay with a task's own variables; jobs see all
    attempts: int | None = None  # of a job, instead of a retry cycle
    called: str | None = None  # process to call, where an extension names it
    binding: str = LATEST  # or deployment, or a number: what is called or decided
    listeners: tuple[Listener, ...] = ()
    scripts: tuple[ListenerScript, ...] = ()
    async_before: bool = False  # all before is committed, then a worker goes on
    async_after: bool = False
    initiator: str | None = None  # the variable that gets who started the process
    expression: str | None = None  # of a script task that computes one value


@dataclass(frozen=True)
class Element:
    """A flow node: event, gateway, activity."""

    id: str
    name: str
    tag: str
    scope: str | None = None  # id of the enclosing subprocess
    lane: str | None = None
    incoming: tuple[str, ...] = ()
    outgoing: tuple[str, ...] = ()
    default: str | None = None
    triggers: tuple[EventTrigger, ...] = ()
    attached_to: str | None = None
    interrupting: bool = True  # boundary event or event subprocess start
    waits_for_all: bool = False  # of its triggers
    event_subprocess: bool = False
    loop: Loop | None = None
    script: str | None = None
    script_format: str | None = None
    called: str | None = None
    message: str | None = None  # of a send or receive task
    message_correlation: str | None = None
    settings: Settings = field(default_factory=Settings)
    for_compensation: bool = False  # a handler, outside the normal flow
    handlers: tuple[str, ...] = ()  # what associations lead to from a boundary event
    data_copies: tuple[str, ...] = ()  # data associations that would copy a value
    ad_hoc: AdHoc | None = None
    activation: str | None = None  # condition of a complex gateway
    choice_form: str | None = None  # what people choose the next activity with

    @property
    def trigger(self) -> EventTrigger | None:
        return self.triggers[0] if self.triggers else None

    @property
    def is_activity(self) -> bool:
        return self.tag in ACTIVITY_TAGS

    @property
    def offered_to(self) -> tuple[str, ...]:
        """The groups of a form, as far as they are written and not computed."""
        if self.tag != "userTask":
            return ()
        named = self.settings.candidate_groups
        if named or self.settings.assignee or self.settings.candidate_users:
            return tuple(g for g in named if not g.startswith(("=", "${", "#{")))
        return () if self.lane is None else (self.lane.casefold(),)


@dataclass(frozen=True)
class Process:
    """One executable process with all elements of all levels, in file order."""

    id: str
    name: str
    elements: dict[str, Element]
    flows: dict[str, Flow]
    lanes: tuple[str, ...] = ()
    executable: bool = True
    camunda_8: bool = False  # drawn for it: its FEEL is the standard's
    job_priority: str | None = None  # where an element says nothing
    starters: tuple[str, ...] = ()  # groups and people who may start it; empty: all
    scripts: tuple[ListenerScript, ...] = ()

    def within(self, scope: str | None) -> Iterator[Element]:
        """The elements directly inside a subprocess, or of the process itself."""
        return (e for e in self.elements.values() if e.scope == scope)


@dataclass(frozen=True)
class Model:
    """Everything one file holds."""

    processes: tuple[Process, ...]
    problems: tuple[Problem, ...] = ()  # found while reading
