"""The forms that are built of expressions: contexts, calls, loops, functions."""

from abc import abstractmethod
from collections.abc import Sequence

from ..expressions.faults import Fault
from . import calls, loops, nodes
from .calls import BUILTINS
from .nodes import Node
from .reader import Reader
from .tokens import Lexeme
from .types import Fits
from .typing_names import type_named

_SPECIAL = ("is defined", "get or else")


class Forms(Reader):
    """Reads what has a word or a bracket of its own."""

    text: str
    standard: bool

    @abstractmethod
    def expression(self) -> Node: ...

    @abstractmethod
    def test(self) -> Node:
        """An expression, or a comparison that lacks its left side."""

    def context(self) -> Node:
        members: dict[str, Node] = {}
        with self.binding():
            while not self.took("}"):
                if members:
                    self.expect(",")
                token = self.peek()
                key = self.key(self.text)
                if key in members:
                    raise Fault(f"has the key '{key}' twice", token.position)
                self.expect(":")
                # A function may call itself by the name it is going to have.
                if self.peek().is_word("function"):
                    self.bound.append(key)
                members[key] = self.expression()
                self.bound.append(key)
        return nodes.entries(list(members.items()))

    # -- names and calls -------------------------------------------------------------

    def named(self) -> Node:
        token = self.peek()
        name = self.name()
        if self.peek().is_op("("):
            return self.call(token, name)
        if token.is_word("not") and name != "not" and name not in self.bound:
            raise Fault("has 'not' without brackets; write not(...)", token.position)
        outside = name not in self.bound and name not in self.known
        if name in BUILTINS and outside:
            found = nodes.variable(name, token.position)
            return nodes.either(name, found, calls.builtin_value(name))
        self.note(name)
        found = nodes.variable(name, token.position)
        if token.kind == "name" and "." in name:
            # A parameter may be called "a.b"; where none is, it is b of a.
            first, *rest = (part.strip() for part in name.split("."))
            self.note(first)
            by_path = nodes.variable(first, token.position)
            for part in rest:
                by_path = nodes.path(token.position, by_path, part)
            return nodes.either(name, found, by_path)
        return found

    def note(self, name: str) -> None:
        if name == "partial":
            self.names_partial = True
        if name not in self.bound and not self.filters:
            self.names.add(name)

    def call(self, token: Lexeme, name: str) -> Node:
        self.take()
        arguments, names = self.arguments()
        if name in _SPECIAL and name not in self.bound:
            return self.special(token, name, arguments)
        from_outside = name in self.known and name not in BUILTINS
        local = name in self.bound or from_outside
        if not local and name in BUILTINS:
            try:
                function = calls.chosen(name, len(arguments), names)
            except Fault as fault:
                return self.doubtful(fault.at(token.position))
            given: Sequence[Node | None] = arguments
            if names is not None:
                named = dict(zip(names, arguments, strict=True))
                given = calls.ordered(function, named)
            return calls.builtin_call(token.position, function, given)
        if not local and not self.filters:
            cause = f"knows no function '{name}'"
            return self.doubtful(Fault(cause, token.position))
        target = nodes.variable(name, token.position)
        return calls.call_of(token.position, target, arguments, names)

    def doubtful(self, fault: Fault) -> Node:
        """A call that cannot be made: refused, but null as the standard has it."""
        if not self.standard:
            raise fault
        return Node(lambda env: env.frame.answer(fault))

    def special(self, token: Lexeme, name: str, arguments: Sequence[Node]) -> Node:
        wanted = 1 if name == "is defined" else 2
        if len(arguments) != wanted:
            raise Fault(f"gives {len(arguments)} arguments to {name}()", token.position)
        if name == "is defined":
            return nodes.is_defined(arguments[0])
        return nodes.first_known(nodes.forgiving(arguments[0]), arguments[1])

    def arguments(self) -> tuple[list[Node], list[str] | None]:
        """Positional or named, up to the closing bracket."""
        values: list[Node] = []
        names: list[str] = []
        while not self.took(")"):
            if values:
                self.expect(",")
            name = self.argument_name()
            if (name is None) != (not names) and values:
                raise Fault("mixes named and other arguments", self.peek().position)
            if name is not None:
                if name in names:
                    raise Fault(f"names '{name}' twice", self.peek().position)
                names.append(name)
            values.append(self.test())
        return values, names or None

    def argument_name(self) -> str | None:
        if not self.at_name():
            return None
        start = self.index
        name = self.name()
        if self.took(":"):
            return name
        self.index = start
        return None

    # -- words that begin an expression ------------------------------------------------

    def choice(self) -> Node:
        position = self.take().position
        condition = self.expression()
        self.expect_word("then")
        chosen = self.expression()
        self.expect_word("else")
        return nodes.choice(position, condition, chosen, self.expression())

    def iterations(self) -> list[loops.Iteration]:
        found: list[loops.Iteration] = []
        while not found or self.took(","):
            position = self.peek().position
            name = self.name("a name to iterate with")
            self.expect_word("in")
            items = self.expression()
            until = self.expression() if self.took("..") else None
            found.append(loops.Iteration(name, position, items, until))
            self.bound.append(name)
        return found

    def repeated(self) -> Node:
        self.take()
        outer_partial, self.names_partial = self.names_partial, False
        with self.binding("partial"):
            iterations = self.iterations()
            self.expect_word("return")
            body = self.expression()
        node = loops.repeated(iterations, body, self.names_partial)
        self.names_partial = outer_partial or self.names_partial
        return node

    def quantified(self) -> Node:
        token = self.take()
        with self.binding():
            iterations = self.iterations()
            self.expect_word("satisfies")
            body = self.expression()
        return loops.quantified(token.position, token.text, iterations, body)

    def function(self) -> Node:
        self.take()
        self.expect("(")
        parameters: dict[str, Fits | None] = {}
        while not self.took(")"):
            if parameters:
                self.expect(",")
            token = self.peek()
            name = self.name("a parameter")
            if name in parameters:
                raise Fault(f"has the parameter '{name}' twice", token.position)
            parameters[name] = type_named(self) if self.took(":") else None
        if self.peek().is_word("external"):
            raise Fault("has a function in Java or PMML", self.peek().position)
        with self.binding(*parameters):
            body = self.expression()
        return calls.definition(list(parameters.items()), body)
