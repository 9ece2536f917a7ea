"""What every part of the parser needs: the tokens, the names in sight, the depth."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..expressions.faults import Fault
from .tokens import KEYWORDS, Lexeme

MAX_NESTING = 30  # levels; each takes a score of calls to read
MAX_CHAIN = 100


class Reader:
    """A list of tokens with a place in it, and the names that are bound there."""

    def __init__(self, tokens: list[Lexeme], known: frozenset[str]) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0
        self.known = known  # names of functions that come from outside
        self.bound: list[str] = []  # iterators, parameters and entries in sight
        self.filters = 0
        self.names: set[str] = set()
        self.names_partial = False

    def peek(self, ahead: int = 0) -> Lexeme:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def take(self) -> Lexeme:
        token = self.peek()
        self.index += 1
        return token

    def took(self, *texts: str) -> bool:
        if self.peek().is_op(*texts):
            self.index += 1
            return True
        return False

    def took_word(self, word: str) -> bool:
        if self.peek().is_word(word):
            self.index += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.took(text):
            raise self.unexpected(f"'{text}'")

    def expect_word(self, word: str) -> None:
        if not self.took_word(word):
            raise self.unexpected(f"'{word}'")

    def unexpected(self, wanted: str) -> Fault:
        token = self.peek()
        hint = ""
        if token.is_op("=") and self.peek(-1).is_op("="):
            hint = "; '=' compares"
        return Fault(f"has {token} where {wanted} is expected{hint}", token.position)

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Fault(
                f"is nested more than {MAX_NESTING} levels deep", self.peek().position
            )
        yield
        self.depth -= 1

    def counted(self, steps: int) -> int:
        """One more part of a chain whose parts are nested when they run."""
        if steps >= MAX_CHAIN:
            raise Fault(f"chains more than {MAX_CHAIN} parts", self.peek().position)
        return steps + 1

    @contextmanager
    def binding(self, *names: str) -> Iterator[None]:
        before = len(self.bound)
        self.bound.extend(names)
        yield
        del self.bound[before:]

    def at_name(self) -> bool:
        token = self.peek()
        if token.kind == "word":
            return token.text not in KEYWORDS
        return token.kind == "name"

    def name(self, wanted: str = "a name") -> str:
        """One name: words in a row, and whole numbers after a word, belong together."""
        if not self.at_name():
            raise self.unexpected(wanted)
        first = self.take()
        if first.kind == "name":
            return first.text
        words = [first.text]
        while self._goes_on():
            words.append(self.take().text)
        return " ".join(words)

    def entry(self) -> str:
        """A name after a dot, where words of the language are names: ``order.in``."""
        token = self.peek()
        if token.kind == "word" and token.text in KEYWORDS:
            return self.take().text
        return self.name("an entry")

    def _goes_on(self) -> bool:
        token = self.peek()
        if token.kind == "number":
            return token.text.isdigit()
        if token.is_word("instance") and self.peek(1).is_word("of"):
            return False
        return token.kind == "word" and token.text not in KEYWORDS

    def key(self, text: str) -> str:
        """A key of a context: a text, a name, or a name with signs in it."""
        token = self.peek()
        if token.kind == "text":
            self.take()
            return str(token.value)
        start, end = token.position, token.position
        while not self.peek().is_op(":"):
            part = self.peek()
            signs = part.is_op("+", "-", "*", "/", ".", "**")
            if not signs and part.kind not in ("word", "name", "number"):
                raise self.unexpected("a key")
            end = self.take().end
        if start == end or token.kind not in ("word", "name"):
            raise self.unexpected("a key")
        if token.kind == "name" and end == token.end:
            return token.text
        return " ".join(text[start:end].split())
