"""The log: text or JSON lines, on standard error and in files of the state directory.

Every process writes a file of its own, because two cannot rotate the same one. A lock
says which number is free. Secrets of the settings never get into a line, whoever
wrote it and wherever in it they stand.
"""

from __future__ import annotations

import fcntl
import json
import logging
import re
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO
from urllib.parse import quote, unquote, urlsplit

from mpms.domain import trace
from mpms.settings import Settings, own_fields

FILE_BYTES = 5 << 20
OLD_FILES = 3
MOST_PROCESSES = 64
HIDDEN = "•••"
SHORTEST_SECRET = 4
_IN_ADDRESS = re.compile(r"(?P<before>\w[\w+.-]*://[^\s/:@]*:)[^\s/@]+@")
_IN_WORDS = re.compile(
    r"(?i)\b(?P<name>password|passwd|pwd|client_secret|access_token|token)"
    r"(?P<equals>\s*=\s*|\s*:\s*)(?P<value>'[^']*'|\"[^\"]*\"|[^\s,;&]+)"
)


def start_log(settings: Settings, process: str, *, file: bool = True) -> None:
    """Let every logger of this process write as the settings say. A state directory
    that cannot be written to costs the file, not the program."""
    secrets = secrets_of(settings)
    line: logging.Formatter = (
        JsonLine(secrets) if settings.log_format == "json" else TextLine(secrets)
    )
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if file:
        try:
            handlers.append(OwnFile(settings.state_dir / "log", process))
        except OSError as failure:
            logging.getLogger(__name__).debug("no log file: %s", failure)
    for handler in handlers:
        handler.setFormatter(line)
    logging.basicConfig(level=settings.log_level, handlers=handlers, force=True)


def log_files(directory: Path) -> list[Path]:
    """The newest first."""
    found = [path for path in directory.glob("*.log*") if path.is_file()]
    return sorted(found, key=lambda p: p.stat().st_mtime, reverse=True)


def secrets_of(settings: Settings) -> frozenset[str]:
    """Every word of the settings that must not be read by anybody."""
    addresses = [getattr(settings, each.name) for each in own_fields() if not each.repr]
    found: set[str] = set()
    if settings.plugins:
        from mpms.plugins import loading  # asking for help loads next to nothing

        for plugin in loading.usable():
            for name, value in settings.plugins.get(plugin.name, {}).items():
                setting = plugin.settings.get(name)
                if setting is not None and setting.secret and isinstance(value, str):
                    found.add(value)
                elif setting is not None and setting.address:
                    addresses.append(value)
    for value in addresses:
        if not isinstance(value, str):
            continue
        if "://" not in value:
            found.add(value)
            continue
        try:
            password = urlsplit(value).password
        except ValueError:
            password = value
        if password:
            found |= {password, unquote(password), quote(unquote(password), safe="")}
    return frozenset(word for word in found if len(word) >= SHORTEST_SECRET)


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """The same words without what only its owner may know."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _IN_ADDRESS.sub(rf"\g<before>{HIDDEN}@", text)
    return _IN_WORDS.sub(rf"\g<name>\g<equals>{HIDDEN}", text)


def in_one_line(text: str, kept: str = "") -> str:
    """Without signs that a terminal obeys or that begin a line: they may come from
    anybody, and a line of the log must not look like another."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


class TextLine(logging.Formatter):
    """For people: time, name, words, and what it is about.

    Only what follows a line, such as where a program failed, has lines of its own; they
    are set in.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(name)s: %(message)s")
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        facts = " ".join(f"{key}={value}" for key, value in trace.about().items())
        said = logging.makeLogRecord(record.__dict__)
        said.msg, said.args = in_one_line(record.getMessage()), None
        said.exc_info = said.exc_text = said.stack_info = None
        text = super().format(said)
        if facts:
            text += f" [{in_one_line(facts)}]"
        if record.exc_info and record.exc_info[0] is not None:
            told = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            text += "".join(f"\n  {in_one_line(one)}" for one in told.split("\n"))
        return without_secrets(text, self._secrets)


class JsonLine(logging.Formatter):
    """For programs: one JSON object a line."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname,
            "logger": record.name,
            "message": self._plain(record.getMessage()),
            "process": record.process,
            "thread": record.threadName,
        }
        line |= {key: self._plain(value) for key, value in trace.about().items()}
        if record.exc_info and record.exc_info[0] is not None:
            told = "".join(traceback.format_exception(*record.exc_info))
            line["trace"] = self._plain(told)
        return json.dumps(line, ensure_ascii=False)

    def _plain(self, text: str) -> str:
        return without_secrets(in_one_line(text, kept="\n\t"), self._secrets)


class OwnFile(RotatingFileHandler):
    """A file that no other process writes to, as long as this one holds its lock."""

    def __init__(self, directory: Path, process: str) -> None:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        name, self._lock_file = _free_name(directory, process)
        super().__init__(
            directory / f"{name}.log",
            maxBytes=FILE_BYTES,
            backupCount=OLD_FILES,
            encoding="utf-8",
        )

    def close(self) -> None:
        super().close()
        self._lock_file.close()


def _free_name(directory: Path, process: str) -> tuple[str, IO[str]]:
    for number in range(1, MOST_PROCESSES + 1):
        name = f"{process}-{number}"
        lock = (directory / f"{name}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        return name, lock
    raise OSError(f"more than {MOST_PROCESSES} processes write to {directory}")
