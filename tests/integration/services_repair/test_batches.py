"""One action on many: fixed when it is ordered, done one by one, told one by one."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from mpms.domain.bulk import (
    Batch,
    BatchAction,
    BatchOver,
    BatchRefused,
    BatchUnknown,
    ItemState,
    NothingForBatch,
    TheseIncidents,
    TheseInstances,
    TooManyForBatch,
)
from mpms.domain.errors import InstanceUnknown, MpmsError, NotFound, ReasonMissing
from mpms.domain.incidents.incidents import IncidentFilter
from mpms.domain.instances.instances import InstanceStatus
from mpms.domain.jobs import Done, Job
from mpms.ports.instances.rows import InstanceFilter
from mpms.services.bulk import order as ordering
from mpms.services.bulk.order import order_batch, repeat_failed, reverse_batch
from mpms.services.bulk.run import RunBatches
from mpms.services.bulk.show import list_batches, show_batch
from mpms.services.bulk.stop import stop_batch
from tests.support import drawings
from tests.support.checkers import Why
from tests.support.repair_shop import RepairShop
from tests.support.waiting import together

WHO: Why = {"by": "boss", "reason": "the line is cleaned"}
RUNNING = (InstanceStatus.ACTIVE,)


def these(*ids: str) -> TheseInstances:
    return TheseInstances(ids)


def results(shop: RepairShop, batch_id: int) -> list[tuple[str, str | None]]:
    page = show_batch(shop.uow, batch_id, limit=1000)
    return [(str(item.state), item.message) for item in page.items]


def done(shop: RepairShop, action: BatchAction, which: Any, **details: Any) -> Batch:
    batch_id = order_batch(shop.uow, action, which, details=details, **WHO)
    shop.worker.settle()
    return show_batch(shop.uow, batch_id).batch


# -- what is done -------------------------------------------------------------------


def test_each_of_many_is_suspended_and_the_reverse_resumes_them(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]
    batch = done(shop, BatchAction.SUSPEND, these(*runs[:2]))
    assert (batch.state, batch.items, batch.done, batch.failed) == ("ended", 2, 2, 0)
    assert [shop.instance(run).suspended is not None for run in runs] == [
        *(True, True, False)
    ]
    ((who, data),) = shop.told("suspended", runs[0])
    assert (who, data["reason"]) == ("boss", "the line is cleaned")

    back = reverse_batch(shop.uow, batch.id, by="chief", reason="clean again")
    shop.worker.settle()
    assert show_batch(shop.uow, back).batch.action is BatchAction.RESUME
    assert all(shop.instance(run).suspended is None for run in runs)


def test_what_cannot_be_done_is_told_and_stops_no_other(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]
    shop.answer(runs[1], "a")
    batch = done(shop, BatchAction.CANCEL, these(*runs))
    assert (batch.done, batch.failed) == (2, 1)
    assert results(shop, batch.id) == [
        ("done", None),
        ("failed", "The process has already ended."),
        ("done", None),
    ]
    assert [shop.status(run) for run in runs] == ["cancelled", "completed", "cancelled"]


def test_a_filter_means_those_that_fit_when_it_is_ordered(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    before = [shop.start("p", business_key=f"MO-{n}") for n in range(3)]
    shop.start("p", business_key="XX-1")
    which = InstanceFilter(key="p", statuses=RUNNING, business_key="MO-")
    batch_id = order_batch(shop.uow, BatchAction.SUSPEND, which, **WHO)
    later = shop.start("p", business_key="MO-9")
    shop.worker.settle()
    page = show_batch(shop.uow, batch_id)
    assert {item.target.instance_id for item in page.items} == set(before)
    assert {item.business_key for item in page.items} == {"MO-0", "MO-1", "MO-2"}
    assert shop.instance(later).suspended is None


def test_variables_are_set_and_removed_in_each(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p", kg=1, old=True) for _ in range(2)]
    details = {"variables": {"kg": 7}, "removed": ["old"]}
    done(shop, BatchAction.SET_VARIABLES, these(*runs), **details)
    assert [shop.variables(run) for run in runs] == [{"kg": 7}] * 2


def test_tokens_at_an_element_are_skipped_and_moved(shop: RepairShop) -> None:
    shop.deploy("p", "start a b c end")
    runs = [shop.start("p") for _ in range(2)]
    shop.answer(runs[1], "a")
    batch = done(shop, BatchAction.SKIP, these(*runs), element="a", variables={"x": 1})
    assert [shop.open(run) for run in runs] == [["b"], ["b"]]
    assert results(shop, batch.id) == [
        ("done", None),
        ("failed", "No live task is at 'a'."),
    ]
    assert shop.variables(runs[0]) == {"x": 1}
    done(shop, BatchAction.MOVE, these(*runs), element="b", to="c")
    assert [shop.open(run) for run in runs] == [["c"], ["c"]]


def test_every_token_at_the_element_is_skipped(shop: RepairShop) -> None:
    shop.deploy("p", "start and1 b a end", "and1 c a")
    run = shop.start("p")
    shop.answer(run, "b")
    shop.answer(run, "c")
    assert shop.open(run) == ["a", "a"]
    batch = done(shop, BatchAction.SKIP, these(run), element="a")
    assert (batch.done, shop.status(run)) == (1, "completed")


def test_instances_go_to_another_version_or_say_why_not(shop: RepairShop) -> None:
    shop.deploy("p", "start a b end")
    runs = [shop.start("p") for _ in range(2)]
    shop.answer(runs[1], "a")
    shop.deploy("p", "start a c end")
    batch = done(shop, BatchAction.MIGRATE, these(*runs), version=2)
    first, second = results(shop, batch.id)
    assert first == ("done", None)
    assert second[0] == "failed"
    assert "b" in (second[1] or "")
    shop.answer(runs[0], "a")
    assert (shop.open(runs[0]), shop.open(runs[1])) == (["c"], ["b"])


def test_ended_ones_are_restarted_and_the_new_one_is_told(shop: RepairShop) -> None:
    shop.deploy("p", "start a b end")
    runs = [shop.start("p", business_key=f"R{n}") for n in range(2)]
    done(shop, BatchAction.CANCEL, these(*runs))
    batch = done(shop, BatchAction.RESTART, these(*runs), elements=["b"])
    new = [str(message) for _, message in results(shop, batch.id)]
    assert batch.done == 2
    assert [shop.open(one) for one in new] == [["b"], ["b"]]
    assert [shop.instance(one).business_key for one in new] == ["R0", "R1"]


# -- incidents ----------------------------------------------------------------------


def broken(shop: RepairShop, runs: int) -> list[str]:
    """Instances whose job has failed for good; it works from now on."""
    faults = [True]

    def weigh(tx: Any, job: Job) -> Done:
        if faults:
            raise ValueError("no answer from the scale")
        return Done({})

    shop.handlers.add_inside("weigh", weigh)
    shop.deploy("p", "start job end", job=drawings.job("job", "weigh"))
    found = [shop.start("p") for _ in range(runs)]
    shop.use_up_attempts()
    faults.clear()
    return found


def test_incidents_are_retried_by_number_by_filter_and_by_instance(
    shop: RepairShop,
) -> None:
    runs = broken(shop, 3)
    numbers = {i.instance_id: i.id for i in shop.incidents()}
    one = done(shop, BatchAction.RETRY, TheseIncidents((numbers[runs[0]],)))
    assert (one.done, shop.status(runs[0])) == (1, "completed")
    by_instance = done(shop, BatchAction.RETRY, these(runs[0], runs[1]))
    assert results(shop, by_instance.id) == [
        ("failed", "It has no incident that can be tried again."),
        ("done", None),
    ]
    rest = done(shop, BatchAction.RETRY, IncidentFilter(text="SCALE"))
    assert (rest.items, rest.done, shop.status(runs[2])) == (1, 1, "completed")
    ((who, data),) = shop.told("retry", runs[2])
    assert (who, data["reason"]) == ("boss", "the line is cleaned")


def test_an_incident_that_somebody_retried_meanwhile_is_told(shop: RepairShop) -> None:
    runs = broken(shop, 2)
    first = order_batch(shop.uow, BatchAction.RETRY, IncidentFilter(), **WHO)
    second = order_batch(shop.uow, BatchAction.RETRY, IncidentFilter(), **WHO)
    shop.worker.settle()
    states = sorted(
        state for batch in (first, second) for state, _ in results(shop, batch)
    )
    assert states == ["done", "done", "failed", "failed"]
    assert [shop.status(run) for run in runs] == ["completed", "completed"]
    assert all(len(shop.told("retry", run)) == 1 for run in runs)


def test_only_a_retry_is_for_incidents(shop: RepairShop) -> None:
    broken(shop, 1)
    with pytest.raises(BatchRefused, match="cancel is for others"):
        order_batch(shop.uow, BatchAction.CANCEL, IncidentFilter(), **WHO)


def test_those_that_failed_can_be_repeated(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(2)]
    done(shop, BatchAction.SUSPEND, these(runs[0]))
    batch = done(shop, BatchAction.SUSPEND, these(*runs))
    assert batch.failed == 1
    done(shop, BatchAction.RESUME, these(runs[0]))
    again = repeat_failed(shop.uow, batch.id, **WHO)
    shop.worker.settle()
    page = show_batch(shop.uow, again)
    assert [item.target.instance_id for item in page.items] == [runs[0]]
    assert page.batch.done == 1
    with pytest.raises(NothingForBatch):
        repeat_failed(shop.uow, again, **WHO)


# -- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "details", "error"),
    [
        (BatchAction.MOVE, {"element": "a"}, "say to"),
        (BatchAction.SKIP, {}, "say element"),
        (BatchAction.MIGRATE, {"version": "2"}, "version must be of type int"),
        (BatchAction.RESTART, {"elements": []}, "say elements"),
        (BatchAction.SET_VARIABLES, {}, "which variables"),
        (BatchAction.SUSPEND, {"element": "a"}, "knows no element"),
    ],
)
def test_an_action_without_what_it_needs_is_refused(
    shop: RepairShop, action: BatchAction, details: dict[str, Any], error: str
) -> None:
    shop.deploy("p", "start a end")
    run = shop.start("p")
    with pytest.raises(BatchRefused, match=error):
        order_batch(shop.uow, action, these(run), details=details, **WHO)
    assert list_batches(shop.uow).batches == []


def test_nothing_too_many_and_unknown_ones_are_refused(
    shop: RepairShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]

    def refused(which: Any, error: type[MpmsError]) -> str:
        with pytest.raises(error) as caught:
            order_batch(shop.uow, BatchAction.SUSPEND, which, **WHO)
        return str(caught.value)

    refused(InstanceFilter(key="other"), NothingForBatch)
    refused(these(runs[0], "6f2b8f0e-0000-4000-8000-000000000000"), InstanceUnknown)
    refused(these("no id"), InstanceUnknown)
    with pytest.raises(NotFound):
        order_batch(shop.uow, BatchAction.RETRY, TheseIncidents((99,)), **WHO)
    with pytest.raises(ReasonMissing):
        order_batch(shop.uow, BatchAction.SUSPEND, these(*runs), by="b", reason=" ")
    monkeypatch.setattr(ordering, "MOST_ITEMS", 2)
    assert "at most" in refused(InstanceFilter(key="p"), TooManyForBatch)
    refused(these(*runs), TooManyForBatch)
    assert list_batches(shop.uow).batches == []


# -- workers --------------------------------------------------------------------------


def test_several_workers_share_a_batch_and_do_each_item_once(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(30)]
    details = {"variables": {"kg": 7}}
    batch_id = order_batch(
        shop.uow, BatchAction.SET_VARIABLES, these(*runs), details=details, **WHO
    )
    run = RunBatches(shop.uow, shop.advance, turn_s=60.0)
    assert together(run, run, run) != [False, False, False]
    batch = show_batch(shop.uow, batch_id).batch
    assert (batch.state, batch.done, batch.failed) == ("ended", 30, 0)
    assert all(len(shop.told("variables set", one)) == 1 for one in runs)
    assert shop.rows("SELECT count(*) FROM events WHERE kind = 'batch ended'") == [(1,)]


def test_an_item_that_hangs_holds_up_neither_the_others_nor_another_batch(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]
    batch_id = order_batch(shop.uow, BatchAction.SUSPEND, these(*runs), **WHO)
    other = order_batch(
        shop.uow,
        BatchAction.SET_VARIABLES,
        these(*runs),
        details={"variables": {"kg": 1}},
        **WHO,
    )
    with shop.uow() as tx:
        held = tx.batches.claim(batch_id)
        assert held is not None
        shop.worker.settle()
        assert results(shop, batch_id) == [
            *(("waiting", None), ("done", None), ("done", None))
        ]
        assert show_batch(shop.uow, batch_id).batch.state == "running"
        assert show_batch(shop.uow, other).batch.done == 3
    shop.worker.settle()
    assert show_batch(shop.uow, batch_id).batch.state == "ended"


def test_an_instance_that_stays_busy_is_told_and_the_others_go_on(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(2)]
    batch_id = order_batch(shop.uow, BatchAction.SUSPEND, these(*runs), **WHO)
    with shop.uow() as tx:
        tx.instances.lock(runs[0])
        RunBatches(shop.uow, shop.advance, turn_s=60.0)()
    (busy, good) = results(shop, batch_id)
    assert busy[0] == "failed"
    assert "right now" in (busy[1] or "")
    assert good == ("done", None)


def test_a_fault_of_ours_fails_its_item_and_undoes_it(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(2)]

    class Broken:
        """An engine with a fault for the first instance."""

        def __getattr__(self, name: str) -> Any:
            return getattr(shop.engine, name)

        def advance(self, *given: Any, **named: Any) -> Any:
            if faults:
                faults.pop()
                raise KeyError("a fault")
            return shop.engine.advance(*given, **named)

    faults = [True]
    advance = type(shop.advance)(Broken(), shop.clock)
    batch_id = order_batch(shop.uow, BatchAction.CANCEL, these(*runs), **WHO)
    RunBatches(shop.uow, advance, turn_s=60.0)()
    first, second = results(shop, batch_id)
    assert first == ("failed", "The fault is ours: 'a fault'")
    assert second == ("done", None)
    assert shop.told("cancel", runs[0]) == []
    assert shop.status(runs[0]) == "active"


# -- stopping and telling -----------------------------------------------------------


def test_a_stopped_batch_begins_nothing_more_and_says_what_is_left(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(3)]
    batch_id = order_batch(shop.uow, BatchAction.SUSPEND, these(*runs), **WHO)
    one = RunBatches(shop.uow, shop.advance)
    with shop.uow() as tx:
        (open_one,) = tx.batches.open()
    assert one.one(open_one)
    stopped = stop_batch(shop.uow, batch_id, by="chief", reason="wrong ones")
    assert (stopped.state, stopped.done, stopped.left) == ("stopped", 1, 2)
    assert not one.one(open_one)
    shop.worker.settle()
    assert [shop.instance(run).suspended is not None for run in runs] == [
        *(True, False, False)
    ]
    with pytest.raises(BatchOver):
        stop_batch(shop.uow, batch_id, by="chief")
    lines = shop.rows("SELECT kind, actor, data FROM events WHERE kind LIKE 'batch %'")
    told = {kind: (actor, data) for kind, actor, data in lines}
    assert told["batch ordered"][0] == "boss"
    assert told["batch ordered"][1]["items"] == 3
    assert told["batch stopped"] == (
        "chief",
        {"batch": batch_id, "done": 1, "failed": 0, "left": 2, "reason": "wrong ones"},
    )


def test_whoever_stops_waits_for_the_item_that_is_being_done(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(2)]
    batch_id = order_batch(shop.uow, BatchAction.SUSPEND, these(*runs), **WHO)
    found: list[Any] = []
    with shop.uow() as tx:
        item = tx.batches.claim(batch_id)
        assert item is not None
        stopping = threading.Thread(
            target=lambda: found.append(stop_batch(shop.uow, batch_id, by="chief"))
        )
        stopping.start()
        tx.batches.settle(batch_id, item.place, ItemState.DONE, None)
        assert found == []
    stopping.join()
    assert (found[0].done, found[0].left) == (1, 1)


def test_the_end_is_told_with_its_counts_and_the_items_of_each_instance(
    shop: RepairShop,
) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(2)]
    shop.answer(runs[1], "a")
    batch = done(shop, BatchAction.SUSPEND, these(*runs))
    ((actor, data),) = shop.rows(
        "SELECT actor, data FROM events WHERE kind = 'batch ended'"
    )
    assert (actor, data) == ("boss", {"batch": batch.id, "done": 1, "failed": 1})
    ((_, told),) = shop.told("batch item", runs[1])
    assert told == {
        "batch": batch.id,
        "action": "suspend",
        "state": "failed",
        "message": "The process has already ended.",
    }


def test_items_and_batches_come_page_by_page(shop: RepairShop) -> None:
    shop.deploy("p", "start a end")
    runs = [shop.start("p") for _ in range(5)]
    shop.answer(runs[2], "a")
    first = done(shop, BatchAction.SUSPEND, these(*runs))
    second = done(shop, BatchAction.RESUME, these(*runs))
    page = show_batch(shop.uow, first.id, limit=2)
    assert ([item.place for item in page.items], page.after) == ([1, 2], 2)
    last = show_batch(shop.uow, first.id, limit=2, after=4)
    assert ([item.place for item in last.items], last.after) == ([5], None)
    failed = show_batch(shop.uow, first.id, state=ItemState.FAILED)
    assert [item.target.instance_id for item in failed.items] == [runs[2]]
    newest = list_batches(shop.uow, limit=1)
    assert ([b.id for b in newest.batches], newest.below) == ([second.id], second.id)
    older = list_batches(shop.uow, limit=1, below=newest.below)
    assert ([b.id for b in older.batches], older.below) == ([first.id], None)
    with pytest.raises(BatchUnknown):
        show_batch(shop.uow, 999)
