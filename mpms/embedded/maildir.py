"""pymap's mail directories, made exact and quick.

As it comes, pymap parses and rewrites messages when it reads them (bytes are lost and
a hostile message stops it), copies messages without their content, looks at every
file of a folder several times for each command, and never forgets a message that was
moved away, so a folder gets slower for ever. These classes replace that layer inside
the server process; everything on the disk stays as pymap keeps it.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import AsyncIterable
from mailbox import MaildirMessage
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, Self

import pymap.backend.maildir as backend
from pymap.backend.maildir import mailbox as layer
from pymap.backend.maildir.uidlist import Record, UidList
from pymap.mime import MessageBody, MessageContent, MessageHeader

LARGEST_HEAD = 64 * 1024
MOST_PARTS = 200
# Two changes within one tick of the file system's clock look like one.
TICK_NS = 50_000_000
MOST_GONE = 50
LOOK_EVERY_S = 0.2  # how soon a conversation in IDLE hears of a delivery
STALE_LOCK = "dovecot-uidlist.lock"

log = logging.getLogger(__name__)


def install() -> None:
    """Put these classes in the place of pymap's, in this process."""
    module: Any = layer
    module.UidList = ExactUidList
    module.MailboxData = QuickFolder
    module.Maildir = QuickMaildir
    package: Any = backend
    package.Maildir = QuickMaildir
    package.MailboxSet = PoliteFolders
    content: Any = MessageContent
    content.parse = staticmethod(parse)


def remove_stale_locks(directory: Path) -> None:
    """A killed server leaves its lock files; pymap would wait ten minutes."""
    for path in directory.glob(f"**/{STALE_LOCK}"):
        path.unlink(missing_ok=True)


def parse(raw: bytes) -> MessageContent:
    """Find a message's parts for mail clients, unless that looks like an attack."""
    lines = MessageContent._find_lines(raw)
    top, rest = MessageContent._split_lines(raw, lines)
    size = top[-1][2] if top else 0
    content: MessageContent | None = None
    if size <= LARGEST_HEAD and raw.lower().count(b"content-type:") <= MOST_PARTS:
        try:
            content = MessageContent._parse(raw, memoryview(raw), lines)
        except Exception as error:
            log.warning("a message is served as one part: %r", error)
    if content is None:
        header = MessageHeader(raw, top, [])
        plain = MessageBody._parse_content_type("text/plain")
        content = MessageContent(raw, header, MessageBody(raw, rest, plain, []))
    content._raw = memoryview(raw)  # it cuts a message without a body short
    return content


