"""What lies on a robot: shown, and booked back when a person says that it is empty."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.domain.stock import Pick, PickState
from mpms.factory.services.robots.watch_loads import WatchLoads
from tests.support.site import Browser
from tests.support.web_admin import Office


def loaded(office: Office, robot: str, status: str) -> None:
    order = Order("MO-7", "Paint", (OrderLine("RM-001", "Water", Decimal(10)),))
    pick = Pick("MO-7", 0, 0, "RM-001", "A", 10_000)
    with office.uow() as tx:
        tx.orders.add(order)
        tx.picks.save(
            replace(pick, state=PickState.ON_ROBOT, robot=robot, loaded_grams=10_000)
        )
        tx.orders.set_status("MO-7", OrderStatus(status))
    WatchLoads(office.uow)()


def test_a_supervisor_finds_the_page_from_the_incident_and_says_a_robot_is_empty(
    office: Office, admin: Browser
) -> None:
    robot = office.world.robots[0].id
    loaded(office, robot, "cancelled")
    sofia = office.browser_of("sofia")
    ((cause,),) = office.rows("SELECT cause FROM incidents WHERE kind = 'load'")
    page = sofia.get(f"/incidents/{cause}").text
    assert f'href="/robots/{robot}/load"' in page
    assert "MO-7" in admin.get(f"/admin/robots/{robot}").text
    assert sofia.post(f"/robots/{robot}/load", data={"reason": ""}).status_code == 422
    form = {"reason": "put back by hand"}
    assert sofia.post(f"/robots/{robot}/load", data=form).status_code == 303
    assert "Nothing, as far as" in sofia.get(f"/robots/{robot}/load").text
    assert office.rows("SELECT resolved_by FROM incidents") == [("sofia",)]
    assert office.rows("SELECT state FROM order_picks") == [("returned",)]
    assert sofia.get("/robots/nobody/load").status_code == 404


def test_a_robot_whose_order_goes_on_cannot_be_called_empty(office: Office) -> None:
    robot = office.world.robots[0].id
    loaded(office, robot, "in process")
    sofia = office.browser_of("sofia")
    answer = sofia.post(f"/robots/{robot}/load", data={"reason": "really"})
    assert answer.status_code == 409
    assert f"{robot} carries 10 kg of RM-001 for MO-7, which goes on" in answer.text
    assert office.rows("SELECT state FROM order_picks") == [("on robot",)]
    assert office.rows("SELECT 1 FROM incidents") == []
