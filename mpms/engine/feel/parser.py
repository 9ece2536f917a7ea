"""Tokens to nodes, by the precedence of the standard.

From loose to tight: ``if``/``for``/``some``/``every``/``function``, or, and,
comparison (with ``between`` and ``in``), sum, product, power, sign, ``instance of``,
and what follows a value: paths, filters, calls. All operators group to the left, also
``**``, and a sign belongs to its number: ``-2 ** 2`` is 4.
"""

from collections.abc import Callable, Sequence

from ..expressions.faults import Fault
from . import calls, loops, nodes
from .arithmetic import OPERATIONS, Operation
from .forms import Forms
from .nodes import Node
from .temporal import parse_any
from .tokens import Lexeme, tokenize
from .typing_names import type_named

_ORDER = ("<", "<=", ">", ">=")
_TESTS = ("=", "!=", *_ORDER)
_BEGIN = {"number", "text", "at", "word", "name"}


class Parser(Forms):
    """Reads expressions and notes the variables they use."""

    def __init__(
        self,
        text: str,
        start: int,
        known: frozenset[str],
        *,
        tests: bool = False,
        standard: bool = False,
    ) -> None:
        super().__init__(tokenize(text, start, known), known)
        self.standard = standard
        self.text = text
        self.tests = tests  # "?" is the value under test
        self.uses_input = False
        self.at_range_end = False

    def whole(self, *, spans: bool = False) -> Node:
        """``spans``: ``1..3`` may stand alone, as after the ``in`` of a loop."""
        first = self.peek().position
        if self.peek().kind == "end":
            raise Fault("is empty", first)
        node = self.expression()
        if spans and self.took(".."):
            node = loops.span(first, node, self.expression())
        if self.peek().kind != "end":
            raise self.unexpected("the end")
        return node

    def expression(self) -> Node:
        outer, self.at_range_end = self.at_range_end, False
        with self.nested():
            token = self.peek()
            if token.is_word("if"):
                node = self.choice()
            elif token.is_word("for"):
                node = self.repeated()
            elif token.is_word("some", "every"):
                node = self.quantified()
            elif token.is_word("function") and self.peek(1).is_op("("):
                node = self.function()
            else:
                node = self.logical("or")
        self.at_range_end = outer
        return node

    def logical(self, word: str) -> Node:
        below = self.comparison if word == "and" else lambda: self.logical("and")
        first_at = self.peek().position
        operands = [(first_at, below())]
        while self.took_word(word):
            operands.append((self.peek().position, below()))
        return operands[0][1] if len(operands) == 1 else nodes.logical(word, operands)

    def comparison(self) -> Node:
        left = self.sum()
        steps = 0
        while True:
            token = self.peek()
            steps = self.counted(steps)
            if token.is_op("=", "!=", *_ORDER):
                self.take()
                if token.text == "=" and self.peek().is_op("="):
                    raise self.unexpected("a value")
                right = self.sum()
                left = nodes.comparison(token.position, token.text, left, right)
            elif self.took_word("between"):
                low = self.sum()
                self.expect_word("and")
                left = nodes.between(token.position, left, low, self.sum())
            elif self.took_word("in"):
                left = nodes.membership(token.position, left, self.targets())
            else:
                return left

    def targets(self) -> Sequence[Node]:
        """What stands after ``in``: one test, or several in brackets."""
        if not self.peek().is_op("("):
            return [self.compared_or(self.sum)]
        opening = self.take().position
        first = self.test()
        if self.took(".."):
            return [self.range_from(opening, first, "(")]
        tests = [first]
        while self.took(","):
            tests.append(self.test())
        self.expect(")")
        return tests

    def test(self) -> Node:
        return self.compared_or(self.expression)

    def compared_or(self, below: Callable[[], Node]) -> Node:
        token = self.peek()
        if token.is_op("=", "!="):
            self.take()
            return nodes.same_or_not(self.sum(), unlike=token.text == "!=")
        if token.is_op(*_ORDER):
            self.take()
            end = self.sum()
            included = token.text.endswith("=")
            if token.text.startswith("<"):
                return nodes.interval(token.position, None, end, (False, included))
            return nodes.interval(token.position, end, None, (included, False))
        return below()

    def sum(self) -> Node:
        return self.chained(("+", "-"), self.product)

    def product(self) -> Node:
        return self.chained(("*", "/"), self.power)

    def power(self) -> Node:
        return self.chained(("**",), self.signed)

    def chained(self, signs: tuple[str, ...], below: Callable[[], Node]) -> Node:
        first = below()
        rest: list[tuple[int, Operation, Node]] = []
        while self.peek().is_op(*signs):
            token = self.take()
            operand = below()
            rest.append((token.position, OPERATIONS[token.text], operand))
        return nodes.chain(first, rest) if rest else first

    def signed(self) -> Node:
        token = self.peek()
        if not self.took("-"):
            return self.typed()
        with self.nested():
            return nodes.negated(token.position, self.signed())

    def typed(self) -> Node:
        node = self.followed()
        while self.peek().is_word("instance") and self.peek(1).is_word("of"):
            self.index += 2
            fits = type_named(self)
            before = node.run
            node = Node(lambda env, b=before, f=fits: f(env.frame, b(env)), "boolean")  # type: ignore[misc]
        return node

    # -- what follows a value --------------------------------------------------------

    def followed(self) -> Node:
        node = self.primary()
        steps = 0
        while self.peek().is_op(".", "[", "("):
            token = self.peek()
            steps = self.counted(steps)
            if token.text == "[" and self.at_range_end and not self.begins_value(1):
                return node
            self.take()
            if token.text == ".":
                node = nodes.path(token.position, node, self.entry())
            elif token.text == "(":
                arguments, names = self.arguments()
                node = calls.call_of(token.position, node, arguments, names)
            else:
                self.filters += 1
                with self.binding("item"):
                    condition = self.test()
                self.filters -= 1
                self.expect("]")
                node = loops.filtered(token.position, node, condition)
        return node

    def begins_value(self, ahead: int) -> bool:
        token = self.peek(ahead)
        if token.kind == "word":
            return token.text not in (
                *("then", "else", "in", "return", "satisfies", "and", "or", "between"),
            )
        return token.kind in _BEGIN or token.is_op("(", "[", "{", "-", "?", *_ORDER)

    def primary(self) -> Node:
        token = self.peek()
        if token.kind == "number":
            self.take()
            return nodes.constant(token.value, "number")
        if token.kind == "text":
            self.take()
            return nodes.constant(token.value)
        if token.kind == "at":
            self.take()
            return nodes.constant(self.temporal(token))
        if token.is_word("true", "false"):
            self.take()
            return nodes.constant(token.text == "true", "truth")
        if self.took_word("null"):
            return nodes.constant(None, "null")
        if self.at_name():
            return self.named()
        if token.is_op("?") and self.tests:
            self.take()
            self.uses_input = True
            return nodes.variable("?", token.position)
        if self.took("("):
            return self.bracketed(token)
        if self.took("[", "]"):
            return self.listed(token)
        if self.took("{"):
            return self.context()
        raise self.unexpected("a value")

    def temporal(self, token: Lexeme) -> object:
        value = parse_any(token.value)
        if value is None:
            raise Fault(f"has {token}, which is no date, time or duration")
        return value

    def bracketed(self, opening: Lexeme) -> Node:
        first = self.test()
        if self.took(".."):
            return self.range_from(opening.position, first, "(")
        self.expect(")")
        return first

    def listed(self, opening: Lexeme) -> Node:
        if opening.text == "[" and self.took("]"):
            return nodes.items(())
        members = [self.test()]
        if self.took(".."):
            return self.range_from(opening.position, members[0], opening.text)
        if opening.text == "]":
            raise self.unexpected("'..'")
        while self.took(","):
            members.append(self.test())
        self.expect("]")
        return nodes.items(members)

    def range_from(self, position: int, low: Node, opening: str) -> Node:
        outer, self.at_range_end = self.at_range_end, True
        high = self.sum()
        self.at_range_end = outer
        closing = self.peek()
        if not self.took("]", ")", "["):
            raise self.unexpected("']', ')' or '['")
        ends = (opening == "[", closing.text == "]")
        return nodes.interval(position, low, high, ends)
