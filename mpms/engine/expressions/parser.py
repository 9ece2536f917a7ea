"""Tokens to nodes, by operator precedence.

From loose to tight: choice (``c ? a : b``, ``a if c else b``), or, and, not,
comparison, sum, product, sign/``!``/``empty``, access. ``not`` is loose as in Python
and ``!`` tight as in JUEL. Chained comparisons mean different things in the two, so
they are refused.
"""

from .bounds import MAX_NESTING
from .faults import Fault
from .functions import FUNCTIONS
from .methods import check_call
from .nodes import (
    Access,
    Called,
    Node,
    accesses,
    call,
    chain,
    choice,
    constant,
    entries,
    items,
    logical,
    of_execution,
    unary,
    variable,
)
from .operations import ARITHMETIC, COMPARISONS, Operation, is_empty, negative, truth
from .tokens import Lexeme

OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN = range(1, 8)
POWERS = {
    "or": OR,
    "and": AND,
    "not": COMPARE,  # "not in"
    **dict.fromkeys(COMPARISONS, COMPARE),
    **dict.fromkeys(["+", "-"], SUM),
    **dict.fromkeys(["*", "/", "//", "%"], PRODUCT),
}
OPERATIONS = {**ARITHMETIC, **COMPARISONS}
HINTS = {
    "=": "; '==' compares",
    "===": "; '==' compares",
    "**": "; there is no power",
    ":=": "; nothing is assigned inside an expression",
}
INPUT = "?"
EXECUTION = "execution"
BUSINESS_KEY = (
    *("processBusinessKey", "businessKey"),
    *("getProcessBusinessKey", "getBusinessKey"),
)
ITS_BUSINESS_KEY = "execution.processBusinessKey"
"""No variable: whoever evaluates for an instance gives its business key so."""


