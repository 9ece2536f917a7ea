"""Signals reach all, messages reach one or wait, timers fire when they are due."""

from __future__ import annotations

import psycopg2
import pytest

from mpms.domain.instances.steps import Throw
from mpms.services.instances.deliver import deliver_one
from tests.support.bench import Bench
from tests.support.bpmn_drawing import Drawing

MESSAGE = '<message id="letter" name="letter"/>'
SIGNAL = '<signal id="alarm" name="alarm"/>'


def deploy_listener(bench: Bench, key: str, definition: str, declared: str) -> None:
    bench.deploy_drawn(
        key,
        '<startEvent id="begin"/><intermediateCatchEvent id="hear">'
        f'{definition}</intermediateCatchEvent><endEvent id="end"/>',
        *("begin hear", "hear end"),
        declared=declared,
    )


def deploy_reader(bench: Bench, correlation: str | None = None) -> None:
    properties = (
        ""
        if correlation is None
        else "<extensionElements><camunda:properties><camunda:property"
        f' name="correlationKey" value="{correlation}"/></camunda:properties>'
        "</extensionElements>"
    )
    definition = '<messageEventDefinition id="hear_it" messageRef="letter"/>'
    deploy_listener(bench, "reader", properties + definition, MESSAGE)


def statuses(bench: Bench, *instance_ids: str) -> list[str]:
    return [str(bench.instance(i).status) for i in instance_ids]


def test_a_signal_reaches_everybody_who_waits_and_is_not_kept(bench: Bench) -> None:
    deploy_listener(
        bench, "ear", '<signalEventDefinition id="s" signalRef="alarm"/>', SIGNAL
    )
    bench.throw("signal", "alarm")
    listeners = [bench.start("ear") for _ in range(3)]
    assert statuses(bench, *listeners) == ["active"] * 3
    bench.throw("signal", "something else")
    assert statuses(bench, *listeners) == ["active"] * 3
    bench.throw("signal", "alarm", level=3)
    assert statuses(bench, *listeners) == ["completed"] * 3
    assert [bench.variables(i)["level"] for i in listeners] == [3, 3, 3]
    assert statuses(bench, bench.start("ear")) == ["active"]


def test_a_process_hears_its_own_signal_once_and_not_what_it_waits_for_later(
    bench: Bench,
) -> None:
    heard = '<signalEventDefinition id="{}" signalRef="alarm"/>'
    bench.deploy_drawn(
        "crier",
        '<startEvent id="begin"/><parallelGateway id="both"/>'
        f'<intermediateCatchEvent id="ear">{heard.format("h1")}'
        "</intermediateCatchEvent>"
        f'<intermediateThrowEvent id="cry">{heard.format("h2")}'
        "</intermediateThrowEvent>"
        f'<intermediateCatchEvent id="echo">{heard.format("h3")}'
        '</intermediateCatchEvent><endEvent id="end"/><endEvent id="end2"/>',
        *("begin both", "both ear", "both cry", "ear end", "cry echo", "echo end2"),
        declared=SIGNAL,
    )
    crier = bench.start("crier")
    caught = [e for kind, e in bench.elements_of(crier) if kind == "caught"]
    assert caught == ["ear"]
    assert statuses(bench, crier) == ["active"]
    bench.start("crier")
    assert statuses(bench, crier) == ["completed"]


def test_a_message_reaches_one_only(bench: Bench) -> None:
    deploy_reader(bench)
    readers = [bench.start("reader") for _ in range(3)]
    bench.throw("message", "letter", text="hello")
    assert sorted(statuses(bench, *readers)) == ["active", "active", "completed"]
    bench.throw("message", "letter")
    bench.throw("message", "letter")
    assert statuses(bench, *readers) == ["completed"] * 3


def test_a_message_is_kept_until_somebody_waits_for_it(bench: Bench) -> None:
    deploy_reader(bench)
    bench.throw("message", "letter", text="first")
    bench.throw("message", "letter", text="second")
    assert bench.rows("SELECT count(*) FROM messages") == [(2,)]
    first, second, third = (bench.start("reader") for _ in range(3))
    assert statuses(bench, first, second, third) == ["completed", "completed", "active"]
    assert bench.variables(first)["text"] == "first"
    assert bench.variables(second)["text"] == "second"
    assert bench.rows("SELECT count(*) FROM messages") == [(0,)]


