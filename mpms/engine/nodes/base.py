"""What every element does alike: be entered, wait, be left along its flows."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from typing import Any

from SpiffWorkflow.bpmn.specs.bpmn_task_spec import BpmnTaskSpec
from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.steps import GO_ON_TOPIC, JobWait, Variables, Wait
from mpms.domain.jobs import DEFAULT_RETRY_DELAYS_S
from mpms.engine import scope
from mpms.engine.expressions import Expression, compile_value, is_expression
from mpms.engine.model import Element, Mapping
from mpms.engine.nodes.catching import catcher_of
from mpms.engine.nodes.told import Told
from mpms.engine.starts import StartEvent, chosen_start
from mpms.engine.tokens import Surroundings, Token, Tokens


@dataclass(frozen=True)
class Way:
    """One outgoing sequence flow, compiled."""

    flow: str
    target: str
    condition: Expression | None
    default: bool
    told: Told | None = None


def evaluate(expression: Expression, token: Token) -> Any:
    """The value of an expression as this token sees the variables."""
    run: Tokens = token.workflow
    around = run.around
    return expression.evaluate(
        scope.seen_by(expression, scope.visible(token), around.business_key),
        now=around.now,
        standard=around.standard_feel,
    )


def is_true(condition: Expression, token: Token) -> bool:
    """A condition must be true or false; anything else is an error, not a guess."""
    value = evaluate(condition, token)
    if value is None and token.workflow.around.standard_feel and condition.is_feel:
        return False
    if not isinstance(value, bool):
        raise ExpressionFailed(
            f"The condition {condition.text!r} gives {value!r}, not true or false."
        )
    return value


TELLING = "telling"  # a stage: listeners at the end have not all done their work


class Priority:
    """The number by which work is put in order, written or chosen."""

    def __init__(self, noun: str, text: str) -> None:
        self._noun, self._text = noun, compile_value(text)

    def of(self, token: Token) -> int:
        value = evaluate(self._text, token)
        if isinstance(value, str) and value.strip().lstrip("-").isdigit():
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ExpressionFailed(f"The {self._noun} must be a number, not {value!r}.")
        if not -HIGHEST <= value <= HIGHEST:
            raise ExpressionFailed(f"The {self._noun} {value:,} is beyond {HIGHEST:,}.")
        return value


HIGHEST = 2**31 - 1


class Name:
    """A name of something outside, written or chosen by an expression."""

    def __init__(self, noun: str, text: str) -> None:
        self.noun, self.text = noun, text
        self._chosen = compile_value(text) if is_expression(text) else None

    def of(self, token: Token) -> str:
        if self._chosen is None:
            return self.text
        name = evaluate(self._chosen, token)
        if not isinstance(name, str) or not name.strip():
            raise ExpressionFailed(
                f"The {self.noun} {self.text!r} should be a name, but is {name!r}."
            )
        return name


class MappedValue:
    """A mapping's value, which may be nested lists and maps of model texts."""

    def __init__(self, mapping: Mapping) -> None:
        self.target = mapping.target
        self.in_turn = mapping.in_turn
        self.variable = mapping.variable
        self._path, self._merges = mapping.path, mapping.merges
        self._value = self._compile(mapping.value)

    def _compile(self, value: object) -> Any:
        if isinstance(value, str):
            return compile_value(value)
        if isinstance(value, list | tuple):
            return [self._compile(item) for item in value]
        if isinstance(value, AbstractMapping):
            return {key: self._compile(item) for key, item in value.items()}
        return value

    def of(self, variables: AbstractMapping[str, Any], around: Surroundings) -> Any:
        lacking = self.variable is not None and self.variable not in variables
        if lacking and around.missing_is_null:
            return None
        return self._resolve(self._value, variables, around)

    def placed(
        self, value: Any, found: Variables, seen: AbstractMapping[str, Any]
    ) -> Any:
        """The whole target with the value at its place inside."""
        if not self._path:
            return value
        whole = found.get(self.target)
        if self.target not in found and self._merges:
            whole = seen.get(self.target)
        return _nested(whole, self._path, value)

    def _resolve(
        self, value: Any, variables: AbstractMapping[str, Any], around: Surroundings
    ) -> Any:
        if isinstance(value, Expression):
            standard = around.standard_feel
            seen = scope.seen_by(value, variables, around.business_key)
            return value.evaluate(seen, now=around.now, standard=standard)
        if isinstance(value, list):
            return [self._resolve(item, variables, around) for item in value]
        if isinstance(value, dict):
            return {k: self._resolve(v, variables, around) for k, v in value.items()}
        return value


