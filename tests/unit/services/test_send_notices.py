"""Mails about one's own account: each once, and later while the server is away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from mpms.domain.people.notice_texts import WHAT
from mpms.ports.outgoing_mail import MailServerAway, Reply
from mpms.ports.people.notices import Notice
from mpms.services.people.send_notices import SendNotices

AT = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)


class Kept:
    """The table of notices."""

    def __init__(self, *waiting: Notice) -> None:
        self.waiting = {one.id: one for one in waiting}
        self.taken: dict[int, Notice] = {}

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        yield SimpleNamespace(notices=self)

    def take(self, limit: int) -> Sequence[Notice]:
        self.taken |= self.waiting
        taken, self.waiting = list(self.waiting.values())[:limit], {}
        return taken

    def give_back(self, notice_ids: Sequence[int]) -> None:
        self.waiting = {number: self.taken[number] for number in notice_ids}


class Server:
    def __init__(self) -> None:
        self.away = False
        self.sent: list[Reply] = []

    def send(self, mails: Sequence[Reply]) -> list[str]:
        if self.away:
            raise MailServerAway("no route")
        self.sent += mails
        return [mail.id for mail in mails]


def notice(number: int, language: str = "en") -> Notice:
    what = "password changed"
    return Notice(number, "Ada", language, "ada@plant.example", what, "eve", AT)


def sender(kept: Kept, server: Server | None) -> SendNotices:
    return SendNotices(kept, server, "https://mpms.plant.example")  # type: ignore[arg-type]


def test_a_notice_is_sent_once_in_the_language_of_its_person() -> None:
    kept, server = Kept(notice(1), notice(2, "de")), Server()
    send = sender(kept, server)
    assert send() is True
    assert send() is False
    english, german = server.sent
    assert english.subject == "MPMS: Your password was changed"
    assert "by eve" in english.body
    assert "https://mpms.plant.example/me" in english.body
    assert german.subject == "MPMS: Ihr Passwort wurde geändert"


def test_a_server_that_is_away_has_taken_nothing() -> None:
    kept, server = Kept(notice(1)), Server()
    server.away = True
    assert sender(kept, server)() is False
    assert list(kept.waiting) == [1]
    server.away = False
    assert sender(kept, server)() is True
    assert [mail.id for mail in server.sent] == ["notice-1"]


def test_without_a_mail_server_notices_wait() -> None:
    kept = Kept(notice(1))
    assert sender(kept, None)() is False
    assert list(kept.waiting) == [1]


def test_every_language_knows_every_change() -> None:
    assert {frozenset(words) for words in WHAT.values()} == {frozenset(WHAT["en"])}
