"""Stock, goods in, stock-take and the schedule on their pages and by the API."""

from __future__ import annotations

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.stock import Lot, LotState
from mpms.factory.services.stock.move import receive_lot
from tests.support.site import row_of
from tests.support.web_orders import Plant

LOT = {"material": "RM-001", "lot": "W-1", "kg": "250,5", "place": "A"}


def test_goods_come_in_by_the_page_are_released_and_counted(plant: Plant) -> None:
    worker = plant.browser(Role.WORKER)
    worker.post("/stock/receive", data=LOT)
    page = plant.page("/stock", Role.WORKER)
    assert "in quarantine" in row_of(page, "W-1")
    assert "250.5" in row_of(page, "W-1")
    refused = worker.post("/stock/state", data={"lot": "W-1", "state": "released"})
    assert refused.status_code == 403
    leader = plant.browser(Role.SUPERVISOR)
    said = {"lot": "W-1", "state": "released", "reason": "the certificate is there"}
    leader.post("/stock/state", data=said)
    worker.post("/stock/count", data={"lot": "W-1", "place": "A", "kg": "249"})
    story = plant.page("/stock/lot?lot=W-1")
    assert "released" in story
    assert "-1.5" in row_of(story, "stock-take")


def test_everything_wrong_with_a_delivery_is_said_at_once(plant: Plant) -> None:
    worker = plant.browser(Role.WORKER)
    bad = {"material": "RM-999", "lot": "?", "kg": "much", "place": "moon"}
    worker.post("/stock/receive", data=bad)
    page = worker.get("/stock").text
    for part in (
        "no material RM-999",
        "A lot has letters",
        "weight must be",
        "no place",
    ):
        assert part in page
    assert plant.rows("SELECT count(*) FROM lots") == [(0,)]


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", ("Bestand", "Zeitplan")), ("es", ("Existencias", "Programa"))],
)
def test_the_pages_speak_the_language_of_their_reader(
    plant: Plant, language: str, words: tuple[str, str]
) -> None:
    stock = plant.page("/stock", language=language)
    assert words[0] in stock
    assert words[1] in plant.page("/schedule", language=language)


@pytest.mark.covers("A80")
def test_the_schedule_tells_when_each_material_is_fetched_and_mixed(
    plant: Plant,
) -> None:
    with plant.uow() as tx:
        receive_lot(
            tx,
            Lot("W-1", "RM-001", LotState.RELEASED),
            place="A",
            grams=900_000,
            by="gina",
            reason="delivery",
        )
    plant.make("MO-2026-0001")
    page = plant.page("/schedule")
    assert "gantt-mix" in page
    row = row_of(page, "MO-2026-0001")
    assert row.count("load RM-") + row.count("load  RM-") >= 1
    assert "mixing" in row
    story = plant.page("/orders/MO-2026-0001")
    assert "As planned now" in story
    assert "RM-001" in row_of(story[story.index("order-plan-title") :], "RM-001")
    fragment = plant.page("/orders/MO-2026-0001/plan")
    assert "mixing" in row_of(fragment, "mixing")
    plant.rows(
        "UPDATE order_picks SET state = 'used', loaded_at = now(), used_at = now()"
        " WHERE pick = 0"
    )
    assert "done" in plant.page("/orders/MO-2026-0001/plan")
    plant.rows("UPDATE orders SET status = 'cancelled'")
    assert "As planned now" not in plant.page("/orders/MO-2026-0001")
