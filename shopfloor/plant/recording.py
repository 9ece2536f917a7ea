"""A run on file: one JSON object a line, a head first, then what was there when.

The head tells everything that the run depends on, so a run can be driven again; the
lines are enough to look at it without driving.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from shopfloor.geometry import Pose
from shopfloor.plant.plant import STEP_S, Plant

FORMAT = "mpms plant run 1"
EVERY_STEPS = 8


class RecordingRefused(ValueError):
    """A file that is no recording of a run, and why."""


def frame_of(plant: Plant) -> dict[str, Any]:
    robots = {}
    for robot in plant.robots:
        tag = plant.tags.seen(robot.id, plant.now_s)
        believed = robot.believed
        robots[robot.id] = {
            "truth": _pose(robot.body.pose),
            "amcl": None if believed is None else _pose(believed),
            "odometry": _pose(robot.odometry.pose),
            "uwb": None if tag is None else [round(tag.x_m, 4), round(tag.y_m, 4)],
            "speed": [
                round(robot.body.vx_mps, 4),
                round(robot.body.vy_mps, 4),
                round(robot.body.wz_radps, 4),
            ],
            "status": robot.command.status.value,
            "cause": robot.command.cause and robot.command.cause.value,
        }
    frame: dict[str, Any] = {
        "t": round(plant.now_s, 3),
        "robots": robots,
        "people": {w.name: [round(w.x_m, 4), round(w.y_m, 4)] for w in plant.walkers},
    }
    if plant.doors:
        frame["closed"] = [name for name, d in plant.doors.items() if d.closed]
    return frame


def _pose(pose: Pose) -> list[float]:
    return [round(pose.x_m, 4), round(pose.y_m, 4), round(pose.yaw_rad, 4)]


class Recorder:
    """Notes a frame every so many steps, into a file if there is one."""

    def __init__(
        self,
        plant: Plant,
        file: Path | None = None,
        head: dict[str, Any] | None = None,
        every: int = EVERY_STEPS,
        *,
        keep: bool = True,
    ) -> None:
        """``keep``: in memory too, which a run of days does not want."""
        self.frames: list[dict[str, Any]] = []
        self.head = {
            "format": FORMAT,
            "world": plant.world.name,
            "seed": plant.seed,
            "step_s": STEP_S,
            "boxes": [box.as_facts() for box in plant.boxes],
            "people": len(plant.walkers),
            **(head or {}),
        }
        self._every = every
        self._keep = keep
        self._count = 0
        self._out: IO[str] | None = None
        if file is not None:
            self._out = file.open("w", encoding="utf-8")
            self._write(self.head)

    def note(self, plant: Plant) -> None:
        """To be called once after every step."""
        if self._count % self._every == 0:
            frame = frame_of(plant)
            if self._keep:
                self.frames.append(frame)
            self._write(frame)
        self._count += 1

    def finish(self, account: dict[str, Any]) -> None:
        """The last line: what came of it all."""
        self._write({"account": account})

    def _write(self, facts: dict[str, Any]) -> None:
        if self._out is not None:
            self._out.write(json.dumps(facts, separators=(",", ":")) + "\n")
            self._out.flush()  # who is killed leaves whole lines

    def close(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Recording:
    head: dict[str, Any]
    frames: list[dict[str, Any]]
    account: dict[str, Any] | None = None
    """None: whoever wrote it was killed before the end."""

    def replay(self) -> Iterator[tuple[float, dict[str, Any]]]:
        """Time and frame, in order."""
        for frame in self.frames:
            yield float(frame["t"]), frame


def read_recording(path: Path) -> Recording:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingRefused(f"{path} cannot be read: {error}") from None
    facts = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
        except ValueError:
            raise RecordingRefused(f"{path}: line {number} is not JSON") from None
        if not isinstance(entry, dict):
            raise RecordingRefused(f"{path}: line {number} is no object")
        facts.append(entry)
    if not facts or facts[0].get("format") != FORMAT:
        raise RecordingRefused(f"{path} is no recording of a run")
    account = facts.pop().get("account") if "account" in facts[-1] else None
    last = -1.0
    for number, frame in enumerate(facts[1:], 2):
        at_s = frame.get("t")
        if not isinstance(at_s, int | float) or at_s <= last or "robots" not in frame:
            raise RecordingRefused(f"{path}: line {number} is no frame in order")
        last = float(at_s)
    return Recording(facts[0], facts[1:], account)