def mapped(
    values: list[MappedValue],
    token: Token,
    variables: AbstractMapping[str, Any] | None = None,
) -> Variables:
    """What the mappings give, reading the token's variables or those given."""
    run: Tokens = token.workflow
    seen = scope.visible(token) if variables is None else variables
    found: Variables = {}
    in_turn = ChainMap(found, dict(seen)) if any(v.in_turn for v in values) else seen
    for value in values:
        given = value.of(in_turn if value.in_turn else seen, run.around)
        found[value.target] = value.placed(given, found, seen)
    return found


def _nested(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    if not path:
        return value
    outer = dict(whole) if isinstance(whole, dict) else {}
    outer[path[0]] = _nested(outer.get(path[0]), path[1:], value)
    return outer


class Node(BpmnTaskSpec):
    """The spec of one element."""

    element: Element | None = None
    is_conditional = False
    is_event_subprocess = False
    is_beside = False  # watches, and is entered when its event comes
    is_ad_hoc = False
    listeners: tuple[str, ...] = ()  # starts of event subprocesses inside
    remembers = False  # whether its completion can be compensated later
    told: Told | None = None  # listeners that are executed in the step
    tells_itself = False  # when it begins, since something comes before that
    async_before = async_after = False
    job_priority: Priority | None = None  # of the jobs it makes

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, name or element.id, lane=element.lane)
        self.bpmn_id, self.bpmn_name = element.id, element.name
        self.element = element
        self.ways: list[Way] = []
        self.boundary: list[str] = []
        self.turn_of: str | None = None  # the loop body this is one turn of

    # SpiffWorkflow calls these; prediction is what makes its trees grow.
    def _predict(self, *_: Any, **__: Any) -> None:
        return None

    def _on_complete(self, token: Token) -> None:
        if self.told is None or self._tell_end(token):
            self.leave(token)

    def _tell_end(self, token: Token) -> bool:
        """Let the listeners at the end do their work, once; False: token is stuck."""
        run: Tokens = token.workflow
        if self.told is None or token.internal_data.get("stage", TELLING) != TELLING:
            return True
        token.internal_data.pop("stage", None)
        events = ("complete", "end")
        try:
            self.told.run(token, *(("start", *events) if self.is_beside else events))
        except ExpressionFailed as failure:
            run.get_stuck(token, TELLING, str(failure))
            return False
        return True

    def hold_before(self, token: Token) -> bool:
        """Whether a token that comes has to wait until all before is committed."""
        if not self.async_before or self.is_beside:
            return False
        if token.internal_data.pop("continued", False):
            return False
        self._hold(token, "before")
        return True

    def _hold(self, token: Token, at: str) -> None:
        run: Tokens = token.workflow
        priority = 0 if self.job_priority is None else self.job_priority.of(token)
        token.internal_data["held"] = at
        token._set_state(TaskState.STARTED)
        waiting = Token(
            run,
            self._wf_spec.task_specs[go_on_name(self.name)],
            token,
            state=TaskState.STARTED,
        )
        waiting.internal_data.update(part=True, job_priority=priority)

    def go_on(self, token: Token) -> None:
        """A worker has taken the token up behind a commit."""
        run: Tokens = token.workflow
        if token.internal_data.pop("held") == "before":
            token.internal_data["continued"] = True
            token._set_state(TaskState.READY)
            run.ready.append(token)
        else:
            token.internal_data["stage"] = "choosing"
            token.complete()

    @property
    def element_id(self) -> str | None:
        return self._element.id

    @property
    def position(self) -> str:
        return self._element.id

    @property
    def _element(self) -> Element:
        if self.element is None:
            raise TypeError("this node stands for no element")
        return self.element

    # -- waiting -----------------------------------------------------------------

    def wait(self, token: Token) -> Wait | None:
        """What a token that rests here waits for; None: for other tokens."""
        return None

    def wait_facts(self, token: Token) -> tuple[str, str, str, str | None]:
        element = self._element
        return token.key, element.id, element.name, element.lane

    def cancelled(self, token: Token) -> None:
        """The token is about to be cancelled; what is inside it is gone."""

    def fire_if_complete(self, token: Token) -> bool:
        """Joins say here whether all that can come has come."""
        return False

    def scope_emptied(self, token: Token) -> None:
        """The last token inside is gone."""
        token.complete()

    # -- leaving ------------------------------------------------------------------

    def leave(self, token: Token) -> None:
        """Move on: map outputs, choose flows, put tokens there, take this one off.

        A failure leaves the token stuck at the stage it reached, so that a retry
        neither repeats the work nor maps its outputs twice.
        """
        run: Tokens = token.workflow
        stage = token.internal_data.pop("stage", "mapping")
        try:
            if stage == "mapping":
                if self.map_outputs_then_listen(token):
                    return
                if self.async_after or (self.async_before and self.is_beside):
                    run.drop_watchers(token)
                    self._hold(token, "after")
                    return
                stage = "choosing"
            ways = [] if self.turn_of else self.choose(token)
            for way in ways:
                if way.told is not None:
                    way.told.run(token, "take")
            if self.remembers and stage != "turning":
                self.remember(token)
        except ExpressionFailed as failure:
            run.get_stuck(token, stage, str(failure))
            return
        parent = token.parent
        run.drop_watchers(token)
        if stage != "turning":
            run.note("left", token)
        if self.turn_of:
            parent.task_spec.turn_done(parent, token)
            return
        run.take(token)
        for way in ways:
            self.send(way, parent)
        run.close_scope_if_empty(parent)

    def map_outputs(self, token: Token) -> None:
        """Activities map their results to variables here."""

    def map_outputs_then_listen(self, token: Token) -> bool:
        """Map outputs; whether something else has to be done before it is left."""
        self.map_outputs(token)
        return False

    def remember(self, token: Token) -> None:
        """Activities that can be compensated keep what that needs here."""

    def choose(self, token: Token) -> list[Way]:
        """All unconditional flows and those whose condition holds, else the default."""
        if len(self.ways) < 2 and all(w.condition is None for w in self.ways):
            return self.ways
        plain = [w for w in self.ways if w.condition is None and not w.default]
        chosen = [
            w
            for w in self.ways
            if w.condition is not None and is_true(w.condition, token)
        ]
        chosen = chosen or [w for w in self.ways if w.default]
        if self.ways and not chosen and not plain:
            raise ExpressionFailed(
                f"No way leads on from {self._element.name or self._element.id!r}:"
                " no condition is true and there is no default flow."
            )
        order = {w.flow: i for i, w in enumerate(self.ways)}
        return sorted(plain + chosen, key=lambda w: order[w.flow])

    def send(self, way: Way, scope_token: Token) -> None:
        self._wf_spec.task_specs[way.target].arrive(way.flow, scope_token)

    def arrive(self, flow: str, scope_token: Token) -> None:
        """A token comes along a flow."""
        run: Tokens = scope_token.workflow
        run.place(self, scope_token, via=flow)

    # -- errors --------------------------------------------------------------------

    def throw_error(self, token: Token, code: str, message: str) -> bool:
        """Offer an error to the nearest catcher, going outwards; say if one took it."""
        run: Tokens = token.workflow
        catcher = catcher_of(token, "error", code)
        if catcher is None:
            return False
        run.note("failed", token, code=code, message=message)
        catcher.task_spec.take_over(catcher, code, message)
        return True

    def catches(self, kind: str, code: str) -> int | None:
        """Rank of the match: 0 this code, 1 any code, None: not caught here."""
        return None


