"""A server that starts before its database waits for it."""

from __future__ import annotations

import pytest

from mpms.cli import serve
from mpms.domain.errors import DatabaseAway


def test_serve_waits_for_a_database_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve, "AWAY_S", 0.0)
    answers = iter([DatabaseAway("nobody at 5432"), DatabaseAway("nobody at 5432")])
    tried = []

    def attempt() -> None:
        tried.append(1)
        if (refused := next(answers, None)) is not None:
            raise refused

    serve._wait_for(attempt)
    assert len(tried) == 3
    assert capsys.readouterr().err.count("waiting for the database: nobody") == 1
