"""Messages and signals that start processes, and starts by hand."""

from __future__ import annotations

import threading

import pytest

from mpms import bootstrap
from mpms.bootstrap import Services
from mpms.domain.errors import NobodyWaits, ProcessUnknown, SeveralWait, StartUnknown
from mpms.domain.instances.steps import Throw
from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.services.models.deploy import Refused
from tests.support.starting_plant import StartingPlant

ORDER = '<messageEventDefinition id="d" messageRef="order"/>'
LETTER = '<messageEventDefinition id="d" messageRef="letter"/>'
ALARM = '<signalEventDefinition id="d" signalRef="alarm"/>'


def deploy_reader(
    plant: StartingPlant, key: str = "reader", correlation: str = ""
) -> None:
    """Waits for the message letter, with a key if one is given."""
    keyed = correlation and (
        "<extensionElements><camunda:properties><camunda:property"
        f' name="correlationKey" value="{correlation}"/></camunda:properties>'
        "</extensionElements>"
    )
    catch = f'<intermediateCatchEvent id="hear">{keyed}{LETTER}'
    plant.deploy(
        **{
            key: plant.draw(
                key,
                f'<startEvent id="s"/>{catch}</intermediateCatchEvent>'
                '<userTask id="form"/>',
                *("s hear", "hear form"),
            )
        }
    )


def waiting(plant: StartingPlant) -> int:
    return int(plant.rows("SELECT count(*) FROM subscriptions")[0][0])


# -- by hand ---------------------------------------------------------------------------


def test_a_version_and_a_start_event_can_be_named(plant: StartingPlant) -> None:
    plant.deploy(p=plant.draw("p", '<startEvent id="b"/><userTask id="one"/>', "b one"))
    plant.deploy(p=plant.beginning_with("p", ORDER))
    first = plant.begin("p", version=1)
    with pytest.raises(StartUnknown, match=r"'begin' \(message Order placed\)"):
        plant.begin("p")
    second = plant.begin("p", at="begin", business_key="MO-1", variables={"a": 1})
    with pytest.raises(ProcessUnknown, match="Version 7 of p"):
        plant.begin("p", version=7)
    assert {i.id for i in plant.instances()} == {first, second}
    assert plant.variables(second) == {"a": 1}


# -- messages --------------------------------------------------------------------------


def test_a_message_that_nobody_waits_for_starts_its_process_once(
    plant: StartingPlant,
) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER))
    done = plant.send("Order placed", correlation="MO-7", variables={"paint": "red"})
    assert done.outcome == "started"
    (instance,) = plant.instances()
    assert instance.id == done.instance_id
    assert instance.business_key == "MO-7"
    assert plant.variables(instance.id) == {"paint": "red"}
    (told,) = plant.rows("SELECT data FROM events WHERE kind = 'instance started'")
    assert told[0]["message"] == "Order placed"
    assert told[0]["at"] == "begin"


def test_whoever_waits_comes_before_a_start(plant: StartingPlant) -> None:
    deploy_reader(plant)
    plant.deploy(p=plant.beginning_with("p", LETTER))
    reader = plant.begin("reader")
    assert plant.send("letter").instance_id == reader
    assert plant.send("letter").outcome == "started"
    assert len(plant.instances("p")) == 1


def test_a_model_that_throws_a_message_starts_another_process(
    plant: StartingPlant,
) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER))
    with plant.uow() as tx:
        tx.deliveries.throw(Throw("message", "Order placed", "MO-2", {"n": 2}))
    plant.worker.settle()
    (instance,) = plant.instances("p")
    assert instance.business_key == "MO-2"
    assert plant.variables(instance.id) == {"n": 2}
    assert plant.rows("SELECT * FROM messages") == []


def test_a_message_starts_the_latest_version_only(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER, mark="old"))
    plant.deploy(p=plant.beginning_with("p", ORDER, mark="new"))
    plant.send("Order placed")
    assert plant.rows("SELECT name FROM tasks") == [("new",)]
    plant.deploy(p=plant.draw("p", '<startEvent id="b"/><userTask id="f"/>', "b f"))
    with pytest.raises(NobodyWaits, match="it starts no process"):
        plant.send("Order placed")


def test_one_message_starts_one_process(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER))
    with pytest.raises(Refused, match="starts the process 'p' already"):
        plant.deploy(q=plant.beginning_with("q", ORDER))
    assert plant.rows("SELECT key FROM definitions") == [("p",)]
    plain = plant.draw("p", '<startEvent id="b"/><userTask id="f"/>', "b f")
    plant.deploy(q=plant.beginning_with("q", ORDER), p=plain)
    plant.send("Order placed")
    assert len(plant.instances("q")) == 1