class Untouched:
    """Message bytes where pymap expects a parsed message."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __bytes__(self) -> bytes:
        return self._raw


class ExactUidList(UidList):
    """The numbers of a folder's messages, read and written sparingly.

    The file is parsed only when it changed, and a new record is one line more instead
    of a new file, so filing away costs the same in a folder of ten and ten thousand.
    """

    _read: ClassVar[dict[str, tuple[tuple[int, int, int], UidList]]] = {}

    @classmethod
    def file_read(cls, path: str) -> Self:
        known = cls._current(path)
        if known is None:
            return super().file_read(path)
        copy = cls(path, known.uid_validity, known.next_uid, known.global_uid)
        copy._records = dict(known._records)
        return copy

    @classmethod
    def file_open(cls, path: str) -> Self:
        # pymap reads the first line only, and then writes the file without the rest
        # if two conversations open a new folder at once.
        return cls.file_read(path)

    def read(self, fp: IO[str]) -> None:
        super().read(fp)
        self.next_uid = max(self.next_uid, max(self._records, default=0) + 1)

    @classmethod
    async def append(cls, path: str, fields: Any, filename: str) -> int:
        """Number one more message."""
        async with cls.write_lock(path):
            numbers = cls._current(path)
            if numbers is None:
                numbers = cls.get_default(path)
                numbers.file_write()
            record = Record(numbers.next_uid, fields, filename)
            with open(cls.get_file(path), "ab") as file:
                file.write(cls._build_line(record).encode())
            numbers._records[record.uid] = record
            numbers.next_uid += 1
            cls._read[path] = (cls._signature(path), numbers)
            return int(record.uid)

    @classmethod
    def _current(cls, path: str) -> UidList | None:
        try:
            signature = cls._signature(path)
        except FileNotFoundError:
            return None
        known = cls._read.get(path)
        if known is None or known[0] != signature:
            known = (signature, super().file_read(path))
            cls._read[path] = known
        return known[1]

    @classmethod
    def _signature(cls, path: str) -> tuple[int, int, int]:
        status = os.stat(cls.get_file(path))
        return (status.st_ino, status.st_mtime_ns, status.st_size)


class QuickMaildir(layer.Maildir):
    """Lists a folder when it changed, not for every message."""

    _toc: dict[str, str]
    _paths: dict[str, str]
    _path: str

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for path in self._paths.values():  # another conversation may be making it
            os.makedirs(path, mode=0o700, exist_ok=True)
        self._listed: tuple[int, ...] = ()
        self._settled = False
        self._dates: dict[str, float] = {}

    def _refresh(self) -> None:
        began_ns = time.time_ns()
        changed = tuple(os.stat(self._paths[box]).st_mtime_ns for box in ("new", "cur"))
        if changed == self._listed and self._settled:
            return
        found: dict[str, str] = {}
        for box in ("new", "cur"):
            for name in os.listdir(self._paths[box]):
                if not name.startswith("."):
                    found[name.split(self.colon)[0]] = f"{box}/{name}"
        self._toc = found
        self._listed = changed
        self._settled = all(began_ns - at_ns > TICK_NS for at_ns in changed)
        self._dates = {key: at for key, at in self._dates.items() if key in found}

    def _lookup(self, key: str) -> str:
        if key not in self._toc:
            self._refresh()
        return self._toc[key]

    def present(self) -> dict[str, str]:
        """Return what lies here now: key to path below the folder."""
        self._refresh()
        return self._toc

    def path_of(self, key: str) -> Path:
        path = Path(self._path, self._lookup(key))
        if not path.exists():  # renamed by another conversation
            self._settled = False
            self._refresh()
            path = Path(self._path, self._lookup(key))
        return path

    def get_message(self, key: str) -> Any:
        return Untouched(self.path_of(key).read_bytes())

    def get_message_metadata(self, key: str) -> MaildirMessage:
        path = self._lookup(key)
        box: Literal["new", "cur"] = "new" if path.startswith("new/") else "cur"
        name = path[4:]
        if key not in self._dates:
            self._dates[key] = os.path.getmtime(self.path_of(key))
        message = MaildirMessage()
        message.set_subdir(box)
        if self.colon in name:
            message.set_info(name.rsplit(self.colon, 1)[-1])
        message.set_date(self._dates[key])
        return message


class PoliteFolders(layer.MailboxSet):
    """Says no to a folder that is there already; pymap breaks off."""

    async def add_mailbox(self, name: str) -> Any:
        try:
            return await super().add_mailbox(name)
        except KeyError as error:
            raise ValueError(name) from error


class QuickFolder(layer.MailboxData):
    """A folder whose messages are made once, and forgotten when they leave."""

    _maildir: QuickMaildir

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._made: dict[int, tuple[str, layer.Message]] = {}

    async def update_selected(
        self, selected: Any, *, wait_on: Any | None = None
    ) -> Any:
        if wait_on is not None:
            await wait_on.wait(timeout=LOOK_EVERY_S)
        return await super().update_selected(selected)

    async def messages(self) -> AsyncIterable[layer.Message]:
        async with ExactUidList.with_read(self._path) as numbers:
            records = list(numbers.records)
        made: dict[int, tuple[str, layer.Message]] = {}
        async with self.messages_lock.read_lock():
            present = self._maildir.present()
            for record in records:
                path = present.get(record.key)
                if path is None:
                    continue
                known = self._made.get(record.uid)
                if known is None or known[0] != path:
                    try:
                        known = (path, self._make(record))
                    except (KeyError, FileNotFoundError):
                        continue
                made[record.uid] = known
        self._made = made
        for _, message in made.values():
            yield message

    async def reset(self) -> QuickFolder:
        known = await self._get_keys()
        async with ExactUidList.with_read(self._path) as numbers:
            for record in numbers.records:
                known.pop(record.key, None)
        if known:
            await super().reset()
        await self._forget_moved(list(numbers.records))
        self._uid_validity = numbers.uid_validity
        self._next_uid = max(numbers.next_uid, self._next_uid)
        return self

    async def copy(
        self, uid: int, destination: Any, *, recent: bool = False
    ) -> int | None:
        async with ExactUidList.with_read(self._path) as numbers:
            record = numbers.get_all([uid]).get(uid)
        if record is None:
            return None
        name = f"{time.time():.6f}.{os.getpid()}_{secrets.token_hex(8)}.mpms"
        box = "new" if recent else "cur"
        try:
            source = self._maildir.path_of(record.key)
            name += source.name[len(record.key) :] if box == "cur" else ""
            os.link(source, Path(destination._maildir._path, box, name))
        except (KeyError, FileNotFoundError):
            return None
        return await ExactUidList.append(destination._path, record.fields, name)

    async def move(
        self, uid: int, destination: Any, *, recent: bool = False
    ) -> int | None:
        async with ExactUidList.with_read(self._path) as numbers:
            record = numbers.get_all([uid]).get(uid)
        if record is None:
            return None
        try:
            source = self._maildir.path_of(record.key)
            box = "new" if recent else "cur"
            os.rename(source, Path(destination._maildir._path, box, source.name))
        except (KeyError, FileNotFoundError):
            return None
        return await ExactUidList.append(destination._path, record.fields, source.name)

    async def _forget_moved(self, records: list[Record]) -> None:
        """Strike out what has left, some at a time: the list is written as a whole.

        The folder is listed after the records were read, and a message lies in it
        before its record is written, so nothing new is ever taken for gone.
        """
        async with self.messages_lock.read_lock():
            present = self._maildir.present()
        gone = [record.uid for record in records if record.key not in present]
        if len(gone) < MOST_GONE:
            return
        async with ExactUidList.with_write(self._path) as numbers:
            for uid in gone:
                if uid in numbers._records:
                    numbers.remove(uid)

    def _make(self, record: Record) -> layer.Message:
        return layer.Message.from_maildir(
            record.uid,
            self._maildir.get_message_metadata(record.key),
            self._maildir,
            record.key,
            self._get_object_id(record, "E"),
            self._get_object_id(record, "T"),
            self.maildir_flags,
        )

    async def _get_keys(self) -> dict[str, str]:
        """Return key and flags of everything here, oldest first."""
        async with self.messages_lock.read_lock():
            present = self._maildir.present()
        names = {key: path.split("/", 1)[1] for key, path in present.items()}
        return {key: names[key][len(key) + 1 :] for key in sorted(names)}
