"""Every event of a run, on demand: CSV, or Parquet or Arrow where pyarrow is there."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from fleet.rmfs.errors import RmfsRefused


class EventLog:
    """A listener; RmfsRefused where its format cannot be written."""

    def __init__(self, format_: str) -> None:
        self._format = format_
        self._at: list[float] = []
        self._event: list[str] = []
        self._facts: list[str] = []
        if format_ != "csv":
            try:
                import pyarrow  # noqa: F401
            except ImportError:
                raise RmfsRefused(
                    f"--events {format_} needs pyarrow: pip install 'mpms[experiments]'"
                ) from None

    def __call__(self, now: float, event: str, facts: dict[str, Any]) -> None:
        self._at.append(now)
        self._event.append(event)
        self._facts.append(json.dumps(facts))

    def write(self, directory: Path) -> Path:
        path = directory / f"events.{self._format}"
        if self._format == "csv":
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(["at_s", "event", "facts"])
                writer.writerows(zip(self._at, self._event, self._facts, strict=True))
            return path
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table(
            {
                "at_s": pa.array(self._at, pa.float64()),
                "event": pa.array(self._event).dictionary_encode(),
                "facts": pa.array(self._facts),
            }
        )
        if self._format == "parquet":
            pq.write_table(table, path, compression="zstd")
        else:
            with (
                pa.OSFile(str(path), "wb") as sink,
                pa.ipc.new_file(sink, table.schema) as writer,
            ):
                writer.write_table(table)
        return path
