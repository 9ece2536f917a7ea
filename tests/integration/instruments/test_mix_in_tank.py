"""Mixing in tanks behind simulated controllers, over real sockets, in whole orders."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Done, Job, NotYet
from mpms.factory.adapters.instruments.reading import Instruments
from mpms.factory.adapters.instruments.simulators.loop import served
from mpms.factory.adapters.instruments.simulators.tank import PlayedTank, settings_for
from mpms.factory.adapters.instruments.tanks import PlantTanks
from mpms.factory.adapters.plant_key import read_or_make_key
from mpms.factory.adapters.plant_key import verify as verify_signature
from mpms.factory.domain.mixing import Next, TankReading, TankState, what_next
from mpms.factory.services.records.verify import verify_records
from mpms.factory.services.stock.leave_tank import NOBODY_FOLLOWS
from mpms.factory.topics.tanks import MixInTank
from mpms.services.instances.cancel import cancel_instance
from mpms.services.tasks.submit import submit_form
from tests.support.paint_factory import ANSWERS, PaintFactory

WIRES = ("modbus", "opc-ua")
NUMBER = "MO-2026-0001"
WAIT_S = 30.0
ROOT = Path(__file__).resolve().parents[3]
NOBODY = "00000000-0000-0000-0000-000000000000"


Played = tuple[PlayedTank, dict[str, Any]]


@pytest.fixture(params=WIRES, scope="module")
def any_tank(request: pytest.FixtureRequest) -> Iterator[Played]:
    played = PlayedTank()
    with served(played.served_by(request.param)) as port:
        yield played, settings_for(request.param, port) | {"poll_s": 0.05}


@pytest.fixture(scope="module")
def tank() -> Iterator[Played]:
    played = PlayedTank()
    with served(played.served_by("modbus")) as port:
        yield played, settings_for("modbus", port) | {"poll_s": 0.05}


def tanks_of(**tanks: object) -> PlantTanks:
    return PlantTanks(Instruments.model_validate({"tanks": tanks}).tanks)


def anew(played: PlayedTank) -> PlayedTank:
    played.reset()
    played.mixing_s, played.starts = 0.4, []
    return played


@pytest.fixture
def plant(stocked_url: str) -> Iterator[PaintFactory]:
    with PaintFactory(stocked_url) as plant:
        yield plant


def until(plant: PaintFactory, done: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + WAIT_S
    while not done():
        assert time.monotonic() < give_up_at
        plant.due_now()
        plant.worker.settle()
        time.sleep(0.02)


def begin(plant: PaintFactory) -> str:
    instance = plant.make(NUMBER)
    while plant.forms()[0].element != "start_mixing":
        task = plant.forms()[0]
        plant.submit(task.task_id, ANSWERS[task.form or ""])
    plant.confirm("start_mixing")
    return instance


def status(plant: PaintFactory) -> str:
    return str(plant.rows("SELECT status FROM orders")[0][0])


def states(plant: PaintFactory) -> list[str]:
    rows = plant.rows(
        "SELECT content FROM record_lines WHERE record = 'MO-2026-0001' ORDER BY line"
    )
    lines = [json.loads(row[0]) for row in rows]
    return [str(line["new"]) for line in lines if line["what"] == "tank state"]


def job(key: str = "k", **inputs: object) -> Job:
    given = {"tank": "tank", "product": "paint", "order_number": NUMBER} | inputs
    return Job(1, NOBODY, NOBODY, NUMBER, "mix", "tank.mix", given, 1, (), key)


@pytest.mark.covers("A61")
def test_an_order_ends_when_its_tank_has_finished(
    plant: PaintFactory, any_tank: Played
) -> None:
    played, said = any_tank
    anew(played)
    plant.use_tanks(tanks_of(tank=said))
    begin(plant)
    until(plant, lambda: status(plant) == "done")
    assert len(played.starts) == 1
    assert states(plant)[-1] == "finished"
    assert "running" in states(plant)
    with plant.uow() as tx:
        (run,) = tx.tanks.of_order(NUMBER)
        content = tx.tanks.content("tank")
    assert (run.state, run.tank) == ("finished", "tank")
    assert content is not None
    assert content.cleaned_at is None


def test_a_fault_is_the_workers_to_decide_and_a_new_try_starts_again(
    plant: PaintFactory, tank: Played
) -> None:
    played, said = tank
    anew(played).mixing_s = 600.0
    plant.use_tanks(tanks_of(tank=said))
    begin(plant)
    until(plant, lambda: "running" in states(plant) or "accepted" in states(plant))
    played.break_down(2)
    until(plant, lambda: any(t.element == "mixing_stopped" for t in plant.forms()))
    told = plant.sees("mixing_stopped")
    assert told["error_code"] == "TankFault"
    assert told["error_message"] == "tank: the motor is overloaded"
    played.reset()
    played.mixing_s = 0.2
    again = {"mixing_decision": "again", "mixing_reason": "fuse replaced"}
    plant.submit(plant.form("mixing_stopped").task_id, again)
    until(plant, lambda: status(plant) == "done")
    assert len(played.starts) == len(set(played.starts)) == 2
    assert "fault" in states(plant)


def test_an_open_lid_is_refused_by_the_tank_and_giving_up_cancels_the_order(
    plant: PaintFactory, tank: Played
) -> None:
    played, said = tank
    anew(played).lid_open = True
    plant.use_tanks(tanks_of(tank=said))
    begin(plant)
    until(plant, lambda: any(t.element == "mixing_stopped" for t in plant.forms()))
    assert plant.sees("mixing_stopped")["error_code"] == "TankRefused"
    assert played.starts == []
    stop = {"mixing_decision": "stop", "mixing_reason": "lid is bent"}
    plant.submit(plant.form("mixing_stopped").task_id, stop)
    decide = {"decision": "cancel", "reason": "no tank"}
    plant.submit(plant.form("decide").task_id, decide)
    until(plant, lambda: status(plant) == "cancelled")


@pytest.mark.covers("A64")
@pytest.mark.parametrize("how", ["cancelled", "completed manually"])
def test_an_order_that_ends_while_its_tank_mixes_says_that_nobody_follows_it(
    plant: PaintFactory, tank: Played, how: str
) -> None:
    played, said = tank
    anew(played).mixing_s = 600.0
    plant.use_tanks(tanks_of(tank=said | {"clean_between": True}))
    instance = begin(plant)
    with plant.uow() as tx:
        tx.orders.assign(NUMBER, instance)
    until(plant, lambda: {"running", "accepted"} & set(states(plant)) != set())
    cancel_instance(
        plant.uow,
        plant.advance,
        instance,
        completed_manually=how != "cancelled",
        by="sofia",
        reason="not wanted",
    )
    until(plant, lambda: status(plant) == how)
    plant.worker.settle()
    with plant.uow() as tx:
        (run,) = tx.tanks.of_order(NUMBER)
        content = tx.tanks.content("tank")
    assert run.state in {"running", "accepted"}
    assert run.why == NOBODY_FOLLOWS
    assert content is not None
    assert (content.product, content.cleaned_at) == ("Matt white wall paint", None)
    messages = plant.rows("SELECT message FROM incidents WHERE kind = 'tank'")
    assert [m.startswith("'tank' was asked to mix Matt white") for (m,) in messages]
    assert f"which is {how} now" in messages[0][0]
    assert len(played.starts) == 1
    plant.make("MO-3", product="Brown")  # whoever is next finds a dirty tank
    assert plant.sees("clean_tank")["last_product"] == "Matt white wall paint"


def test_whoever_takes_over_after_a_crash_starts_nothing_twice(
    plant: PaintFactory, tank: Played
) -> None:
    played, said = tank
    anew(played).mixing_s = 1.0
    plant.make(NUMBER)
    tanks = tanks_of(tank=said)
    killed = MixInTank(tanks, plant.uow)
    assert isinstance(killed(job()), NotYet)  # and nobody hears of it any more
    give_up_at, answer = time.monotonic() + WAIT_S, None
    while not isinstance(answer, Done):
        assert time.monotonic() < give_up_at
        answer = MixInTank(tanks, plant.uow)(job())
        time.sleep(0.02)
    assert isinstance(MixInTank(tanks, plant.uow)(job()), Done)
    assert len(played.starts) == 1


def test_a_worker_killed_while_a_tank_mixes_leaves_one_start_and_a_true_record(
    stocked_url: str, plant: PaintFactory, tank: Played
) -> None:
    played, said = tank
    anew(played).mixing_s = 2.0
    plant.make(NUMBER)
    while (task := plant.forms()[0]).element != "start_mixing":
        plant.submit(task.task_id, ANSWERS[task.form or ""])
    # Only the process that is killed asks the tank.
    answers = ANSWERS["start_mixing"]
    submit_form(plant.uow, plant.advance, task.task_id, answers, by="ada")
    script = Path(__file__).with_name("mixing_worker.py")
    with subprocess.Popen(
        [sys.executable, str(script), stocked_url, json.dumps(said)], cwd=ROOT
    ) as worker:
        try:
            give_up_at = time.monotonic() + WAIT_S
            while "running" not in states(plant):
                assert worker.poll() is None
                assert time.monotonic() < give_up_at
                time.sleep(0.02)
        finally:
            worker.kill()
    assert worker.returncode == -signal.SIGKILL
    assert status(plant) == "in process"
    plant.use_tanks(tanks_of(tank=said))
    until(plant, lambda: status(plant) == "done")
    assert len(played.starts) == 1
    assert states(plant).count("finished") == 1
    assert not verify_records(plant.uow, verify_signature, keys=[]).faults


def test_of_two_orders_one_waits_until_the_tank_is_free(
    plant: PaintFactory, tank: Played
) -> None:
    played, said = tank
    anew(played).mixing_s = 600.0
    plant.make(NUMBER)
    mix = MixInTank(tanks_of(tank=said), plant.uow)
    mix(job("first"))
    other = mix(job("second", order_number="MO-2"))
    assert isinstance(other, NotYet)
    assert "mixes something else" in other.why
    assert len(played.starts) == 1


@pytest.mark.parametrize("driver", WIRES)
def test_a_controller_gone_in_the_middle_is_waited_for_then_decided_and_told(
    plant: PaintFactory, driver: str, tmp_path: Any
) -> None:
    played = PlayedTank(mixing_s=600.0)
    with ExitStack() as wire:
        port = wire.enter_context(served(played.served_by(driver)))
        said = settings_for(driver, port) | {"patience_s": 0.3, "timeout_s": 0.5}
        said |= {"poll_s": 0.05}
        plant.use_tanks(tanks_of(tank=said))
        begin(plant)
        until(plant, lambda: len(played.starts) == 1 and states(plant) != [])
    until(plant, lambda: any(t.element == "mixing_stopped" for t in plant.forms()))
    assert plant.sees("mixing_stopped")["error_code"] == "TankSilent"
    assert states(plant)[-1] == "silent"
    mixed = {"mixing_decision": "mixed", "mixing_reason": "it ran to its end"}
    plant.submit(plant.form("mixing_stopped").task_id, mixed)
    until(plant, lambda: status(plant) == "done")
    assert len(played.starts) == 1
    key = read_or_make_key(tmp_path / "key")
    found = verify_records(plant.uow, verify_signature, keys=[key.public])
    assert found.faults == []


def test_another_product_needs_a_clean_tank_and_the_record_says_who_cleaned(
    plant: PaintFactory,
) -> None:
    manual = {"driver": "manual", "clean_between": True}
    plant.use_tanks(tanks_of(tank=manual))
    plant.make("MO-1", product="Brown")
    plant.confirm_everything()
    plant.make("MO-2", product="Brown")
    assert plant.form("load_material")
    plant.confirm_everything()
    instance = plant.make(NUMBER)
    assert plant.sees("clean_tank")["last_product"] == "Brown"
    clean = {"cleaned_how": "solvent", "tank_is_clean": True}
    plant.submit(plant.form("clean_tank").task_id, clean)
    rows = plant.rows(
        "SELECT content FROM record_lines WHERE record = 'MO-2026-0001' ORDER BY line"
    )
    (line,) = (
        c for c in (json.loads(r[0]) for r in rows) if c["what"] == "tank cleaned"
    )
    assert line["who"] == "ada"
    assert (line["data"]["after"], line["data"]["how"]) == ("Brown", "solvent")
    assert plant.form("load_material", instance)


def test_a_plant_without_controllers_confirms_by_form(plant: PaintFactory) -> None:
    begin(plant)
    until(plant, lambda: status(plant) == "done")
    assert states(plant) == []


@pytest.mark.parametrize(
    ("reading", "wanted"),
    [
        (TankReading(TankState.IDLE, "other"), Next.ASK),
        (TankReading(TankState.FINISHED, "other"), Next.ASK),
        (TankReading(TankState.REFUSED, "other"), Next.ASK),
        (TankReading(TankState.IDLE, "other", asked="mine"), Next.WAIT),
        (TankReading(TankState.RUNNING, "other"), Next.WAIT),
        (TankReading(TankState.FAULT, "other"), Next.FAIL),
        (TankReading(TankState.ACCEPTED, "mine"), Next.FOLLOW),
        (TankReading(TankState.RUNNING, "mine"), Next.FOLLOW),
        (TankReading(TankState.FINISHED, "mine"), Next.DONE),
        (TankReading(TankState.FAULT, "mine"), Next.FAIL),
        (TankReading(TankState.REFUSED, "mine"), Next.FAIL),
        (TankReading(TankState.IDLE, "mine"), Next.FAIL),
    ],
)
def test_what_follows_from_what_a_tank_shows(
    reading: TankReading, wanted: Next
) -> None:
    assert what_next(reading, "mine")[0] is wanted


def test_a_library_that_is_missing_is_told_as_silence(
    plant: PaintFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mpms.factory.adapters.instruments import extra

    def gone(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extra, "import_module", gone)
    plant.make(NUMBER)
    said = settings_for("modbus", 502) | {"patience_s": 0.000001}
    with pytest.raises(BusinessError, match=r"mpms\[instruments\]"):
        MixInTank(tanks_of(tank=said), plant.uow)(job())
