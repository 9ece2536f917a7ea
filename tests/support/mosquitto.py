"""A real MQTT broker on a port of its own; it can be killed and started again."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.certificates import Certificates

PROGRAM = shutil.which("mosquitto") or "/usr/sbin/mosquitto"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Broker:
    """Skips the test where mosquitto is not installed. With certificates it listens
    on a second, encrypted port as well; ``asks``: there it wants one of its clients."""

    def __init__(
        self,
        home: Path,
        certificates: Certificates | None = None,
        *,
        asks: bool = False,
    ) -> None:
        if not Path(PROGRAM).exists():
            pytest.skip("mosquitto is not installed: tests/install_system_parts.sh")
        self.port = free_port()
        self._config = home / "mosquitto.conf"
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous true"]
        if certificates is not None:
            self.secure_port = free_port()
            lines += [
                f"user {getpass.getuser()}",  # else root may not read them
                f"listener {self.secure_port} 127.0.0.1",
                f"cafile {certificates.ca_file}",
                f"certfile {certificates.cert}",
                f"keyfile {certificates.key}",
                f"require_certificate {str(asks).lower()}",
            ]
        self._config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def secure_url(self) -> str:
        return f"mqtts://127.0.0.1:{self.secure_port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [PROGRAM, "-c", str(self._config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 20.0
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                return
            except OSError:
                time.sleep(0.02)
        raise AssertionError("mosquitto does not listen")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
