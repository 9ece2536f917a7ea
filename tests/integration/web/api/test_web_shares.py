"""One person or program cannot take what all share."""

from __future__ import annotations

import pytest

from mpms.adapters.postgres.database.connections import Connections
from mpms.domain.errors import DatabaseSlow
from mpms.domain.people.people import Role
from mpms.web.changes.live import Live, TooManyOfYours
from mpms.web.site.shares import Shares, TooManyRequests
from tests.support.web_api import Plant


def _taken(plant: Plant, who: str, times: int) -> None:
    shares: Shares = plant.app().extensions["shares"]
    for _ in range(times):
        shares.take(who)


def test_who_has_his_share_open_is_told_to_wait_and_others_are_served(
    plant: Plant,
) -> None:
    plant.change(requests_each=2)
    mine, other = plant.token(Role.VIEWER, "mine"), plant.token(Role.VIEWER, "other")
    _taken(plant, f"token {mine.token.id}", 2)
    told = plant.with_token(mine.secret)("GET", "/instances")
    assert told.status_code == 429
    assert told.json["type"].endswith("#problem-too-many-requests")
    assert told.headers["Retry-After"]
    assert plant.with_token(other.secret)("GET", "/instances").status_code == 200


def test_a_page_beyond_the_share_says_so_and_loads_again(plant: Plant) -> None:
    plant.change(requests_each=1)
    person = plant.person("vera", Role.VIEWER)
    browser = plant.browser_of("vera")
    assert browser.get("/cockpit").status_code == 200
    _taken(plant, f"person {person.id}", 1)
    told = browser.get("/cockpit")
    assert told.status_code == 429
    assert "too many requests open" in told.text
    assert told.headers["Refresh"] == told.headers["Retry-After"]


def test_a_share_comes_back_with_every_answer_also_a_failure(plant: Plant) -> None:
    plant.change(requests_each=1)
    plant.person("vera", Role.VIEWER)
    browser = plant.browser_of("vera")
    for path in ("/cockpit", "/nowhere", "/admin", "/instances/none", "/cockpit"):
        assert browser.get(path).status_code != 429


def test_shares_are_counted_by_person() -> None:
    shares = Shares(1)
    shares.take("a")
    shares.take("b")
    with pytest.raises(TooManyRequests):
        shares.take("a")
    shares.give_back("a")
    shares.take("a")


def test_streams_of_one_person_leave_room_for_others(plant: Plant) -> None:
    live = Live(plant.uow, plant.services.listen(), most_each=2)
    mine = [live.stream(owner="vera") for _ in range(2)]
    with pytest.raises(TooManyOfYours):
        live.stream(owner="vera")
    live.stream(owner="otto").close()
    mine[0].close()
    live.stream(owner="vera")


def test_a_statement_that_takes_too_long_is_ended_and_said(database_url: str) -> None:
    with (
        Connections(database_url, statement_s=0.05) as pool,
        pytest.raises(DatabaseSlow, match=r"longer than 0\.05 s"),
        pool.connection() as lent,
        lent.cursor() as asked,
    ):
        asked.execute("SELECT pg_sleep(20)")


def test_a_page_of_a_slow_statement_says_what_to_do(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant.person("vera", Role.VIEWER)
    browser = plant.browser_of("vera")

    def slow(*given: object, **named: object) -> None:
        raise DatabaseSlow

    monkeypatch.setattr("mpms.web.pages.cockpit.current_desk", slow)
    told = browser.get("/cockpit")
    assert told.status_code == 503
    assert "takes the database too long" in told.text
