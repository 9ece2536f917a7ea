"""What the demo shows of an order: the steps so far, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.spinner import Spinner
from rich.text import Text

from mpms.domain.history.events import Event
from mpms.domain.models.definitions import ModelStep

TASKS = frozenset(
    {"userTask", "serviceTask", "scriptTask", "businessRuleTask", "callActivity"}
)
SHOWN = 24
LANE_STYLES = {"worker": "yellow", "robot": "cyan", "mpms": "magenta"}


class OrderView:
    """Follows the history of one instance."""

    def __init__(self, number: str, told: Iterable[str] = ()) -> None:
        self.number = number
        self._told = told
        self.steps: dict[str, ModelStep] = {}
        self.ended = False
        self.last = "not started"
        self._done: list[tuple[ModelStep, str]] = []
        self._open: dict[str, ModelStep] = {}
        self._notes: dict[str, str] = {}

    def take(self, event: Event) -> None:
        """One line of history."""
        step = self.steps.get(event.element or "")
        key = event.task_id or ""
        if event.kind == "goal sent":
            self._notes[key] = f"{event.data['robot']} → {event.data['place']}"
        elif event.kind == "form answered":
            self._notes[key] = f"confirmed by {event.actor}"
        elif event.kind == "variable" and event.data["name"] == "measured_kg":
            self._notes[key] = f"{event.data['new']:g} kg"
        elif event.kind == "robot chosen":
            self._notes[key] = str(event.data["robot"])
        elif event.kind.startswith("instance ") and event.kind != "instance started":
            self.ended = True
            self.last = event.kind
        if step is None or step.kind not in TASKS:
            return
        if event.kind == "entered":
            self._open[key] = step
            self.last = step.name
        elif event.kind in ("left", "cancelled"):
            self._open.pop(key, None)
            self._done.append((step, self._notes.pop(key, "")))

    def render(self) -> RenderableType:
        rows: list[RenderableType] = [Text(f"\n  Order {self.number}", style="bold")]
        hidden = max(0, len(self._done) - SHOWN)
        if hidden and not self.ended:
            rows.append(Text(f"    … {hidden} earlier steps", style="dim"))
        for step, note in self._done if self.ended else self._done[hidden:]:
            rows.append(self._line("✓", step, note))
        for key, step in self._open.items():
            line = self._line("", step, self._notes.get(key, ""))
            rows.append(Spinner("dots", line))
        if self.ended:
            rows.append(Text(f"  {self.last}, {len(self._done)} steps", style="green"))
        elif not self._done and not self._open:
            rows.append(Spinner("dots", Text(" waiting for the order to be read")))
        if not self.ended:
            rows += [Text(f"    {line}", style="dim") for line in list(self._told)]
        return Group(*rows)

    @staticmethod
    def _line(mark: str, step: ModelStep, note: str) -> Text:
        lane = step.lane or ""
        line = Text(f"    {mark} " if mark else "   ", style="green" if mark else "")
        line.append(f"{lane:<8}", style=LANE_STYLES.get(lane.casefold(), "dim"))
        line.append(f"{step.name:<34}", style="")
        line.append(note, style="dim")
        return line
