"""Repeating what has ended, and forgetting what ended long ago."""

from datetime import UTC, datetime, timedelta

import psycopg2
import pytest

from mpms.domain.errors import (
    ElementUnknown,
    InstanceBusy,
    ReasonMissing,
    RepairRefused,
)
from mpms.factory.adapters.memory import FixedClock, SystemClock
from mpms.factory.domain.orders import Order, OrderStatus
from mpms.services.history.delete import delete_history
from mpms.services.instances.cancel import cancel_instance
from mpms.services.instances.restart import restart_instance
from tests.support import drawings
from tests.support.checkers import Why
from tests.support.repair_shop import RepairShop
from tests.support.waiting import together

WHO: Why = {"by": "boss", "reason": "wrong colour"}
LONG_AGO = timedelta(days=100)


# -- restart -----------------------------------------------------------------------


def test_a_finished_instance_goes_on_as_a_new_one_that_names_it(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a b end")
    run = shop.start("p", business_key="F-1", n=1)
    shop.answer(run, "a")
    shop.answer(run, "b")
    again = restart_instance(
        shop.uow, shop.advance, run, ["b"], variables={"m": 2}, **WHO
    )
    assert shop.open(again) == ["b"]
    assert shop.variables(again) == {"n": 1, "m": 2}
    new = shop.instance(again)
    assert (new.restarted_from, new.business_key) == (run, "F-1")
    assert shop.status(run) == "completed"
    ((who, data),) = shop.told("restarted", run)
    assert (who, data["as"], data["reason"]) == ("boss", again, "wrong colour")
    ((_, data),) = shop.told("instance started", again)
    assert data["restarted_from"] == run


def test_the_order_goes_on_with_the_new_instance(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p", business_key="F-1")
    with shop.uow() as tx:
        tx.orders.add(Order("F-1", "Blue", ()))
        tx.orders.assign("F-1", run)
        tx.orders.set_status("F-1", OrderStatus.IN_PROCESS)
    cancel_instance(shop.uow, shop.advance, run, **WHO)
    again = restart_instance(shop.uow, shop.advance, run, ["a"], **WHO)
    assert shop.rows("SELECT status, instance_id::text FROM orders") == [
        ("in process", again)
    ]


def test_a_restart_in_the_latest_version(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    shop.answer(run, "a")
    shop.deploy("p", "start a b end")
    with pytest.raises(ElementUnknown, match="'b' in version 1"):
        restart_instance(shop.uow, shop.advance, run, ["b"], **WHO)
    again = restart_instance(shop.uow, shop.advance, run, ["b"], latest=True, **WHO)
    assert shop.open(again) == ["b"]


def test_what_cannot_be_restarted_changes_nothing(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    hands = shop.uow, shop.advance, run
    with pytest.raises(RepairRefused, match="has ended"):
        restart_instance(*hands, ["a"], **WHO)
    shop.answer(run, "a")
    before = shop.dump()
    with pytest.raises(ElementUnknown, match="'nowhere'"):
        restart_instance(*hands, ["nowhere"], **WHO)
    with pytest.raises(RepairRefused):
        restart_instance(*hands, [], **WHO)
    with pytest.raises(ReasonMissing):
        restart_instance(*hands, ["a"], by="boss", reason="")
    assert shop.dump() == before


def test_of_two_who_restart_one_is_told(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    shop.answer(run, "a")
    results = together(
        *(
            lambda by=by: restart_instance(
                shop.uow, shop.advance, run, ["a"], by=by, reason="x"
            )
            for by in ("ann", "bob")
        )
    )
    (told,) = [r for r in results if isinstance(r, Exception)]
    assert isinstance(told, RepairRefused | InstanceBusy)
    assert shop.rows("SELECT count(*) FROM instances") == [(2,)]


# -- forgetting --------------------------------------------------------------------


def age(shop: RepairShop, *instance_ids: str) -> None:
    for instance_id in instance_ids:
        shop.rows(
            "UPDATE instances SET ended_at = ended_at - interval '100 days'"
            " WHERE id = %s",
            instance_id,
        )


def old_and_new(shop: RepairShop) -> tuple[str, str, str]:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call end", call=drawings.call("call", "child"))
    shop.deploy("q", "start a end")
    parent, young = shop.start("p"), shop.start("q", business_key="F-1")
    with shop.uow() as tx:
        (child,) = tx.instances.children(parent)
        tx.orders.add(Order("F-1", "Blue", ()))
        tx.orders.assign("F-1", parent)
    shop.answer(child, "c", kg=1)
    shop.answer(young, "a")
    age(shop, parent, child)
    return parent, child, young


def limit() -> datetime:
    return datetime.now(UTC) - timedelta(days=30)


def test_what_ended_long_ago_is_forgotten_with_all_it_called(shop: RepairShop) -> None:
    _, _, young = old_and_new(shop)
    counted = delete_history(
        shop.uow, SystemClock(), limit(), by="boss", reason="", dry_run=True
    )
    assert (counted.instances, counted.answers) == (2, 1)
    assert counted.events > 5
    assert shop.rows("SELECT count(*) FROM instances") == [(3,)]
    deleted = delete_history(
        shop.uow, SystemClock(), limit(), by="boss", reason="rules"
    )
    assert deleted == counted
    assert shop.rows("SELECT id::text FROM instances") == [(young,)]
    assert shop.rows(
        "SELECT DISTINCT instance_id::text FROM events WHERE instance_id IS NOT NULL"
    ) == [(young,)]
    assert shop.rows("SELECT number, instance_id FROM orders") == [("F-1", None)]
    ((data,),) = shop.rows("SELECT data FROM events WHERE kind = 'history deleted'")
    assert data["instances"] == 2
    assert data["reason"] == "rules"


def test_an_active_instance_keeps_what_it_called(shop: RepairShop) -> None:
    shop.deploy("child", "start c end")
    shop.deploy("p", "start call a end", call=drawings.call("call", "child"))
    parent = shop.start("p")
    with shop.uow() as tx:
        (child,) = tx.instances.children(parent)
    shop.answer(child, "c")
    age(shop, child)
    deleted = delete_history(shop.uow, SystemClock(), limit(), by="boss", reason="x")
    assert deleted.instances == 0
    assert shop.open(parent) == ["a"]


def test_what_a_supervisor_must_decide_is_kept(shop: RepairShop) -> None:
    parent, _, _ = old_and_new(shop)
    shop.rows(
        "INSERT INTO late_answers (key, task_id, instance_id, answers, answered_by,"
        " device_at, reason) VALUES ('k', gen_random_uuid(), %s, '{}', 'ada', now(),"
        " 'late')",
        parent,
    )
    deleted = delete_history(shop.uow, SystemClock(), limit(), by="boss", reason="x")
    assert deleted.instances == 0


def test_lines_of_no_instance_go_but_not_those_of_an_order(shop: RepairShop) -> None:
    with shop.uow() as tx:
        tx.events.append("signed in", actor="ada", data={"odd": "\0"})
        tx.events.append("order accepted", actor="mpms", data={"order": "F-1"})
    now = datetime.now(UTC)
    later, before = FixedClock(now + LONG_AGO), now + timedelta(hours=1)
    deleted = delete_history(shop.uow, later, before, by="boss", reason="x")
    assert deleted.loose_events == 1
    kinds = [kind for (kind,) in shop.rows("SELECT kind FROM events ORDER BY id")]
    assert kinds == ["order accepted", "history deleted"]


def test_the_history_is_append_only_for_everybody_else(shop: RepairShop) -> None:
    with shop.uow() as tx:
        tx.events.append("signed in", actor="ada")
    for statement in ("DELETE FROM events", "UPDATE events SET actor = 'bob'"):
        with pytest.raises(psycopg2.Error, match="append-only"):
            shop.rows(statement)
        if statement.startswith("UPDATE"):
            with pytest.raises(psycopg2.Error, match="append-only"):
                shop.rows(f"SET LOCAL mpms.deletes_history = 'on'; {statement}")


def test_a_limit_in_the_future_is_refused(shop: RepairShop) -> None:
    tomorrow = shop.clock.now() + timedelta(days=1)
    with pytest.raises(RepairRefused):
        delete_history(shop.uow, shop.clock, tomorrow, by="boss", reason="x")
    with pytest.raises(ReasonMissing):
        delete_history(shop.uow, shop.clock, shop.clock.now(), by="boss", reason="")
