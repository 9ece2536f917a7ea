"""Test-drives of a server, each in a process of its own.

They compute for seconds; the pages, which share one process, must not wait for them.
The process is nicer than the server, ends with it, and is ended when it takes too long.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any
from uuid import uuid4

from mpms.services.testdrive.ask import Asked
from mpms.services.testdrive.drives import Drive, DriveBusy, DriveUnknown
from mpms.settings import Settings

KEPT = 20
LONGEST_S = 900.0
NICER = 10


@dataclass
class ChildDrives:
    """Safe to share between threads."""

    settings: Settings
    database_url: str
    _drives: OrderedDict[str, Drive] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, asked: Asked, *, by: str) -> str:
        """DriveBusy."""
        drive = Drive(str(uuid4()), by, asked)
        with self._lock:
            if any(one.runs for one in self._drives.values()):
                raise DriveBusy
            self._drives[drive.id] = drive
            while len(self._drives) > KEPT:
                self._drives.popitem(last=False)
        follow = threading.Thread(target=self._follow, args=(drive,), daemon=True)
        follow.start()
        return drive.id

    def look(self, drive_id: str) -> Drive:
        """DriveUnknown."""
        with self._lock:
            if drive_id not in self._drives:
                raise DriveUnknown
            return self._drives[drive_id]

    def _follow(self, drive: Drive) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        given = (self.settings, self.database_url, drive.asked, theirs)
        child = context.Process(target=_drive, args=given, daemon=True)
        refused = "It ended without a result; the log of the server may say why."
        timer = threading.Timer(LONGEST_S, child.kill)
        try:
            child.start()
            theirs.close()
            timer.start()
            with suppress(EOFError):
                while True:
                    self._heard(drive.id, ours.recv())
        except OSError as failure:
            refused = str(failure)
        finally:
            timer.cancel()
            if child.pid is not None:
                child.join()
            if child.exitcode is not None and child.exitcode < 0:
                refused = f"It took longer than {LONGEST_S:g} s or was ended."
            self._heard(drive.id, {"refused": refused})

    def _heard(self, drive_id: str, said: Mapping[str, Any]) -> None:
        """What ends it counts once."""
        with self._lock:
            drive = self._drives.get(drive_id)
            if drive is not None and drive.runs:
                self._drives[drive_id] = replace(drive, **said)


def _drive(settings: Settings, url: str, asked: Asked, tell: Connection) -> None:
    """In the child: everything is loaded here, and nothing in the server."""
    from mpms import bootstrap
    from mpms.bootstrap.testdrive import drive_model
    from mpms.domain.errors import MpmsError
    from mpms.domain.testdrive.as_json import report_json

    os.nice(NICER)
    told = -1

    def progress(done: int, of: int) -> None:
        nonlocal told
        if 100 * done // max(of, 1) != told:
            told = 100 * done // max(of, 1)
            tell.send({"done": done, "of": of})

    services = bootstrap.connect(
        url, limits=settings.limits, execution=settings.execution
    )
    try:
        models: dict[str, bytes] = {}
        report = drive_model(
            services, settings, asked, progress=progress, models=models
        )
        tell.send({"report": report_json(report), "models": models})
    except MpmsError as refusal:
        tell.send({"refused": str(refusal)})
    finally:
        services.close()
        tell.close()