def test_two_senders_of_one_message_start_two_or_wake_one(
    plant: StartingPlant, database_url: str
) -> None:
    """Ten senders at once, one waits: one receives it, nine start an instance."""
    deploy_reader(plant)
    plant.deploy(p=plant.beginning_with("p", LETTER))
    reader = plant.begin("reader")
    others = [bootstrap.connect(database_url, clock=plant.clock) for _ in range(5)]
    outcomes: list[str] = []

    def send(services: Services) -> None:
        for _ in range(2):
            done = correlate_message(
                services.uow, services.advance, "letter", by="somebody"
            )
            outcomes.append(done.outcome)

    threads = [threading.Thread(target=send, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert sorted(outcomes) == ["received"] + ["started"] * 9
    plant.worker.settle()
    assert len(plant.instances("p")) == 9
    (hear,) = plant.rows(
        "SELECT count(*) FROM events WHERE kind = 'left' AND element = 'hear'"
        f" AND instance_id = '{reader}'"
    )
    assert hear == (1,)


# -- whom a message reaches -----------------------------------------------------------


def test_a_key_chooses_among_those_who_wait(plant: StartingPlant) -> None:
    deploy_reader(plant, correlation="${order}")
    first, second = (plant.begin("reader", variables={"order": n}) for n in "ab")
    assert plant.send("letter", correlation="b", variables={"x": 1}).instance_id == (
        second
    )
    assert plant.variables(second)["x"] == 1
    with pytest.raises(NobodyWaits, match="with the key 'c'"):
        plant.send("letter", correlation="c")
    with pytest.raises(NobodyWaits, match="'letter', and"):
        plant.send("letter")
    assert plant.send("letter", instance_id=first).instance_id == first
    assert waiting(plant) == 0


def test_several_who_fit_are_named_and_nobody_gets_it(plant: StartingPlant) -> None:
    deploy_reader(plant)
    readers = [plant.begin("reader", business_key=f"MO-{n}") for n in range(3)]
    with pytest.raises(SeveralWait) as refusal:
        plant.send("letter")
    assert all(reader in str(refusal.value) for reader in readers)
    assert "at 'hear'" in str(refusal.value)
    assert waiting(plant) == 3
    assert plant.rows("SELECT * FROM deliveries") == []
    assert plant.rows("SELECT * FROM events WHERE kind = 'message sent'") == []
    assert plant.send("letter", business_key="MO-1").instance_id == readers[1]
    assert plant.send("letter", instance_id=readers[2]).instance_id == readers[2]
    assert plant.send("letter").instance_id == readers[0]


def test_two_instances_with_one_key_are_several(plant: StartingPlant) -> None:
    deploy_reader(plant, correlation="${order}")
    for _ in range(2):
        plant.begin("reader", variables={"order": "MO-1"})
    with pytest.raises(SeveralWait):
        plant.send("letter", correlation="MO-1")
    assert waiting(plant) == 2


def test_the_names_of_very_many_are_cut(plant: StartingPlant) -> None:
    deploy_reader(plant)
    for _ in range(12):
        plant.begin("reader")
    with pytest.raises(SeveralWait, match="and more"):
        plant.send("letter")


def test_one_that_a_message_is_on_its_way_to_waits_no_longer(
    plant: StartingPlant,
) -> None:
    deploy_reader(plant)
    reader = plant.begin("reader")
    sent = correlate_message(plant.uow, plant.advance, "letter", by="ada")
    assert sent.instance_id == reader
    with pytest.raises(NobodyWaits):
        correlate_message(plant.uow, plant.advance, "letter", by="ada")
    kept = correlate_message(plant.uow, plant.advance, "letter", keep=True, by="ada")
    assert kept.outcome == "kept"
    plant.worker.settle()
    assert plant.rows("SELECT count(*) FROM messages") == [(1,)]


def test_a_message_that_names_an_instance_starts_and_keeps_nothing(
    plant: StartingPlant,
) -> None:
    deploy_reader(plant)
    plant.deploy(p=plant.beginning_with("p", LETTER))
    reader = plant.begin("reader")
    plant.send("letter", instance_id=reader)
    with pytest.raises(NobodyWaits, match=f"the instance '{reader}'"):
        plant.send("letter", instance_id=reader, keep=True)
    assert plant.instances("p") == []
    assert plant.rows("SELECT * FROM messages") == []


def test_the_history_says_who_sent_what(plant: StartingPlant) -> None:
    deploy_reader(plant)
    reader = plant.begin("reader")
    plant.send("letter")
    assert plant.rows(
        "SELECT actor, instance_id::text, data->>'event', data->>'outcome' FROM events"
        " WHERE kind = 'message sent'"
    ) == [("operator", reader, "letter", "received")]


# -- signals ---------------------------------------------------------------------------


def test_a_signal_reaches_all_who_wait_and_starts_all_who_begin_with_it(
    plant: StartingPlant,
) -> None:
    hear = f'<intermediateCatchEvent id="hear">{ALARM}</intermediateCatchEvent>'
    plant.deploy(
        ear=plant.draw(
            "ear",
            f'<startEvent id="s"/>{hear}<userTask id="form"/>',
            *("s hear", "hear form"),
        ),
        p=plant.beginning_with("p", ALARM),
        q=plant.beginning_with("q", ALARM),
    )
    ears = [plant.begin("ear") for _ in range(2)]
    reached = broadcast_signal(
        plant.uow, plant.advance, "alarm", variables={"level": 3}, by="ada"
    )
    assert reached == 4
    plant.worker.settle()
    started = plant.instances("p") + plant.instances("q")
    assert len(started) == 2
    for instance_id in (*ears, *(i.id for i in started)):
        assert plant.variables(instance_id) == {"level": 3}
    assert broadcast_signal(plant.uow, plant.advance, "silence", by="ada") == 0


def test_a_suspended_process_is_started_by_nobody(plant: StartingPlant) -> None:
    plant.deploy(p=plant.beginning_with("p", ORDER), q=plant.beginning_with("q", ALARM))
    plant.rows(
        "INSERT INTO suspended_processes (key, suspended_by, suspended_reason)"
        " VALUES ('p', 'ada', 'cleaning'), ('q', 'ada', 'cleaning')"
    )
    with pytest.raises(NobodyWaits):
        plant.send("Order placed")
    assert broadcast_signal(plant.uow, plant.advance, "alarm", by="ada") == 0
    assert plant.instances() == []
