"""An independent record of what the robots were told and what they did.

Tests of the orchestrator compare their own books with this one; it is written
by the robot side and by nobody else.
"""

from pathlib import Path
from typing import Any

import orjson


class Trace:
    """JSON lines to a file, to a list, to both or to nowhere."""

    def __init__(self, path: Path | None = None, *, keep: bool = False) -> None:
        self.records: list[dict[str, Any]] = []
        self._keep = keep
        self._file = path.open("ab", buffering=0) if path is not None else None
        self.enabled = keep or path is not None

    def write(self, at: float, event: str, **facts: Any) -> None:
        if not self.enabled:
            return
        record = {"at": at, "event": event, **facts}
        if self._keep:
            self.records.append(record)
        if self._file is not None:
            self._file.write(orjson.dumps(record, default=str) + b"\n")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self.enabled = self._keep
