"""One evaluation of a decision with all that it requires: its costs and its traces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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

    __slots__ = ("decided", "fired", "inputs", "others", "pending")
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
        self.inputs: dict[str, tuple[Any, ...]] = {}  # what each table was asked

    def seen_as(self, prefix: str | None) -> "Run":
        """The same run for an imported file: what is given under the import's name
        has its own names there."""
        given = self.variables.get(prefix) if prefix else None
        if not isinstance(given, Mapping):
            return self
        inner = Run({**self.variables, **given}, self.now, standard=self.standard)
        inner.others, inner.decided = self.others, self.decided
        inner.pending, inner.fired = self.pending, self.fired
        inner.inputs = self.inputs
        inner.steps_left, inner.ends_at = self.steps_left, self.ends_at
        return inner


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What was decided: one set of outputs, a list of them, or nothing."""

    outputs: dict[str, object] | list[dict[str, object]] | None
    rules: tuple[str, ...]
    value: object = None  # as DMN has it: bare if there is one output
    fired: tuple[Fired, ...] = ()  # every table on the way, in order
    inputs: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
