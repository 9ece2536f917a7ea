"""One demo at a time has the data of a directory, and none are silently forgotten.

Two demos on the same data would drive the same robots in two simulators; the second is
told which one runs and how to run beside it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mpms.demo.known_secrets import DIRECTORY
from mpms.domain.errors import MpmsError
from mpms.settings import PLANT_OF_ROOT, Settings

NOTE = "running.json"


class DemoRuns(MpmsError):
    """Another demo has these data."""


class StateUnusable(MpmsError):
    """The data of the demo cannot be kept."""


def left_elsewhere(settings: Settings, old: Path = PLANT_OF_ROOT) -> str | None:
    """A line about data of root's demo where earlier versions kept them."""
    left = old / DIRECTORY
    if os.geteuid() != 0 or os.environ.get("MPMS_STATE_DIR"):
        return None
    if left == settings.state_dir or not (left / "postgres").is_dir():
        return None
    return (
        f"An earlier demo left its data in {left}; to go on with them:"
        f" MPMS_STATE_DIR={shlex.quote(str(old))} make demo"
    )


@contextmanager
def alone(directory: Path) -> Iterator[Callable[[str], None]]:
    """Be the only demo of this directory. DemoRuns, StateUnusable.

    Yields a function that notes the address of the pages, for whoever comes second.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = open(directory / NOTE, "a+", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise StateUnusable(f"The demo cannot keep its data: {error}.") from error
    with note:
        try:
            fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note.seek(0)
            raise DemoRuns(_who_runs(directory, note.read())) from None

        def write(pages: str | None) -> None:
            note.truncate(0)
            note.write(json.dumps({"pid": os.getpid(), "pages": pages}))
            note.flush()

        write(None)
        yield write


def _who_runs(directory: Path, written: str) -> str:
    try:
        known = json.loads(written)
    except ValueError:  # it is being written
        known = {}
    process = f"process {known['pid']}" if "pid" in known else "a process just starting"
    pages = f"pages at {known['pages']}" if known.get("pages") else "no pages yet"
    beside = directory.parent.with_name(directory.parent.name + "-2")
    return (
        f"A demo runs here already ({process}, {pages}, data in {directory}); to run"
        f" another beside it: MPMS_STATE_DIR={shlex.quote(str(beside))} make demo"
    )
