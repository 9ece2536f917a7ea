"""Regular expressions as they are written, in XPath's dialect."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from ..expressions.faults import Fault

MAX_PATTERN = 1000
MAX_REPEATS = 1000
MAX_GROUPS_DEEP = 20

Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Character:
    test: Test
    cost: int = 1  # comparisons that one test may take


@dataclass(frozen=True, slots=True)
class InARow:
    members: "list[Part]"


@dataclass(frozen=True, slots=True)
class Alternatives:
    members: "list[Part]"


@dataclass(frozen=True, slots=True)
class Group:
    number: int | None
    inner: "Part"


@dataclass(frozen=True, slots=True)
class Repetition:
    inner: "Part"
    fewest: int
    most: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    sign: str


Part = Character | InARow | Alternatives | Group | Repetition | Anchor

_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
_CLASSES: dict[str, Test] = {
    "d": lambda c: unicodedata.category(c) == "Nd",
    "s": lambda c: c in " \t\n\r",
    "w": lambda c: unicodedata.category(c)[0] not in "PZC",
    "i": lambda c: c.isalpha() or c in "_:",
    "c": lambda c: c.isalnum() or c in "_:.-",
}
_SPACE = " \t\n\r"
_BLOCKS = {
    "BasicLatin": (0x0, 0x7F),
    "Latin-1Supplement": (0x80, 0xFF),
    "LatinExtended-A": (0x100, 0x17F),
    "LatinExtended-B": (0x180, 0x24F),
    "Greek": (0x370, 0x3FF),
    "GreekandCoptic": (0x370, 0x3FF),
    "Cyrillic": (0x400, 0x4FF),
    "Hebrew": (0x590, 0x5FF),
    "Arabic": (0x600, 0x6FF),
    "GeneralPunctuation": (0x2000, 0x206F),
    "CurrencySymbols": (0x20A0, 0x20CF),
    "Hiragana": (0x3040, 0x309F),
    "Katakana": (0x30A0, 0x30FF),
    "CJKUnifiedIdeographs": (0x4E00, 0x9FFF),
}
_LITERAL = set("\\|.?*+(){}[]-^$")


def parse_pattern(pattern: str, flags: str) -> tuple[Part, int]:
    """The tree, and the number of groups in it."""
    if len(pattern) > MAX_PATTERN:
        raise Fault(f"is longer than {MAX_PATTERN} characters")
    if unknown := set(flags) - set("smixq"):
        raise Fault(f"has the unknown flag '{min(unknown)}'")
    reader = _Reader(pattern, flags)
    root = reader.alternatives(0)
    if reader.at < len(reader.text):
        raise Fault("closes a bracket that is not open")
    return root, reader.groups


class _Reader:
    def __init__(self, pattern: str, flags: str) -> None:
        if "x" in flags and "q" not in flags:
            pattern = _without_space(pattern)
        self.text = pattern
        self.at = 0
        self.groups = 0
        self.classes_deep = 0
        self.literal = "q" in flags
        self.dot_all = "s" in flags
        self.ignore_case = "i" in flags

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        self.at += 1
        return self.text[self.at - 1]

    def took(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def character(self, test: Test, cost: int = 1) -> Character:
        if not self.ignore_case:
            return Character(test, cost)
        return Character(
            lambda c: test(c) or test(c.lower()) or test(c.upper()), 3 * cost
        )

    def alternatives(self, depth: int) -> Part:
        if depth > MAX_GROUPS_DEEP:
            raise Fault(f"nests groups more than {MAX_GROUPS_DEEP} levels deep")
        members = [self.sequence(depth)]
        while not self.literal and self.took("|"):
            members.append(self.sequence(depth))
        return members[0] if len(members) == 1 else Alternatives(members)

    def sequence(self, depth: int) -> Part:
        members: list[Part] = []
        while (sign := self.peek()) and (self.literal or sign not in "|)"):
            part = self.one(depth)
            members.append(part if self.literal else self.repeated(part))
        return InARow(members)

    def one(self, depth: int) -> Part:
        sign = self.take()
        if self.literal:
            return self.character(sign.__eq__)
        if sign == "(":
            return self.group(depth)
        if sign == "[":
            return self.character(*self.char_class())
        if sign == ".":
            return Character((lambda c: True) if self.dot_all else _any_but_line_end)
        if sign in "^$":
            return Anchor(sign)
        if sign == "\\":
            return self.character(self.escape())
        if sign in "*+?{":
            raise Fault(f"has {sign} with nothing to repeat")
        return self.character(sign.__eq__)

    def group(self, depth: int) -> Part:
        number: int | None = None
        if self.took("?:"):
            pass
        elif self.peek() == "?":
            raise Fault("looks around or names a group, which is not supported")
        else:
            self.groups += 1
            number = self.groups
            if number > 99:
                raise Fault("has more than 99 groups")
        inner = self.alternatives(depth + 1)
        if not self.took(")"):
            raise Fault("opens a bracket and never closes it")
        return Group(number, inner)

    def repeated(self, part: Part) -> Part:
        if self.took("*"):
            bounds: tuple[int, int | None] = (0, None)
        elif self.took("+"):
            bounds = (1, None)
        elif self.took("?"):
            bounds = (0, 1)
        elif self.took("{"):
            bounds = self.counts()
        else:
            return part
        if isinstance(part, Anchor):
            raise Fault(f"repeats {part.sign}")
        greedy = not self.took("?")
        if self.peek() and self.peek() in "*+?{":
            raise Fault("repeats a repetition")
        return Repetition(part, *bounds, greedy)

    def counts(self) -> tuple[int, int | None]:
        inside, closing, _ = self.text[self.at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closing or not low.isdecimal() or not (high.isdecimal() or not high):
            raise Fault("has a { without numbers and }")
        self.at += len(inside) + 1
        if len(low) > 4 or len(high) > 4 or max(int(low), int(high or 0)) > MAX_REPEATS:
            raise Fault(f"repeats more than {MAX_REPEATS} times")
        most = int(low) if not comma else int(high) if high else None
        if most is not None and most < int(low):
            raise Fault(f"repeats at least {low} and at most {most} times")
        return int(low), most

    def escape(self) -> Test:
        sign = self.take() if self.peek() else ""
        if sign in _CONTROL:
            return _CONTROL[sign].__eq__
        if sign and sign in _LITERAL:
            return sign.__eq__
        if sign in ("p", "P"):
            return self.category(sign == "P")
        if sign and sign.lower() in _CLASSES:
            test = _CLASSES[sign.lower()]
            return test if sign.islower() else lambda c: not test(c)
        if sign.isdecimal():
            raise Fault(f"refers back to group {sign}, which is not supported")
        raise Fault(f"has the unknown escape \\{sign}")

    def category(self, negated: bool) -> Test:
        inside, closing, _ = self.text[self.at :].partition("}")
        name = inside[1:]
        block = _BLOCKS.get(name.removeprefix("Is")) if name[:2] == "Is" else None
        known = block or (name[:1] in tuple("LMNPZSC") and len(name) <= 2)
        if not inside.startswith("{") or not closing or not known:
            raise Fault("has \\p without a category such as {L} or {Lu}")
        self.at += len(inside) + 1
        if block is not None:
            first, last = block
            return lambda c: (first <= ord(c) <= last) is not negated
        return lambda c: unicodedata.category(c).startswith(name) is not negated

    def char_class(self) -> tuple[Test, int]:
        negated = self.took("^")
        tests: list[Test] = []
        while not self.took("]") or not tests:
            if not self.peek():
                raise Fault("opens [ and never closes it")
            if tests and self.took("-["):
                return self.less(negated, tests)
            tests.append(self.class_member())
        return lambda c: any(test(c) for test in tests) is not negated, len(tests)

    def less(self, negated: bool, tests: list[Test]) -> tuple[Test, int]:
        """``[a-z-[aeiou]]``: what the class has and the inner one has not."""
        self.classes_deep += 1
        if self.classes_deep > MAX_GROUPS_DEEP:
            raise Fault(f"subtracts more than {MAX_GROUPS_DEEP} classes")
        without, cost = self.char_class()
        if not self.took("]"):
            raise Fault("opens [ and never closes it")
        return (
            lambda c: any(t(c) for t in tests) is not negated and not without(c),
            len(tests) + cost,
        )

    def class_member(self) -> Test:
        low = self.class_sign()
        if not isinstance(low, str):
            return low
        following = self.text[self.at : self.at + 2]
        if following[:1] != "-" or following[1:] in ("", "]", "["):
            return low.__eq__
        self.take()
        high = self.class_sign()
        if not isinstance(high, str) or high < low:
            raise Fault("has a class with a range that runs backwards")
        return lambda c: low <= c <= high

    def class_sign(self) -> str | Test:
        sign = self.take()
        if sign != "\\":
            return sign
        following = self.peek()
        if following in _CONTROL:
            return _CONTROL[self.take()]
        if following and following in _LITERAL:
            return self.take()
        return self.escape()


def _without_space(pattern: str) -> str:
    """As the flag ``x`` wants it: space inside a class of characters stays."""
    kept, depth, escaped = [], 0, False
    for sign in pattern:
        if depth == 0 and sign in _SPACE:
            continue
        kept.append(sign)
        if not escaped:
            depth += (sign == "[") - (sign == "]" and depth > 0)
        escaped = sign == "\\" and not escaped
    return "".join(kept)


def _any_but_line_end(character: str) -> bool:
    return character not in "\n\r"
