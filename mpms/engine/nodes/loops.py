"""Multi-instance activities and standard loops: a body with one token a turn."""

from __future__ import annotations

from typing import Any

from mpms.domain.errors import ExpressionFailed
from mpms.engine import scope
from mpms.engine.expressions import (
    compile_condition,
    compile_expression,
    compile_value,
    is_expression,
)
from mpms.engine.model import Element, Loop
from mpms.engine.nodes.base import Node, evaluate, is_true
from mpms.engine.nodes.compensation import hand_over
from mpms.engine.tokens import Token, Tokens

TURN_LIMIT = 10_000
TOKEN_LIMIT = 20_000  # of one instance: loops in loops


class LoopBody(Node):
    """Holds the turns; boundary events watch the body, not a single turn."""

    def __init__(self, wf_spec: Any, element: Element, turn: str) -> None:
        super().__init__(wf_spec, element)
        loop = element.loop
        assert loop is not None  # noqa: S101 - the builder chooses by it
        self.loop: Loop = loop
        self.turn = turn
        self.collection = _named(loop.collection)
        self.cardinality = _value(loop.cardinality)
        self.completion = _condition(loop.completion)
        self.condition = _condition(loop.loop_condition)
        self.output = _named(loop.output_element)

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        items = self.items(token)
        if self.loop.kind == "parallel":
            self._require_room(run, len(items))
        token.internal_data["loop"] = {"items": items, "next": 0, "done": 0}
        token.internal_data["results"] = {}
        if self.has_no_turn(token, items):
            return True
        for name in self.boundary:
            run.place(self._wf_spec.task_specs[name], token.parent, on=token.key)
        if self.loop.kind == "standard":
            self.begin_turn(token, None)
            return None
        scope.write_local(token, self.counters(token))
        for _ in items if self.loop.kind == "parallel" else items[:1]:
            self.begin_turn(token, items)
        return None

    def _require_room(self, run: Tokens, turns: int) -> None:
        if (tokens := len(run.tasks) + turns) > TOKEN_LIMIT:
            raise ExpressionFailed(
                f"With {turns:,} turns at once the process would have {tokens:,}"
                f" tokens, and {TOKEN_LIMIT:,} are the most: loops lie in each other."
                " Let one of them be sequential."
            )

    def has_no_turn(self, token: Token, items: list[Any]) -> bool:
        if self.loop.kind == "standard":
            return self.loop.test_before and not self.goes_on(token)
        return not items

    def items(self, token: Token) -> list[Any]:
        if self.loop.kind == "standard":
            return []
        if self.collection is not None:
            items = evaluate(self.collection, token)
            if not isinstance(items, list):
                raise ExpressionFailed(f"A collection must be a list, not {items!r}.")
        else:
            count = (
                None if self.cardinality is None else evaluate(self.cardinality, token)
            )
            if isinstance(count, str) and count.strip().isdigit():
                count = int(count)
            if not isinstance(count, int) or isinstance(count, bool) or count < 0:
                raise ExpressionFailed(
                    f"A loop needs a number of turns, not {count!r}."
                )
            if count > TURN_LIMIT:
                raise ExpressionFailed(f"{count:,} turns are more than {TURN_LIMIT:,}.")
            items = [None] * count
        if len(items) > TURN_LIMIT:
            raise ExpressionFailed(
                f"{len(items):,} turns are more than {TURN_LIMIT:,}."
            )
        return items

    def begin_turn(self, token: Token, items: list[Any] | None) -> None:
        run: Tokens = token.workflow
        state = token.internal_data["loop"]
        at = state["next"]
        state["next"] = at + 1
        turn = run.place(self._wf_spec.task_specs[self.turn], token, turn=at)
        turn.data["loopCounter"] = at + 1 if self.loop.camunda_8 else at
        if self.loop.turn_variable:
            turn.data[self.loop.turn_variable] = None
        if items is not None and self.loop.element_variable:
            turn.data[self.loop.element_variable] = items[at]

    def counters(self, token: Token) -> dict[str, int]:
        state = token.internal_data["loop"]
        if self.loop.camunda_8:
            return {
                "numberOfInstances": len(state["items"]),
                "numberOfActiveInstances": state["next"] - state["done"],
                "numberOfCompletedInstances": state["done"],
                "numberOfTerminatedInstances": 0,
            }
        return {
            "nrOfInstances": len(state["items"]),
            "nrOfActiveInstances": state["next"] - state["done"],
            "nrOfCompletedInstances": state["done"],
        }

    def goes_on(self, token: Token) -> bool:
        """Whether a standard loop takes another turn."""
        state = token.internal_data["loop"]
        maximum = self.loop.loop_maximum
        if maximum is not None and state["next"] >= maximum:
            return False
        return self.condition is None or is_true(self.condition, token)

    def turn_done(self, token: Token, turn: Token) -> None:
        """A turn ended: collect its output, then the next turn or the end.

        A failure leaves the turn stuck with all it knows, so that a retry can
        collect its output and the other turns go on.
        """
        run: Tokens = token.workflow
        state = token.internal_data["loop"]
        try:
            if self.output is not None and "skipped" not in turn.internal_data:
                at = str(turn.internal_data["turn"])
                token.internal_data["results"][at] = evaluate(self.output, turn)
            if "counted" not in turn.internal_data:
                turn.internal_data["counted"] = True
                state["done"] += 1
            if self.loop.kind != "standard":
                scope.write_local(token, self.counters(token))
            done = self.completion is not None and is_true(self.completion, turn)
            more = self.loop.kind == "standard" and self.goes_on(token)
        except ExpressionFailed as failure:
            run.get_stuck(turn, "turning", str(failure))
            return
        run.take(turn)
        items = state["items"]
        if done:
            for other in list(token.children):
                run.cancel_token(other)
            token.complete()
        elif more:
            self.begin_turn(token, None)
        elif self.loop.kind == "sequential" and state["next"] < len(items):
            self.begin_turn(token, items)
        elif not token.children:
            token.complete()

    def remember(self, token: Token) -> None:
        hand_over(token)

    def map_outputs(self, token: Token) -> None:
        if self.loop.output_collection and self.output is not None:
            results = token.internal_data["results"]
            ordered = [results[key] for key in sorted(results, key=int)]
            if self.loop.camunda_8:
                turns = len(token.internal_data["loop"]["items"])
                ordered = [results.get(str(at)) for at in range(turns)]
            scope.write(token.parent, {self.loop.output_collection: ordered})


def _value(text: str | None) -> Any:
    return None if text is None else compile_value(text)


def _named(text: str | None) -> Any:
    """An expression, or the plain name of a variable."""
    if text is None or is_expression(text):
        return _value(text)
    return compile_expression(text)


def _condition(text: str | None) -> Any:
    return None if text is None else compile_condition(text)
