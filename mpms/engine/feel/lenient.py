"""FEEL for forms, where a person types while it is evaluated: nothing is an error.

A name that nobody has given a value yet is null. Where a model would stop with an
error, the whole expression is null, so no field is hidden or fixed by mistake.
"""

from collections.abc import Mapping

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ..expressions.faults import Fault
from .expression import compile_feel
from .results import outward
from .values import Env, Frame


def value_or_null(text: str, names: Mapping[str, object]) -> object:
    frame = Frame(names, None)
    frame.missing = "null"
    try:
        return outward(compile_feel(text).value_in(Env(frame, names)), frame)
    except (ExpressionFailed, ExpressionInvalid, Fault, RecursionError):
        return None
