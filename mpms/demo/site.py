"""The demo's pages: ``mpms serve`` as a process of its own, as in a real plant."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from types import TracebackType
from typing import Self

from mpms.domain.errors import MpmsError
from mpms.factory.settings import SETTINGS, FactorySettings
from mpms.plugins import variables
from mpms.server.port import is_free
from mpms.settings import Settings

PATIENCE_S = 300.0  # one that ends is noticed at once
END_S = 10.0


class SiteNotServed(MpmsError):
    """The server of the pages does not start."""


def _of_a_stranger(variable: str) -> bool:
    """Tell whether another plug-in than the factory reads it."""
    factory = {each.variable for each in SETTINGS.values()}
    return variable not in factory and variables.is_setting(variable)


class DemoSite:
    """Serves the pages as long as the block runs."""

    def __init__(self, settings: Settings, database_url: str, robots_url: str) -> None:
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("MPMS_") or _of_a_stranger(name)
        } | {
            "MPMS_DATABASE_URL": database_url,
            "MPMS_ROBOTS_URL": robots_url,
            "MPMS_STATE_DIR": str(settings.state_dir),
            "MPMS_WORLD": FactorySettings.of(settings).world,
            "MPMS_WEB_HOST": settings.web_host,
            "MPMS_WEBHOOKS_TO_PRIVATE": "yes" if settings.webhooks_to_private else "no",
            "MPMS_LOG_LEVEL": settings.log_level,
            "MPMS_LOG_FORMAT": settings.log_format,
        }
        self._host, self._port = settings.web_host, settings.web_port
        self.address = ""

    @property
    def moved(self) -> bool:
        """Tell whether the pages are not at the port that was asked for."""
        return bool(self._port) and not self.address.endswith(f":{self._port}")

    def __enter__(self) -> Self:
        free = is_free(self._host, self._port)
        said = self._start(self._port if free else 0)
        if said == "" and free and self._port:  # it was taken a moment ago
            said = self._start(0)
        if not said or "http" not in said:
            raise SiteNotServed(f"The pages cannot be served: {said or 'no answer'}.")
        self.address = said[said.index("http") :].split()[0]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def require_running(self) -> None:
        code = self._process.poll()
        if code is not None:
            raise SiteNotServed(f"The server of the pages has ended with {code}.")

    def _start(self, port: int) -> str | None:
        """What the server says when it is ready; nothing if it ended before, None if
        it took too long. Whatever is not ready is ended."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mpms", "serve", "--demo", "--with-parent"],
            env=self._environment | {"MPMS_WEB_PORT": str(port)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line: list[str] = []
        reader = threading.Thread(target=lambda: line.append(self._first_line()))
        reader.start()
        reader.join(PATIENCE_S)
        said = line[0].strip() if line else None
        if not said or "http" not in said:
            self._end()
        return said

    def _first_line(self) -> str:
        return self._process.stdout.readline() if self._process.stdout else ""

    def _end(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
