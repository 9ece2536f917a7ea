"""Decision logic that is no table: literal expressions, boxed contexts, lists,
relations, functions and invocations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..expressions.faults import Fault
from ..feel import loops, nodes
from ..feel.calls import builtin_call, chosen, invoke, ordered
from ..feel.nodes import Node
from ..feel.values import Env, Function, shown
from .item_types import ANY, ItemType
from .terms import Term


class Logic(Protocol):
    @property
    def names(self) -> frozenset[str]:
        """The variables it reads."""
        ...

    def value(self, env: Env) -> Any: ...


@dataclass(frozen=True, slots=True)
class Given:
    """No logic: a service is given the value."""

    names: frozenset[str] = frozenset()

    def value(self, env: Env) -> Any:
        raise Fault("has no logic; its value is given to the decision service")


@dataclass(frozen=True, slots=True)
class Literal:
    term: Term

    @property
    def names(self) -> frozenset[str]:
        return self.term.names

    def value(self, env: Env) -> Any:
        return self.term.value(env)


@dataclass(frozen=True, slots=True)
class Listed:
    members: tuple[Logic, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(member.names for member in self.members))

    def value(self, env: Env) -> Any:
        env.frame.spend_on_items(len(self.members))
        return [member.value(env) for member in self.members]


@dataclass(frozen=True, slots=True)
class Related:
    """A relation: rows with the same columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Logic, ...], ...]

    @property
    def names(self) -> frozenset[str]:
        cells = [cell for row in self.rows for cell in row]
        return frozenset[str]().union(*(cell.names for cell in cells))

    def value(self, env: Env) -> Any:
        env.frame.spend_on_items(len(self.rows) * len(self.columns))
        return [
            {
                name: cell.value(env)
                for name, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    logic: Logic
    type: ItemType = ANY


@dataclass(frozen=True, slots=True)
class Contextual:
    """A boxed context; entries see those before them, the result sees all."""

    entries: tuple[Entry, ...]
    result: Logic | None

    @property
    def names(self) -> frozenset[str]:
        found: set[str] = set()
        bound: set[str] = set()
        for entry in self.entries:
            found |= entry.logic.names - bound
            bound.add(entry.name)
        return frozenset(found | (self.result.names - bound if self.result else set()))

    def value(self, env: Env) -> Any:
        made: dict[str, Any] = {}
        inner = Env(env.frame, made, env)
        for entry in self.entries:
            env.frame.spend()
            value = entry.logic.value(inner)
            made[entry.name] = entry.type.taken(value, inner, f"entry '{entry.name}'")
        return made if self.result is None else self.result.value(inner)


@dataclass(frozen=True, slots=True)
class Defined:
    """A function of the file."""

    parameters: tuple[tuple[str, ItemType], ...]
    body: Logic
    result: ItemType = ANY

    @property
    def names(self) -> frozenset[str]:
        return self.body.names - {name for name, _ in self.parameters}

    def value(self, env: Env) -> Any:
        def run(inner: Env) -> Any:
            given = {
                name: kind.fitted(inner.values[name], inner, f"parameter '{name}'")
                for name, kind in self.parameters
            }
            value = self.body.value(Env(inner.frame, given, inner.up))
            return self.result.taken(value, inner, "the result")

        return Function(tuple((name, None) for name, _ in self.parameters), run, env)


@dataclass(frozen=True, slots=True)
class Invoked:
    """A call with its arguments in boxes."""

    function: Term
    arguments: Mapping[str, Logic] = field(default_factory=dict)

    @property
    def names(self) -> frozenset[str]:
        return self.function.names.union(*(v.names for v in self.arguments.values()))

    def value(self, env: Env) -> Any:
        try:
            return self._called(env)
        except Fault as fault:
            return env.frame.answer(fault)

    def _called(self, env: Env) -> Any:
        function = self.function.value(env)
        if not isinstance(function, Function):
            raise Fault(f"calls {shown(function)}, which is no function")
        if function.builtin is not None:
            return self._built_in(env, function.builtin)
        wanted = [name for name, _ in function.parameters]
        if set(wanted) != set(self.arguments):
            raise Fault(
                f"calls '{self.function.text}' with {', '.join(self.arguments)}; it "
                f"takes {', '.join(wanted)}"
            )
        values = [self.arguments[name].value(env) for name in wanted]
        return invoke(env.frame, function, values)

    def _built_in(self, env: Env, name: str) -> Any:
        found = chosen(name, len(self.arguments), tuple(self.arguments))
        given = {name: Node(logic.value) for name, logic in self.arguments.items()}
        return builtin_call(0, found, ordered(found, given)).run(env)


@dataclass(frozen=True, slots=True)
class Conditional:
    """Boxed ``if``."""

    condition: Logic
    chosen: Logic
    otherwise: Logic

    @property
    def names(self) -> frozenset[str]:
        return self.condition.names | self.chosen.names | self.otherwise.names

    def value(self, env: Env) -> Any:
        parts = (self.condition, self.chosen, self.otherwise)
        return nodes.choice(0, *(Node(part.value) for part in parts)).run(env)


@dataclass(frozen=True, slots=True)
class Filtered:
    """Boxed filter; ``item`` is what it looks at."""

    items: Logic
    match: Logic

    @property
    def names(self) -> frozenset[str]:
        return self.items.names | (self.match.names - {"item"})

    def value(self, env: Env) -> Any:
        match = Node(self.match.value, "boolean")
        return loops.filtered(0, Node(self.items.value), match, strictly=True).run(env)


@dataclass(frozen=True, slots=True)
class Repeated:
    """Boxed ``for``, ``some`` and ``every``."""

    word: str
    iterator: str
    items: Logic
    body: Logic

    @property
    def names(self) -> frozenset[str]:
        return self.items.names | (self.body.names - {self.iterator, "partial"})

    def value(self, env: Env) -> Any:
        turns = [loops.Iteration(self.iterator, 0, Node(self.items.value))]
        body = Node(self.body.value)
        if self.word == "for":
            return loops.repeated(turns, body, True).run(env)
        return loops.quantified(0, self.word, turns, body, strictly=True).run(env)
