"""One evaluation of a decision with all that it requires: its costs and its traces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..feel.values import Frame

if TYPE_CHECKING:
    from .decision import Decision

MAX_STEPS = 1_000_000  # for a decision and everything it requires
Others = Callable[[str], "Decision | None"]
Fired = tuple[str, tuple[str, ...]]  # a decision, its rules that held


class Run(Frame):
    """What is known so far, what was decided on the way, what may still be spent."""

    __slots__ = ("decided", "fired", "others", "pending")
    most_steps = MAX_STEPS

    def __init__(
        self,
        variables: Mapping[str, object],
        now: datetime | None,
        others: Others | None = None,
        *,
        standard: bool = False,
    ) -> None:
        super().__init__(variables, now, standard=standard)
        self.others = others  # decisions of other files
        self.decided: dict[int, Any] = {}  # by identity: ids repeat between files
        self.pending: list[str] = []
        self.fired: list[Fired] = []


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What was decided: one set of outputs, a list of them, or nothing."""

    outputs: dict[str, object] | list[dict[str, object]] | None
    rules: tuple[str, ...]
    value: object = None  # as DMN has it: bare if there is one output
    fired: tuple[Fired, ...] = ()  # every table on the way, in order
