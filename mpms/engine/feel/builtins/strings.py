"""Functions on texts. Positions count characters from 1, or from the end below 0."""

import re
from typing import Any

from ...expressions.faults import Fault
from ..calls import builtin
from ..nodes import whole_number
from ..patterns import compile_pattern
from ..values import Frame, lift, shown


def _start(frame: Frame, length: int, position: Any) -> int | None:
    at = whole_number(position, frame) or 0
    if at == 0 or abs(at) > length:
        return None
    return at - 1 if at > 0 else length + at


@builtin("substring(string: string, start position: number, length?!: number)")
def substring(frame: Frame, string: str, position: Any, length: Any = None) -> Any:
    if not position:
        return None
    start = _start(frame, len(string), position)
    count = len(string) if length is None else whole_number(length, frame) or 0
    if frame.standard and (start is None or count < 1):
        return None
    if start is None:
        return ""
    return string[start : start + max(count, 0)]


@builtin("string length(string: string)")
def string_length(frame: Frame, string: str) -> Any:
    return lift(len(string))


@builtin("upper case(string: string)")
def upper_case(frame: Frame, string: str) -> str:
    frame.spend_on_text(len(string))
    return string.upper()


@builtin("lower case(string: string)")
def lower_case(frame: Frame, string: str) -> str:
    frame.spend_on_text(len(string))
    return string.lower()


@builtin("trim(string: string)")
def trim(frame: Frame, string: str) -> str:
    return string.strip()


@builtin("is blank(string: string)")
def is_blank(frame: Frame, string: str) -> bool:
    return not string.strip()


@builtin("substring before(string: string, match: string)")
def substring_before(frame: Frame, string: str, match: str) -> str:
    before, found, _ = string.partition(match) if match else ("", "", "")
    return before if found else ""


@builtin("substring after(string: string, match: string)")
def substring_after(frame: Frame, string: str, match: str) -> str:
    return string.partition(match)[2] if match else string


@builtin("contains(string: string, match: string)")
def contains(frame: Frame, string: str, match: str) -> bool:
    frame.spend_on_text(len(string))
    return match in string


@builtin("starts with(string: string, match: string)")
def starts_with(frame: Frame, string: str, match: str) -> bool:
    return string.startswith(match)


@builtin("ends with(string: string, match: string)")
def ends_with(frame: Frame, string: str, match: str) -> bool:
    return string.endswith(match)


@builtin("matches(input: string, pattern: string, flags?!: string)")
def matches(frame: Frame, text: str, pattern: str, flags: str | None = None) -> bool:
    return compile_pattern(pattern, flags or "").search(frame, text, 0) is not None


@builtin(
    "replace(input: string, pattern: string, replacement: string, flags?!: string)",
)
def replace(
    frame: Frame, text: str, pattern: str, replacement: str, flags: str | None = None
) -> str:
    compiled = compile_pattern(pattern, flags or "")
    parts: list[str] = []
    last = 0
    for groups in compiled.all(frame, text):
        start, end = groups[0] or (0, 0)
        if start == end:
            raise Fault(f"replaces with {shown(pattern)}, which matches nothing at all")
        frame.spend_on_handled(replacement)
        parts += [text[last:start], _expanded(replacement, groups, text)]
        frame.spend_on_text(sum(map(len, parts[-2:])))
        last = end
    made = "".join([*parts, text[last:]])
    frame.spend_on_text(len(made))
    return made


_REFERENCE = re.compile(r"\\([\\$])|\$([0-9])|(\\|\$)")


def _expanded(replacement: str, groups: list[tuple[int, int] | None], text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        if match[3]:
            raise Fault(f"has a lone {match[3]} in the replacement")
        number = int(match[2])
        span = groups[number] if number < len(groups) else None
        return text[span[0] : span[1]] if span else ""

    return _REFERENCE.sub(one, replacement)


@builtin("split(string: string, delimiter: string)")
def split(frame: Frame, string: str, delimiter: str) -> list[str]:
    parts: list[str] = []
    last = 0
    for groups in compile_pattern(delimiter, "").all(frame, string):
        frame.spend()
        start, end = groups[0] or (0, 0)
        if start == end:
            raise Fault(f"splits at {shown(delimiter)}, which matches nothing at all")
        parts.append(string[last:start])
        last = end
    frame.spend_on_items(len(parts) + 1)
    return [*parts, string[last:]]


@builtin("extract(string: string, pattern: string)")
def extract(frame: Frame, string: str, pattern: str) -> list[str]:
    found = [groups[0] for groups in compile_pattern(pattern, "").all(frame, string)]
    frame.spend_on_items(len(found))
    return [string[span[0] : span[1]] for span in found if span]


@builtin(
    "string join(list: list, delimiter?!: string)",
    "string join(list: list, delimiter: string, prefix: string, suffix: string)",
)
def string_join(
    frame: Frame,
    items: list[Any],
    delimiter: str | None = None,
    prefix: str = "",
    suffix: str = "",
) -> str:
    texts: list[str] = []
    for item in items:
        if item is None:
            continue
        if not isinstance(item, str):
            raise Fault(f"joins {shown(lift(item))}, which is no text")
        texts.append(item)
        frame.spend_on_text(len(item) + len(delimiter or ""))
    made = prefix + (delimiter or "").join(texts) + suffix
    frame.spend_on_text(len(made))
    return made