def test_a_message_that_comes_too_late_for_its_task_is_kept_for_the_next(
    bench: Bench,
) -> None:
    """The timer wins the race while the message is on its way."""
    bench.deploy_drawn(
        "patient",
        '<startEvent id="begin"/><eventBasedGateway id="either"/>'
        '<intermediateCatchEvent id="hear"><messageEventDefinition id="m"'
        ' messageRef="letter"/></intermediateCatchEvent>'
        '<intermediateCatchEvent id="tired"><timerEventDefinition id="t">'
        "<timeDuration>PT1H</timeDuration></timerEventDefinition>"
        '</intermediateCatchEvent><endEvent id="read"/><endEvent id="asleep"/>',
        *("begin either", "either hear", "either tired", "hear read", "tired asleep"),
        declared=MESSAGE,
    )
    late = bench.start("patient")
    with bench.uow() as tx:
        tx.deliveries.throw(Throw("message", "letter", None, {"text": "late"}))
    bench.rows("CREATE TABLE parked AS SELECT * FROM deliveries")
    bench.rows("DELETE FROM deliveries")
    bench.clock.move(3600)
    bench.worker.settle()
    assert "asleep" in bench.left(late)
    bench.rows(
        "INSERT INTO deliveries (instance_id, kind, task_id, data)"
        " SELECT instance_id, kind, task_id, data FROM parked"
    )
    bench.worker.settle()
    assert ("dropped", None) in bench.elements_of(late)
    reader = bench.start("patient")
    assert "read" in bench.left(reader)
    assert bench.variables(reader)["text"] == "late"
    assert bench.live_rows() == {}


def test_a_correlated_message_reaches_its_own_order(bench: Bench) -> None:
    deploy_reader(bench, "${order}")
    bench.throw("message", "letter", "MO-3", text="early")
    first, second = (bench.start("reader", order=f"MO-{n}") for n in (1, 2))
    assert statuses(bench, first, second) == ["active", "active"]
    bench.throw("message", "letter", "MO-2", text="for the second")
    assert statuses(bench, first, second) == ["active", "completed"]
    bench.throw("message", "letter", None)
    assert statuses(bench, first) == ["active"]
    third = bench.start("reader", order="MO-3")
    assert bench.variables(third)["text"] == "early"
    assert statuses(bench, third) == ["completed"]


def test_a_timer_fires_when_it_is_due_and_not_before(bench: Bench) -> None:
    deploy_listener(
        bench,
        "sleeper",
        '<timerEventDefinition id="t"><timeDuration>PT90S</timeDuration>'
        "</timerEventDefinition>",
        "",
    )
    sleeper = bench.start("sleeper")
    bench.clock.move(89.9)
    bench.worker.settle()
    assert statuses(bench, sleeper) == ["active"]
    bench.clock.move(0.1)
    bench.worker.settle()
    assert statuses(bench, sleeper) == ["completed"]
    assert bench.live_rows() == {}


def test_a_boundary_timer_interrupts_a_form(bench: Bench) -> None:
    bench.deploy_drawn(
        "impatient",
        '<startEvent id="begin"/><userTask id="ask"/><boundaryEvent id="late"'
        ' attachedToRef="ask"><timerEventDefinition id="t"><timeDuration>PT5M'
        "</timeDuration></timerEventDefinition></boundaryEvent>"
        '<endEvent id="end"/><endEvent id="too_late"/>',
        *("begin ask", "ask end", "late too_late"),
    )
    answered, forgotten = bench.start("impatient"), bench.start("impatient")
    bench.submit(bench.forms(answered)[0].task_id, {})
    bench.clock.move(300)
    bench.worker.settle()
    assert "end" in bench.left(answered)
    assert "too_late" in bench.left(forgotten)
    assert bench.live_rows() == {}


