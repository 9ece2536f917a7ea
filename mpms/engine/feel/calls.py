"""Calling functions: built-in ones, known when the text is read, and the model's own.

A built-in function declares itself in one line, ``substring(string: string, start
position: number, length?: number)``; names, count, kinds and nulls of the arguments
are checked here, so that the functions themselves meet only what they asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..expressions.faults import Fault
from .nodes import Node
from .types import Fits
from .values import Env, Frame, Function, kind_of, lift, shown


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: str  # a type name, or several with | between them, or "any"
    optional: bool = False
    nullable: bool = False
    many: bool = False
    kinds: tuple[str, ...] = ()

    def taken(self, value: Any, function: str) -> Any:
        """The argument, single values and lists of one turned into each other."""
        if self.kind == "any" or value is None:
            return value
        if kind_of(value) in self.kinds:
            return value
        if self.kind == "list":
            return [value]
        if isinstance(value, list) and len(value) == 1:
            only = lift(value[0])
            if only is not None and kind_of(only) in self.kinds:
                return only
        wanted = " or ".join(self.kinds)
        raise Fault(
            f"needs a {wanted} as {self.name} of {function}(), not {shown(value)}"
        )


@dataclass(frozen=True, slots=True)
class Builtin:
    name: str
    parameters: tuple[Parameter, ...]
    compute: Callable[..., Any]

    def accepts(self, count: int) -> bool:
        fewest = sum(not p.optional for p in self.parameters)
        many = bool(self.parameters) and self.parameters[-1].many
        return count >= fewest and (many or count <= len(self.parameters))

    def accepts_names(self, names: Sequence[str]) -> bool:
        known = {p.name for p in self.parameters if not p.many}
        needed = {p.name for p in self.parameters if not p.optional}
        return known >= set(names) >= needed

    def call(self, frame: Frame, given: list[Any]) -> Any:
        taken: list[Any] = []
        for index, parameter in enumerate(self.parameters):
            if parameter.many:
                rest = given[index:]
                frame.spend(len(rest))
                taken.append([parameter.taken(value, self.name) for value in rest])
                break
            if index >= len(given):
                break
            if given[index] is ABSENT:
                taken.append(None)
                continue
            value = parameter.taken(given[index], self.name)
            left_out = parameter.optional and not frame.standard
            if value is None and not parameter.nullable and not left_out:
                return None
            frame.spend_on_handled(value)
            taken.append(value)
        made = self.compute(frame, *taken)
        frame.spend_on_handled(made)
        return made


ABSENT = object()
"""An optional argument that was not given, which is not the same as null."""

BUILTINS: dict[str, list[Builtin]] = {}


def builtin(*signatures: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function under one or several signatures.

    ``name?`` may be left out, ``name!`` may be null, ``name...`` takes all the rest.
    """

    def register(compute: Callable[..., Any]) -> Callable[..., Any]:
        for signature in signatures:
            name, _, rest = signature.partition("(")
            parameters = tuple(
                _parameter(part) for part in rest.rstrip(")").split(",") if part.strip()
            )
            BUILTINS.setdefault(name, []).append(Builtin(name, parameters, compute))
        return compute

    return register


def _parameter(text: str) -> Parameter:
    name, _, kind = (part.strip() for part in text.partition(":"))
    many = name.endswith("...")
    plain = name.removesuffix("...").rstrip("?!")
    marks = name[len(plain) :]
    kinds = tuple(kind.split("|"))
    return Parameter(plain, kind or "any", "?" in marks, "!" in marks, many, kinds)


def chosen(name: str, count: int, names: Sequence[str] | None) -> Builtin:
    """The overload that takes these arguments."""
    candidates = BUILTINS[name]
    if names is not None:  # before(point, range) is not before(range, point)
        candidates = sorted(
            candidates, key=lambda one: [p.name for p in one.parameters] != list(names)
        )
    for candidate in candidates:
        fits = candidate.accepts(count) if names is None else False
        if fits or (names is not None and candidate.accepts_names(names)):
            return candidate
    forms = " or ".join(_form(candidate) for candidate in BUILTINS[name])
    given = f"{count} arguments" if names is None else ", ".join(names)
    raise Fault(f"gives {given} to {name}(), which is {forms}")


def _form(candidate: Builtin) -> str:
    shown_names = [
        f"{p.name}{'...' if p.many else '?' if p.optional else ''}"
        for p in candidate.parameters
    ]
    return f"{candidate.name}({', '.join(shown_names)})"


def builtin_call(
    position: int, function: Builtin, arguments: Sequence[Node | None]
) -> Node:
    """``None`` among the arguments: an optional one that was not named."""
    runs = [None if argument is None else argument.run for argument in arguments]

    def run(env: Env) -> Any:
        given = [ABSENT if argument is None else argument(env) for argument in runs]
        env.frame.spend()
        try:
            return function.call(env.frame, given)
        except Fault as fault:
            return env.frame.answer(fault, position)

    boolean = function.name in ("not", "contains", "starts with", "ends with")
    return Node(run, "boolean" if boolean else "other")


def ordered(function: Builtin, named: Mapping[str, Node]) -> list[Node | None]:
    found = [named.get(parameter.name) for parameter in function.parameters]
    while found and found[-1] is None:
        found.pop()
    return found


# -- functions of the model ------------------------------------------------------------


def definition(parameters: Sequence[tuple[str, Fits | None]], body: Node) -> Node:
    def run(env: Env) -> Any:
        env.frame.spend()
        return Function(tuple(parameters), body.run, env)

    return Node(run)


def call_of(
    position: int,
    target: Node,
    arguments: Sequence[Node],
    names: Sequence[str] | None,
) -> Node:
    def run(env: Env) -> Any:
        function = target.run(env)
        values = [argument.run(env) for argument in arguments]
        try:
            if not isinstance(function, Function):
                raise Fault(f"calls {shown(function)}, which is no function")
            if names is not None:
                values = _by_name(function, dict(zip(names, values, strict=True)))
            return invoke(env.frame, function, values)
        except Fault as fault:
            return env.frame.answer(fault, position)

    return Node(run)


def _by_name(function: Function, given: dict[str, Any]) -> list[Any]:
    wanted = [name for name, _ in function.parameters]
    if set(wanted) != set(given):
        raise Fault(f"names {', '.join(given)} where {', '.join(wanted)} is wanted")
    return [given[name] for name in wanted]


def builtin_value(name: str) -> Node:
    """A built-in function that is not called but handed over."""
    return Node(lambda env: Function((), None, env, builtin=name))


def invoke(frame: Frame, function: Function, values: Sequence[Any]) -> Any:
    if function.builtin is not None:
        frame.spend()
        return chosen(function.builtin, len(values), None).call(frame, list(values))
    parameters = function.parameters
    if len(values) != len(parameters):
        raise Fault(f"gives {len(values)} arguments to a function of {len(parameters)}")
    frame.spend(1 + len(values))
    bound: dict[str, Any] = {}
    for (name, fits), value in zip(parameters, values, strict=True):
        if fits is not None and value is not None and not fits(frame, value):
            raise Fault(f"gives {shown(value)} as '{name}', which has another type")
        bound[name] = value
    frame.enter_call()
    try:
        return function.body(Env(frame, bound, function.env))
    finally:
        frame.leave_call()
