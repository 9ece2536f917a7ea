"""Timer start events: each turn once, whoever works and whatever fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mpms import bootstrap
from mpms.bootstrap import Services
from mpms.services.instances.deliver import fire_some
from mpms.services.models.deploy import Refused
from mpms.services.processes.start_due import start_due_one
from tests.support.factory_worker import FactoryWorker
from tests.support.starting_plant import StartingPlant


def timer(tag: str, text: str) -> str:
    return f'<timerEventDefinition id="t"><{tag}>{text}</{tag}></timerEventDefinition>'


def test_a_duration_begins_with_the_deployment_and_starts_one(
    plant: StartingPlant,
) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeDuration", "PT10M")))
    assert plant.after(599) == 0
    assert plant.after(1) == 1
    assert plant.after(86_400) == 1
    (instance,) = plant.instances()
    (started,) = plant.rows(
        "SELECT actor, data FROM events WHERE kind = 'instance started'"
        f" AND instance_id = '{instance.id}'"
    )
    told = {"process": "p", "version": 1, "key": None, "at": "begin"}
    assert started == ("mpms", told)


def test_a_date_that_is_over_starts_at_once(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeDate", "2020-01-01T00:00:00Z")))
    assert plant.after(0) == 1
    assert plant.after(86_400) == 1


def test_a_cycle_starts_as_often_as_it_says(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeCycle", "R3/PT10M")))
    assert [plant.after(600) for _ in range(5)] == [1, 2, 3, 3, 3]
    assert plant.rows("SELECT due_at FROM starts") == [(None,)]


def test_cron_starts_on_its_days(plant: StartingPlant) -> None:
    """The clock begins on a Monday at 8."""
    plant.deploy(p=plant.beginning_with("p", timer("timeCycle", "0 0 9 ? * TUE-FRI")))
    assert plant.after(3600) == 0
    assert [plant.after(86_400) for _ in range(7)] == [1, 2, 3, 4, 4, 4, 4]


@pytest.mark.parametrize("text", ["R/PT1M", "0 * * * * ?", "* * * * *"])
def test_turns_missed_while_nothing_ran_become_one_instance(
    plant: StartingPlant, text: str
) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeCycle", text)))
    assert plant.after(3 * 86_400) == 1
    assert plant.after(60) == 2


def test_a_new_version_replaces_the_starts_of_the_old_one(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeDuration", "PT10M")))
    plant.clock.move(300)
    plant.deploy(p=plant.beginning_with("p", timer("timeDuration", "PT20M")))
    assert plant.after(900) == 0
    assert plant.after(300) == 1
    (instance,) = plant.instances()
    assert plant.rows(
        f"SELECT version FROM definitions WHERE id = {instance.definition_id}"
    ) == [(2,)]
    plant.deploy(p=plant.draw("p", '<startEvent id="b"/><endEvent id="e"/>', "b e"))
    assert plant.rows("SELECT * FROM starts") == []
    assert plant.instances()[0].id == instance.id


def test_the_same_version_again_does_not_begin_anew(plant: StartingPlant) -> None:
    model = plant.beginning_with("p", timer("timeDuration", "PT10M"))
    plant.deploy(p=model)
    plant.clock.move(599)
    plant.deploy(p=model)
    assert plant.after(1) == 1
    plant.deploy(p=model)
    assert plant.after(86_400) == 1


def test_a_start_that_is_rolled_back_happens_once(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeCycle", "R2/PT10M")))
    plant.clock.move(600)

    class Dies(Exception):
        pass

    @contextmanager
    def dying() -> Iterator[Any]:
        with plant.uow() as tx:
            yield tx
            raise Dies

    attempts = 0

    def dies_first() -> Any:
        nonlocal attempts
        attempts += 1
        return dying() if attempts == 1 else plant.uow()

    assert start_due_one(dies_first, plant.advance)
    assert plant.instances() == []
    (incident,) = plant.incidents()
    assert "'begin'" in incident.message
    assert not start_due_one(plant.uow, plant.advance)
    assert plant.after(60) == 1
    assert plant.incidents() == []
    assert plant.after(540) == 2  # its second turn is where it was
    assert plant.after(86_400) == 2


def test_workers_that_race_start_each_turn_once(
    plant: StartingPlant, database_url: str
) -> None:
    """Four workers with connections of their own, six processes, three turns each."""
    files = {
        f"p{n}": plant.beginning_with(f"p{n}", timer("timeCycle", "R3/PT10M"))
        for n in range(6)
    }
    plant.deploy(**files)
    others = [bootstrap.connect(database_url, clock=plant.clock) for _ in range(4)]
    try:
        for turn in (1, 2, 3):
            plant.clock.move(600)
            together = threading.Barrier(len(others))
            threads = [
                threading.Thread(target=race, args=(other, together))
                for other in others
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            counts = plant.rows("SELECT key, count(*) FROM instances GROUP BY key")
            assert sorted(counts) == [(f"p{n}", turn) for n in range(6)]
    finally:
        for other in others:
            other.close()


def race(services: Services, together: threading.Barrier) -> None:
    together.wait()
    while start_due_one(services.uow, services.advance):
        pass


def test_a_worker_wakes_up_for_a_start(plant: StartingPlant) -> None:
    naps: list[float] = []
    stop = threading.Event()

    class Alarm:
        def wait(self, timeout_s: float) -> object:
            naps.append(timeout_s)
            stop.set()
            return None

        def wake(self) -> None:
            return None

    plant.deploy(p=plant.beginning_with("p", timer("timeDuration", "PT0.25S")))
    worker = FactoryWorker(
        plant.uow, plant.advance, plant.handlers, plant.robots, Alarm(), name="sleeper"
    )
    worker.run(stop)
    assert naps == [0.25]


def test_a_suspended_process_is_not_started_until_it_is_resumed(
    plant: StartingPlant,
) -> None:
    plant.deploy(p=plant.beginning_with("p", timer("timeCycle", "R/PT10M")))
    plant.rows(
        "INSERT INTO suspended_processes (key, suspended_by, suspended_reason)"
        " VALUES ('p', 'ada', 'cleaning')"
    )
    assert plant.after(3600) == 0
    plant.rows("DELETE FROM suspended_processes")
    assert plant.after(0) == 1


def test_a_timer_that_cannot_be_read_is_refused_and_nothing_is_deployed(
    plant: StartingPlant,
) -> None:
    good = plant.beginning_with("good", timer("timeDuration", "PT10M"))
    bad = plant.beginning_with("bad", timer("timeDuration", "${'ten minutes'}"))
    with pytest.raises(Refused, match="ten minutes"):
        plant.deploy(good=good, bad=bad)
    assert plant.rows("SELECT * FROM definitions") == []
    assert plant.rows("SELECT * FROM starts") == []


def test_timers_that_fall_due_together_fire_though_one_of_them_fails(
    plant: StartingPlant,
) -> None:
    wait = (
        '<startEvent id="b"/><intermediateCatchEvent id="w">'
        f'{timer("timeDuration", "PT1M")}</intermediateCatchEvent><endEvent id="e"/>'
    )
    plant.deploy(p=plant.draw("p", wait, "b w", "w e"))
    bad, *good = [plant.begin("p") for _ in range(40)]

    class FailsForOne:
        clock, engine = plant.clock, plant.services.engine

        def __call__(self, tx: Any, instance: Any, command: Any, *, actor: str) -> Any:
            if instance.id == bad:
                raise RuntimeError("this one is on fire")
            return plant.advance(tx, instance, command, actor=actor)

    plant.clock.move(60)
    while fire_some(plant.uow, FailsForOne()):  # type: ignore[arg-type]
        pass
    statuses = {i.id: str(i.status) for i in plant.instances()}
    assert statuses.pop(bad) == "active"
    assert set(statuses) == set(good)
    assert set(statuses.values()) == {"completed"}
    (incident,) = plant.incidents()
    assert incident.instance_id == bad
    plant.after(60)
    assert {str(i.status) for i in plant.instances()} == {"completed"}