def test_many_timers_due_at_once_all_fire(bench: Bench) -> None:
    deploy_listener(
        bench,
        "sleeper",
        '<timerEventDefinition id="t"><timeDuration>PT1S</timeDuration>'
        "</timerEventDefinition>",
        "",
    )
    sleepers = [bench.start_only("sleeper") for _ in range(70)]
    bench.clock.move(1)
    bench.worker.settle()
    assert set(statuses(bench, *sleepers)) == {"completed"}


def test_a_command_for_an_instance_that_has_ended_is_noted_and_dropped(
    bench: Bench,
) -> None:
    deploy_reader(bench)
    reader = bench.start("reader")
    bench.throw("message", "letter")
    with bench.uow() as tx:
        tx.deliveries.add(reader, "cancel", data={"reason": "late"})
    assert deliver_one(bench.uow, bench.advance)
    assert bench.elements_of(reader)[-1] == ("dropped", None)
    assert bench.live_rows() == {}


def test_the_history_says_who_when_what_old_and_new(bench: Bench) -> None:
    bench.deploy_drawn(
        "counting",
        '<startEvent id="begin"/><userTask id="ask" name="How many?"/>'
        '<scriptTask id="count" scriptFormat="mpms"><script>n = n + 1</script>'
        '</scriptTask><endEvent id="end"/>',
        *("begin ask", "ask count", "count end"),
    )
    instance_id = bench.start("counting", n=1)
    (task,) = bench.forms()
    bench.submit(task.task_id, {"n": 41}, by="grace")
    rows = bench.rows(
        "SELECT actor, kind, element, data, at IS NOT NULL FROM events"
        f" WHERE instance_id = '{instance_id}' ORDER BY id"
    )
    assert all(at for *_, at in rows)
    changes = [
        (actor, element, data["name"], data.get("old"), data["new"])
        for actor, kind, element, data, _ in rows
        if kind == "variable"
    ]
    assert ("grace", "ask", "n", 1, 41) in changes
    assert ("grace", "count", "n", 41, 42) in changes
    told = [(actor, kind, element) for actor, kind, element, *_ in rows]
    assert told[0] == ("operator", "instance started", None)
    assert ("operator", "entered", "ask") in told
    assert ("grace", "form answered", "ask") in told
    assert told.index(("grace", "left", "ask")) < told.index(("grace", "left", "count"))
    assert told[-1] == ("grace", "instance completed", None)


@pytest.mark.parametrize(
    "crime", ["UPDATE events SET actor = 'nobody'", "DELETE FROM events"]
)
def test_the_history_cannot_be_changed(bench: Bench, crime: str) -> None:
    deploy_reader(bench)
    with pytest.raises(psycopg2.errors.RaiseException, match="append-only"):
        bench.rows(crime)


def test_the_forms_inside_a_model_are_deployed_with_it(bench: Bench) -> None:
    draw = Drawing()
    shop = draw.ad_hoc("paint", "drill")
    bench.deploy_files({"shop.bpmn": draw("start -> shop", shop=shop)})
    instance = bench.start("process")
    (asked,) = bench.forms(instance)
    with bench.uow() as tx:
        assert asked.form in {row.key for row in tx.models.forms()}
    bench.submit(asked.task_id, {"next": "drill"})
    assert sorted(form.element for form in bench.forms(instance)) == ["drill", "shop"]


@pytest.mark.parametrize(
    ("binding", "called"), [("latest", 3), ("deployment", 2), ("version", 1)]
)
def test_a_call_means_the_version_that_its_binding_says(
    bench: Bench, binding: str, called: int
) -> None:
    draw = Drawing()

    def child(step: str) -> bytes:
        return draw(f"start -> {step}").replace(b'"process"', b'"child"')

    call = draw.call("child", calledElementBinding=binding)
    if binding == "version":
        call.attributes["camunda:calledElementVersion"] = "1"
    bench.deploy_files({"child.bpmn": child("one")})
    parent = draw("start -> call", call=call)
    bench.deploy_files({"child.bpmn": child("two"), "parent.bpmn": parent})
    bench.deploy_files({"child.bpmn": child("three")})
    (made,) = bench.children(bench.start("process"))
    with bench.uow() as tx:
        version = tx.definitions.by_id(bench.instance(made).definition_id).version
    assert version == called