class Parser:
    """Reads one expression from a list of tokens and notes the names it uses.

    With ``input_allowed``, a ``?`` where a value belongs is the value under test.
    """

    def __init__(self, tokens: list[Lexeme], *, input_allowed: bool = False) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0
        self.input_allowed = input_allowed
        self.names: set[str] = set()

    def peek(self) -> Lexeme:
        return self.tokens[self.index]

    def take(self) -> Lexeme:
        token = self.peek()
        self.index += 1
        return token

    def took(self, *texts: str) -> bool:
        if self.peek().is_op(*texts):
            self.index += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.took(text):
            raise self.unexpected(f"'{text}'")

    def unexpected(self, wanted: str) -> Fault:
        token = self.peek()
        hint = HINTS.get(token.text, "") if token.kind == "op" else ""
        return Fault(f"has {token} where {wanted} is expected{hint}", token.position)

    def whole(self) -> Node:
        """The expression that is all there is."""
        if self.peek().kind == "end":
            raise Fault("is empty", self.peek().position)
        node = self.expression()
        if self.peek().kind != "end":
            raise self.unexpected("the end")
        return node

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Fault(
                f"is nested more than {MAX_NESTING} levels deep", self.peek().position
            )
        first = self.binary(0)
        position = self.peek().position
        if self.took("?"):
            chosen = self.expression()
            self.expect(":")
            node = choice(position, first, chosen, self.expression())
        elif self.took("if"):
            condition = self.binary(0)
            self.expect("else")
            node = choice(position, condition, first, self.expression())
        else:
            node = first
        self.depth -= 1
        return node

    def binary(self, floor: int) -> Node:
        left = self.prefixed(floor)
        while (power := self.power()) > floor:
            position = self.peek().position
            if power in (OR, AND):
                word = self.peek().text
                operands = [(position, left)]
                while self.power() == power:
                    position = self.take().position
                    operands.append((position, self.binary(power)))
                left = logical(word, operands)
                continue
            rest: list[tuple[int, Operation, Node]] = []
            while self.power() == power:
                if power == COMPARE and rest:
                    raise Fault("chains comparisons; use 'and' or brackets", position)
                position = self.peek().position
                operation = OPERATIONS[self.operator()]
                rest.append((position, operation, self.binary(power)))
            left = chain(left, rest)
        return left

    def power(self) -> int:
        return POWERS.get(self.peek().text, 0) if self.peek().kind == "op" else 0

    def operator(self) -> str:
        word = self.take().text
        if word == "not":
            self.expect("in")
            return "not in"
        return word

    def prefixed(self, floor: int) -> Node:
        token = self.peek()
        if not token.is_op("not", "!", "-", "+", "empty"):
            return self.accessed()
        if token.text == "not" and floor >= COMPARE:
            raise Fault("needs brackets around 'not'", token.position)
        self.take()
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Fault(f"is nested more than {MAX_NESTING} levels deep")
        operand = self.binary(NOT if token.text == "not" else SIGN)
        self.depth -= 1
        if token.text in ("not", "!"):
            purpose = f"after '{token.text}'"
            return unary(token.position, operand, lambda v: not truth(v, purpose))
        if token.text == "empty":
            return unary(token.position, operand, is_empty)
        if token.text == "-":
            return unary(token.position, operand, negative)
        return unary(token.position, operand, lambda v: negative(negative(v)))

    def accessed(self) -> Node:
        base = self.execution() or self.primary()
        steps: list[Access] = []
        while self.peek().is_op(".", "[", "("):
            position = self.peek().position
            if self.took("("):
                raise Fault("calls something that is no function", position)
            if self.took("["):
                steps.append((position, self.expression()))
                self.expect("]")
            else:
                self.take()
                if self.peek().kind != "name":
                    raise self.unexpected("a key")
                steps.append((position, self.member()))
        return accesses(base, steps) if steps else base

    def member(self) -> str | Called:
        """What stands after a dot: a key, or a method with its arguments."""
        word = self.take()
        if not self.took("("):
            return word.text
        arguments = self.listed(")")
        try:
            check_call(word.text, len(arguments))
        except Fault as fault:
            raise fault.at(word.position) from None
        return Called(word.text, arguments)

    def execution(self) -> Node | None:
        """``execution.getVariable('x')`` and its kind; None: it begins otherwise."""
        begin, *after = self.tokens[self.index : self.index + 4]
        if not (begin.kind == "name" and begin.text == EXECUTION and len(after) == 3):
            return None
        dot, word, bracket = after
        if not dot.is_op("."):
            return None
        self.index += 2
        if word.text in BUSINESS_KEY:
            self.take()
            if bracket.is_op("("):
                self.take()
                self.expect(")")
            self.names.add(ITS_BUSINESS_KEY)
            return variable(ITS_BUSINESS_KEY, begin.position)
        if word.text in ("getVariable", "hasVariable") and bracket.is_op("("):
            self.index += 2
            arguments = self.listed(")")
            if len(arguments) != 1:
                raise Fault(f"gives {len(arguments)} arguments to {word.text}()")
            return of_execution(word.position, word.text, arguments[0])
        raise Fault(
            f"asks for '{word.text}': 'execution' belongs to the Java side of Camunda;"
            " of it there are getVariable(name), hasVariable(name) and"
            " processBusinessKey",
            word.position,
        )

    def primary(self) -> Node:
        token = self.peek()
        if token.kind == "constant":
            self.take()
            return constant(token.value)
        if token.kind == "name":
            self.take()
            if self.took("("):
                return self.call(token)
            self.names.add(token.text)
            return variable(token.text, token.position)
        if self.took("("):
            node = self.expression()
            self.expect(")")
            return node
        if self.took("["):
            return items(self.listed("]"))
        if self.took("{"):
            return self.map()
        if self.input_allowed and self.took(INPUT):
            return variable(INPUT, token.position)
        raise self.unexpected("a value")

    def listed(self, closing: str) -> list[Node]:
        members: list[Node] = []
        while not self.took(closing):
            if members:
                self.expect(",")
                if self.took(closing):
                    break
            members.append(self.expression())
        return members

    def call(self, name: Lexeme) -> Node:
        function = FUNCTIONS.get(name.text)
        if function is None:
            known = ", ".join(FUNCTIONS)
            raise Fault(
                f"knows no function '{name.text}'; there are {known}", name.position
            )
        arguments = self.listed(")")
        if not function.accepts(len(arguments)):
            raise Fault(
                f"gives {len(arguments)} arguments to {name.text}()", name.position
            )
        return call(name.position, function, arguments)

    def map(self) -> Node:
        members: dict[str, Node] = {}
        while not self.took("}"):
            if members:
                self.expect(",")
                if self.took("}"):
                    break
            key = self.peek()
            if key.kind != "constant" or not isinstance(key.value, str):
                raise self.unexpected("a text as key")
            if key.value in members:
                raise Fault(f"has the key {key} twice", key.position)
            self.take()
            self.expect(":")
            members[key.value] = self.expression()
        return entries(list(members.items()))
