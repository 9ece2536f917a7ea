"""Which lists a line of the history changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mpms.domain.history.events import Cursor, Event
from mpms.domain.history.kinds import LISTS
from mpms.plugins import loading
from mpms.web.changes.hints import MOST_IDS, hint_of, merged


def line(kind: str, actor: str = "x", **data: Any) -> Event:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return Event(Cursor(1, 1), at, kind, actor, "i", "e", "task", data)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (line("entered"), {"tasks": "task", "instances": "MO-1"}),
        (line("task claimed"), {"tasks": "task"}),
        (line("goal sent", robot="r1"), {"robots": "r1", "instances": "MO-1"}),
        (line("robot state", "r2"), {"robots": "r2"}),
        (line("order status", order="MO-9"), {"instances": "MO-9"}),
        (line("incident"), {"instances": "MO-1", "incidents": "MO-1"}),
        (line("deployed"), {}),
        (line("batch item", batch=7), {"batches": "7"}),
    ],
)
def test_each_kind_names_its_topics(event: Event, expected: dict[str, str]) -> None:
    assert hint_of(event, "MO-1", loading.kinds()) == expected


def test_a_kind_that_nobody_listed_moves_every_list_of_the_pages() -> None:
    assert set(hint_of(line("something new"))) == LISTS - {"batches"}


def test_an_unknown_id_means_all() -> None:
    assert merged([{"instances": "a"}, {"instances": None}, {"tasks": "t"}]) == {
        "instances": [],
        "tasks": ["t"],
    }


def test_very_many_ids_mean_all() -> None:
    assert merged([{"tasks": str(n)} for n in range(MOST_IDS)])["tasks"] != []
    assert merged([{"tasks": str(n)} for n in range(MOST_IDS + 1)])["tasks"] == []
