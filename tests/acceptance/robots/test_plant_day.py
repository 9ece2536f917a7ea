"""A day of the plant: everything real, from a worker's page to the robot's wheels.

Robots of two makes (ROS 1 and ROS 2, each behind a bridge of its own), a worker, the
web server as a process, and people who confirm what their pages ask, over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from mpms.demo.people import PASSWORD, settle_people
from mpms.demo.site import DemoSite
from mpms.factory.adapters.plant_key import read_or_make_key, verify
from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.domain.stock import Lot, LotState, grams_of
from mpms.factory.services.orders.accept import accept_order
from mpms.factory.services.records.seal import SealRecords
from mpms.factory.services.records.verify import verify_records
from mpms.factory.services.stock.move import receive_lot
from mpms.factory.settings import with_factory
from mpms.services.instances.start import start_instance
from mpms.settings import Settings
from tests.support.page_worker import PageWorker, work_of
from tests.support.robot_plant import RobotPlant
from tests.support.waiting import until

# Water comes in two lots: the first is used up on the way.
LOTS = (
    ("W-1", "RM-001", "A", Decimal("1000.000")),
    ("W-2", "RM-001", "D", Decimal("9000.000")),
    ("T-1", "RM-002", "B", Decimal("2000.000")),
    ("C-1", "RM-003", "C", Decimal("4000.000")),
)


def order(count: int) -> Order:
    """Each asks for other amounts, to the gram."""
    lines = (
        OrderLine("RM-001", "Water", Decimal("310") + Decimal(count) / 1000),
        OrderLine("RM-002", "Titanium dioxide", Decimal("120.5")),
        OrderLine("RM-003", "Calcium carbonate", Decimal("240") + Decimal(count)),
    )
    return Order(f"MO-2026-{count:04d}", "Matt white wall paint", lines, customer="b@e")


@pytest.fixture
def site(plant: RobotPlant, tmp_path: Path) -> Iterator[DemoSite]:
    plant.with_world()
    plant.with_two_servers("robot1", "nav2", speed=40.0)
    plant.start_worker("worker", lease_s=60.0)
    settle_people(plant.services.uow)
    settings = with_factory(
        Settings(state_dir=tmp_path / "state", web_port=0), world=str(plant.world)
    )
    with DemoSite(settings, plant.database_url, plant.robots_url) as served:
        yield served


@pytest.mark.covers("A15", "A57", "A66", "A78", "A85")
@pytest.mark.parametrize(
    "orders",
    [3, pytest.param(10, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])],
)
def test_orders_at_once_on_robots_of_two_makes_balance_and_their_records_verify(
    plant: RobotPlant, site: DemoSite, tmp_path: Path, orders: int
) -> None:
    uow = plant.services.uow
    for name, material, place, kg in LOTS:
        with uow() as tx:
            lot = Lot(name, material, LotState.RELEASED)
            receive_lot(
                tx, lot, place=place, grams=grams_of(kg), by="gina", reason="delivery"
            )
    made = [order(count) for count in range(1, orders + 1)]
    for each in made:
        with uow() as tx:
            accept_order(tx, plant.services.engine, each, by="b@e")
            start_instance(
                tx,
                plant.services.advance,
                "warehouse",
                variables={"order_number": each.number},
                business_key=each.number,
                actor="test",
            )
    workers = [PageWorker(site.address, login, PASSWORD) for login in ("ana", "max")]
    try:
        for worker in workers:
            worker.start()
        numbers = [each.number for each in made]
        until(
            "all orders are done",
            lambda: sorted(plant.done()) == numbers,
            patience_s=900.0,
        )
    finally:
        for worker in workers:
            worker.close()

    # Everybody and everything had a part in it.
    assert [worker.refused for worker in workers] == [[], []]
    assert len(work_of(workers)) == 3, work_of(workers)  # load, unload, mix
    robots = {name for (name,) in plant.rows("SELECT DISTINCT robot FROM goals")}
    assert robots == {"robot1", "robot2", "robot3"}
    by_people = "SELECT DISTINCT answered_by FROM answers"
    assert {who for (who,) in plant.rows(by_people)} <= {"ana", "max"}

    # What came in is what lies there and what is in the tanks.
    wanted: dict[str, int] = {}
    for each in made:
        for line in each.lines:
            grams = grams_of(line.required_kg)
            wanted[line.material] = wanted.get(line.material, 0) + grams
    came = {m: sum(grams_of(kg) for _, c, _, kg in LOTS if c == m) for m in wanted}
    left = plant.rows(
        "SELECT l.material, sum(s.grams)::bigint FROM stock AS s"
        " JOIN lots AS l ON l.lot = s.lot WHERE s.place NOT LIKE '@%' GROUP BY 1"
    )
    assert dict(left) == {code: came[code] - wanted[code] for code in wanted}
    assert plant.rows("SELECT 1 FROM stock WHERE place LIKE '@%' AND grams <> 0") == []
    measured = plant.rows(
        "SELECT order_number, line, measured_kg FROM order_lines ORDER BY 1, 2"
    )
    assert measured == [
        (each.number, count, line.required_kg)
        for each in made
        for count, line in enumerate(each.lines)
    ]

    key = read_or_make_key(tmp_path / "records.key")
    assert SealRecords(uow, key, quiet_s=0.0)()
    found = verify_records(uow, verify, keys=[key.public])
    assert found.faults == []
    assert found.records >= orders
    assert found.open_records == 0
