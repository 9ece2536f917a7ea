"""The building blocks of a compiled FEEL expression: closures over the names in sight.

Chains of one precedence level run in a loop, so a long sum costs no stack; only what
is nested in the text is nested here.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any, Literal, NamedTuple

from ..expressions.faults import Fault
from .arithmetic import Operation, negative
from .comparing import compared, equal, passes
from .properties import entry_of
from .values import Env, Frame, Function, Missing, Range, Unlike, lift, shown

Run = Callable[[Env], Any]
# What the text alone tells about a value.
Kind = Literal["null", "truth", "name", "number", "boolean", "other"]


class Node(NamedTuple):
    run: Run
    kind: Kind = "other"


def constant(value: Any, kind: Kind = "other") -> Node:
    def run(env: Env) -> Any:
        env.frame.spend()
        return value

    return Node(run, kind)


def variable(name: str, position: int) -> Node:
    def run(env: Env) -> Any:
        env.frame.spend()
        at: Env | None = env
        while at is not None:
            if name in at.values:
                return lift(at.values[name])
            at = at.up
        return _unknown(env, name, position)

    return Node(run, "name")


def either(name: str, found: Node, otherwise: Node) -> Node:
    """The first where the name is in sight, else the second."""

    def run(env: Env) -> Any:
        at: Env | None = env
        while at is not None:
            if name in at.values:
                return found.run(env)
            at = at.up
        return otherwise.run(env)

    return Node(run, "name")


def _unknown(env: Env, name: str, position: int) -> Any:
    """Null inside a filter if other items have it; else, mostly, an error."""
    at: Env | None = env
    if env.frame.missing == "null":
        return None
    while at is not None:
        for row in at.rows or ():
            env.frame.spend()
            if isinstance(row, dict) and name in row:
                return None
        at = at.up
    raise Missing(f"knows no variable '{name}'", position)


def forgiving(node: Node) -> Node:
    """The same, but a missing variable is null."""

    def run(env: Env) -> Any:
        frame = env.frame
        before, frame.missing = frame.missing, "null"
        try:
            return node.run(env)
        finally:
            frame.missing = before

    return Node(run, node.kind)


def is_defined(node: Node) -> Node:
    def run(env: Env) -> Any:
        frame = env.frame
        before, frame.missing = frame.missing, "tell"
        try:
            node.run(env)
        except Missing:
            return False
        finally:
            frame.missing = before
        return True

    return Node(run, "boolean")


def chain(first: Node, rest: Sequence[tuple[int, Operation, Node]]) -> Node:
    parts = [(position, operation, node.run) for position, operation, node in rest]
    begin = first.run

    def run(env: Env) -> Any:
        value = begin(env)
        for position, operation, operand in parts:
            other = operand(env)
            env.frame.spend()
            try:
                value = operation(env.frame, value, other)
            except Fault as fault:
                value = env.frame.answer(fault, position)
        return value

    return Node(run, "number")


def negated(position: int, operand: Node) -> Node:
    def run(env: Env) -> Any:
        env.frame.spend()
        try:
            return negative(env.frame, operand.run(env))
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run, "number")


def comparison(position: int, sign: str, left: Node, right: Node) -> Node:
    if sign in ("=", "!="):
        return _equality(position, sign, left, right)
    first, second = left.run, right.run

    def run(env: Env) -> Any:
        a, b = first(env), second(env)
        env.frame.spend()
        try:
            return compared(sign, a, b, env.frame)
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run, "boolean")


def _equality(position: int, sign: str, left: Node, right: Node) -> Node:
    if left.kind == "null" or right.kind == "null":
        left, right = forgiving(left), forgiving(right)
    first, second = left.run, right.run
    wanted = sign == "="

    def run(env: Env) -> Any:
        a, b = first(env), second(env)
        try:
            found = equal(env.frame, a, b)
        except Fault as fault:
            return env.frame.answer(fault, position)
        return found if wanted or found is None else not found

    return Node(run, "boolean")


def between(position: int, value: Node, low: Node, high: Node) -> Node:
    def run(env: Env) -> Any:
        at, bottom, top = value.run(env), low.run(env), high.run(env)
        env.frame.spend()
        try:
            return conjunction(
                compared(">=", at, bottom, env.frame),
                compared("<=", at, top, env.frame),
                "between",
            )
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run, "boolean")


def conjunction(left: Any, right: Any, word: str) -> bool | None:
    for value in (left, right):
        if value is not None and not isinstance(value, bool):
            raise Fault(f"needs true or false for '{word}', not {shown(value)}")
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def logical(word: str, operands: Sequence[tuple[int, Node]]) -> Node:
    """``and`` and ``or`` with null between true and false."""
    decisive = word == "or"
    parts = [(position, node.run) for position, node in operands]

    def run(env: Env) -> Any:
        answer: bool | None = not decisive
        for position, operand in parts:
            value = operand(env)
            env.frame.spend()
            if value is decisive:
                return decisive
            if value is None:
                answer = None
            elif not isinstance(value, bool):
                cause = f"needs true or false for '{word}', not {shown(value)}"
                answer = env.frame.answer(Fault(cause, position))
        return answer

    return Node(run, "boolean")


def choice(position: int, condition: Node, chosen: Node, otherwise: Node) -> Node:
    def run(env: Env) -> Any:
        value = condition.run(env)
        env.frame.spend()
        if value is not None and not isinstance(value, bool):
            cause = f"needs true or false after 'if', not {shown(value)}"
            env.frame.answer(Fault(cause, position))
        return chosen.run(env) if value is True else otherwise.run(env)

    return Node(run)


def membership(position: int, value: Node, tests: Sequence[Node]) -> Node:
    """``value in (test, test, ...)``: true if one holds, null if none but one might."""

    def run(env: Env) -> Any:
        found = value.run(env)
        answer: bool | None = False
        for test in tests:
            try:
                held = passes(env.frame, found, test.run(env))
            except Fault as fault:
                return env.frame.answer(fault, position)
            if held:
                return True
            if held is None:
                answer = None
        return answer

    return Node(run, "boolean")


def same_or_not(operand: Node, *, unlike: bool) -> Node:
    """``= x`` and ``!= x`` after ``in`` and in cells of tables."""

    def run(env: Env) -> Any:
        value = operand.run(env)
        return Unlike(value) if unlike else value

    return Node(run)


def interval(
    position: int, low: Node | None, high: Node | None, ends: tuple[bool, bool]
) -> Node:
    def end(env: Env, node: Node | None) -> Any:
        if node is None:
            return None
        value = node.run(env)
        if value is None or isinstance(value, bool | list | dict | Range | Function):
            raise Fault(f"has a range with the end {shown(value)}", position)
        return value

    def run(env: Env) -> Any:
        env.frame.spend()
        try:
            return Range(end(env, low), end(env, high), *ends)
        except Fault as fault:
            return env.frame.answer(fault)

    return Node(run)


def items(members: Sequence[Node]) -> Node:
    runs = [member.run for member in members]

    def run(env: Env) -> Any:
        env.frame.spend_on_items(len(runs))
        return [member(env) for member in runs]

    return Node(run)


def entries(members: Sequence[tuple[str, Node]]) -> Node:
    """A context; every entry sees those before it."""

    def run(env: Env) -> Any:
        env.frame.spend_on_items(len(members))
        made: dict[str, Any] = {}
        inner = Env(env.frame, made, env)
        for key, member in members:
            made[key] = member.run(inner)
        return made

    return Node(run)


def path(position: int, base: Node, name: str) -> Node:
    before = base.run

    def run(env: Env) -> Any:
        value = before(env)
        env.frame.spend()
        try:
            return entry_of(env.frame, value, name)
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run, "name")


def whole_number(value: Any, frame: Frame | None = None) -> int | None:
    """An index or a bound of a loop, if the value is a number.

    A fraction is an error, but the standard cuts it off where a frame says so.
    """
    if type(value) is not Decimal:
        return None
    if frame is not None and frame.standard:
        value = value.to_integral_value(ROUND_DOWN)
    if value != value.to_integral_value():
        raise Fault(f"needs a whole number, not {shown(value)}")
    return int(max(min(value, Decimal(10**18)), Decimal(-(10**18))))


def first_known(value: Node, otherwise: Node) -> Node:
    """``get or else``: the second if the first is null or missing."""

    def run(env: Env) -> Any:
        found = value.run(env)
        return otherwise.run(env) if found is None else found

    return Node(run)
