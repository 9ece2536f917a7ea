"""Type names as they are written: ``list<number>``, ``context<a: string>``."""

from ..expressions.faults import Fault
from .reader import Reader
from .types import Fits, context_of, list_of, range_of, simple

_WORDS = ("and", "time", "months", "duration")


def type_named(reader: Reader) -> Fits:
    with reader.nested():
        token = reader.peek()
        if token.kind not in ("word", "name"):
            raise reader.unexpected("a type")
        reader.take()
        words = [token.text]
        while _continues(reader, words):
            words.append(reader.take().text)
        name = " ".join(words)
        if name in ("list", "range", "context", "function") and reader.took("<"):
            return _of(reader, name)
        fits = simple(name)
        if fits is None:
            raise Fault(f"knows no type '{name}'", token.position)
        return fits


def _continues(reader: Reader, words: list[str]) -> bool:
    """``date and time`` is a type, ``instance of date and y`` a conjunction."""
    token, after = reader.peek(), reader.peek(1)
    if words == ["date"]:
        return token.is_word("and") and after.is_word("time")
    if words in (["days"], ["years"]):
        return token.is_word("and")
    return len(words) > 1 and token.is_word(*_WORDS[1:]) and len(words) < 4


def _of(reader: Reader, name: str) -> Fits:
    if name == "context":
        members: dict[str, Fits] = {}
        while not members or reader.took(","):
            key = reader.name("an entry")
            reader.expect(":")
            members[key] = type_named(reader)
        reader.expect(">")
        return context_of(members)
    if name == "function":
        while not reader.took(">"):
            type_named(reader)
            reader.took(",")
        reader.expect("->")
        type_named(reader)
        found = simple("function")
        assert found is not None  # noqa: S101 - a type of the list
        return found
    member = type_named(reader)
    reader.expect(">")
    return list_of(member) if name == "list" else range_of(member)
