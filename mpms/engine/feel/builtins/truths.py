"""Functions about true, false and identity."""

from collections.abc import Callable
from typing import Any

from ...expressions.faults import Fault
from ..calls import builtin
from ..comparing import equal
from ..temporal import feel_text
from ..values import Frame, kind_of, lift, shown


@builtin("not(negand: boolean)")
def negation(frame: Frame, negand: bool) -> bool:
    return not negand


def _folded(decisive: bool, name: str) -> Callable[[Frame, list[Any]], bool | None]:
    def run(frame: Frame, values: list[Any]) -> bool | None:
        answer: bool | None = not decisive
        for value in values:
            frame.spend()
            if value is decisive:
                return decisive
            if value is None:
                answer = None
            elif not isinstance(value, bool):
                raise Fault(f"needs true or false for {name}(), not {shown(value)}")
        return answer

    return run


builtin("all(list: list)", "all(b...)")(_folded(False, "all"))
builtin("any(list: list)", "any(b...)")(_folded(True, "any"))


@builtin("is(value1!, value2!)")
def same(frame: Frame, value1: Any, value2: Any) -> bool:
    """Equal, of one kind, and spelled with the same zone."""
    if kind_of(value1) != kind_of(value2) or feel_text(value1) != feel_text(value2):
        return False
    return equal(frame, value1, value2) is True


@builtin("assert(value!, condition!, cause?: string)")
def asserted(frame: Frame, value: Any, condition: Any, cause: str | None = None) -> Any:
    if condition is not True:
        raise Fault(f"asserts what is not so: {cause or 'the condition does not hold'}")
    return lift(value)
