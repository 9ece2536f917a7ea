"""What nodes know of an expression, whichever of the two languages it is written in."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.errors import ExpressionFailed

from .faults import Fault, shown


@dataclass(frozen=True, slots=True)
class Expression(ABC):
    """A text that was understood; evaluating it changes nothing."""

    text: str
    names: frozenset[str]  # the variables it reads

    is_feel = False

    @abstractmethod
    def evaluate(
        self,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
        standard: bool = False,
    ) -> object:
        """The JSON value, a copy that shares nothing with the variables.

        ``standard``: what is an error in FEEL is null, as its standard says.
        """

    def holds(
        self,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
        standard: bool = False,
    ) -> bool:
        """The value of a condition; anything but true or false is an error."""
        value = self.evaluate(variables, now=now, standard=standard)
        return expect_bool(value, self.text)


def expect_bool(value: object, text: str) -> bool:
    if not isinstance(value, bool):
        fault = Fault(f"should be true or false, but is {shown(value)}")
        raise ExpressionFailed(fault.told("condition", text))
    return value