def go_on_name(name: str) -> str:
    return f"{name}#go_on"


class GoOn(Node):
    """Waits inside a token for a worker who takes that up behind a commit."""

    def __init__(self, wf_spec: Any, element: Element, of: str) -> None:
        super().__init__(wf_spec, element, go_on_name(of))

    def wait(self, token: Token) -> Wait | None:
        priority = token.internal_data["job_priority"]
        facts = self.wait_facts(token)
        return JobWait(*facts, GO_ON_TOPIC, {}, DEFAULT_RETRY_DELAYS_S, priority)

    def accept(self, token: Token) -> None:
        run: Tokens = token.workflow
        held: Token = token.parent
        run.take(token)
        held.task_spec.go_on(held)


class ProcessNode(Node):
    """The root scope: the process itself."""

    def __init__(
        self, wf_spec: Any, process_id: str, starts: tuple[StartEvent, ...]
    ) -> None:
        BpmnTaskSpec.__init__(self, wf_spec, f"{process_id}#process")
        self.ways, self.boundary, self.turn_of = [], [], None
        self.starts = starts

    @property
    def element_id(self) -> str | None:
        return None

    def begin(
        self,
        run: Tokens,
        variables: Variables,
        at: str | None = None,
        by: str | None = None,
    ) -> None:
        """Put the first token on a start event."""
        start = chosen_start(self.starts, at)
        root = run.restore(None, self, TaskState.STARTED)
        spec = self._wf_spec.task_specs[start]
        triggered = any(s.element == start and s.kind != "none" for s in self.starts)
        if triggered and spec._element.settings.outputs:
            root.internal_data["brought"] = variables
        else:
            scope.write(root, variables)
        if initiator := spec._element.settings.initiator:
            scope.write(root, {initiator: by})
        run.listen(root)
        run.place(spec, root)
