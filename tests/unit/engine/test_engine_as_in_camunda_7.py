"""What Camunda 7 does and somebody who comes from there relies on without a word."""

from datetime import timedelta
from typing import Any

import pytest

from mpms.domain.instances.steps import Start
from mpms.domain.models.definitions import Definition
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")


# -- conditions convert, or fail --------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ('x == "1"', "a"),
        ('"1" == x', "a"),
        ('x != "1"', "b"),
        ('x == "2"', "b"),
        ('b == "true"', "a"),
        ('b == "TRUE"', "a"),
        ('b == "yes"', "b"),
        ('f == "1.50"', "a"),
        ('zero == ""', "a"),
        ('x == "a1"', "stuck"),
        ('x == "1.0"', "stuck"),
        ("b == 1", "stuck"),
        ('items == "[1]"', "stuck"),
        ("nothing == 1", "b"),
        ("text == 'a'", "a"),
    ],
)
def test_a_comparison_converts_as_there_or_fails_but_is_never_silently_false(
    draw: Drawing, play: Player, condition: str, taken: str
) -> None:
    known = {"x": 1, "b": True, "f": 1.5, "zero": 0, "items": [1], "nothing": None}
    run = play(
        draw("start -> xor", f"xor -> a if {condition}", "xor -> b otherwise"),
        {**known, "text": "a"},
    )
    if taken == "stuck":
        assert "cannot compare" in run.stuck["xor"]
    else:
        assert run.open == [taken]


def test_an_expression_may_ask_for_the_business_key_everywhere(
    draw: Drawing, play: Player
) -> None:
    mapped = draw.user(inputs={"of": "Order ${execution.processBusinessKey}"})
    run = play(
        draw(
            "start -> xor",
            'xor -> a if execution.businessKey == "A-1"',
            "xor -> b otherwise",
            a=mapped,
        ),
        business_key="A-1",
    )
    assert run.open == ["a"]
    assert run.sees(run.wait("a").task_id)["of"] == "Order A-1"
    assert "execution" not in str(run.variables)


@pytest.mark.parametrize("code", ["${which}", "=which", "E7"])
def test_an_error_has_its_code_and_its_message_from_what_is_declared(
    draw: Drawing, play: Player, code: str
) -> None:
    inner = draw.sub("start_in -> end_bad", end_bad=draw.end(error=code))
    xml = draw(
        "start -> risky -> end",
        "border -> mend",
        risky=inner,
        border=draw.border("risky", error=None),
    )
    message = b'<error camunda:errorMessage="${n} kg are missing" '
    xml = xml.replace(b"<error ", message)
    run = play(xml, {"which": "E7", "n": 3})
    assert run.open == ["mend"]
    assert run.variables["error_code"] == "E7"
    assert run.variables["error_message"] == "3 kg are missing"


# -- a signal reaches whoever throws it -------------------------------------------


def test_an_end_signal_is_heard_by_the_event_subprocess_of_its_own_process(
    draw: Drawing, play: Player
) -> None:
    heard = draw.on("hear -> mend", hear=draw.begin(signal="stop"))
    run = play(draw("start -> last", last=draw.end(signal="stop"), on=heard))
    assert run.open == ["mend"]
    assert [t.event for t in run.step.throws] == ["stop"]


def test_everybody_who_waits_at_that_moment_hears_a_signal_before_it_goes_on(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and",
            "and -> wait -> a",
            "and -> host -> c",
            "edge -> b",
            "and -> before -> tell -> again -> d",
            wait=draw.catch(signal="go"),
            edge=draw.border("host", signal="go", interrupting=False),
            tell=draw.throw(signal="go"),
            again=draw.catch(signal="go"),
        )
    )
    run.complete("before")
    assert run.open == ["a", "again", "b", "edge", "host"]
    order = [line.element for line in run.step.trace if line.kind == "entered"]
    assert order.index("b") < order.index("again")


def test_a_thrower_that_its_own_signal_interrupts_does_not_go_on(
    draw: Drawing, play: Player
) -> None:
    inner = draw.sub("start_in -> tell -> never", tell=draw.throw(signal="stop"))
    run = play(
        draw(
            "start -> sub -> never_either",
            "edge -> mend",
            sub=inner,
            edge=draw.border("sub", signal="stop"),
        )
    )
    assert run.open == ["mend"]
    assert "never" not in run.passed("entered")


# -- the name of a user task ------------------------------------------------------


def test_a_user_task_is_named_by_its_expression(draw: Drawing, play: Player) -> None:
    task = draw.user()
    task.attributes["name"] = "Check order ${number} of ${customer}"
    xml = draw("start -> a", a=task)
    run = play(xml, {"number": 7, "customer": "Ada"})
    assert run.wait("a").name == "Check order 7 of Ada"
    run = play(xml, {"number": 7})
    assert "customer" in run.stuck["a"]
    run.mend(customer="Ada")
    run.retry("a")
    assert run.wait("a").name == "Check order 7 of Ada"


# -- missed turns of a timer ------------------------------------------------------


def test_missed_turns_are_one_turn_and_are_told(draw: Drawing, play: Player) -> None:
    edge = draw.border("a", cycle="R/PT1M", interrupting=False)
    run = play(draw("start -> a", "edge -> beside", edge=edge))
    first = run.wait("edge").due_at
    run.now += timedelta(hours=1, seconds=10)
    run.fire("edge")
    assert run.open == ["a", "beside", "edge"]
    assert run.wait("edge").due_at == first + timedelta(hours=1)
    assert [t.data for t in run.trace if t.kind == "turns missed"] == [{"missed": 59}]


def test_turns_that_were_missed_are_used_up(draw: Drawing, play: Player) -> None:
    edge = draw.border("a", cycle="R5/PT1M", interrupting=False)
    run = play(draw("start -> a", "edge -> beside", edge=edge))
    run.now += timedelta(minutes=3, seconds=10)
    run.fire("edge")
    assert [t.data for t in run.trace if t.kind == "turns missed"] == [{"missed": 2}]
    run.fire("edge")
    run.fire("edge")
    assert run.open == ["a", "beside", "beside", "beside"]
    run = play(draw("start -> a", "edge -> beside", edge=edge))
    run.now += timedelta(hours=1)
    run.fire("edge")
    assert run.open == ["a", "beside"]
    assert [t.data for t in run.trace if t.kind == "turns missed"] == [{"missed": 4}]


def test_a_model_may_ask_for_all_missed_turns(draw: Drawing, play: Player) -> None:
    edge = draw.border("a", cycle="R3/PT1M", interrupting=False)
    edge.extensions = (
        '<camunda:properties><camunda:property name="missedTurns" value="all"/>'
        "</camunda:properties>"
    )
    run = play(draw("start -> a", "edge -> beside", edge=edge))
    run.now += timedelta(hours=1)
    for _ in range(3):
        run.fire("edge")
    assert run.open == ["a", "beside", "beside", "beside"]


# -- names chosen by expressions --------------------------------------------------


def test_a_called_process_topic_form_and_decision_are_chosen_by_expressions(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> call -> work -> ask",
            call=draw.call("${prefix}_child"),
            work=draw.service("${prefix}.work"),
            ask=draw.user(formKey="${prefix}_form"),
        ),
        {"prefix": "paint"},
    )
    assert run.wait("call").called == "paint_child"
    run.complete("call")
    assert run.wait("work").topic == "paint.work"
    run.complete("work")
    assert run.wait("ask").form == "paint_form"
    run = play(draw("start -> work", work=draw.service("${topic}")), {"topic": 5})
    assert "should be a name, but is 5" in run.stuck["work"]


def test_messages_and_signals_are_chosen_by_expressions(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> hear -> a",
            "and -> b -> tell",
            hear=draw.catch(signal="${line}_ready"),
            tell=draw.throw(signal="${line}_ready"),
        ),
        {"line": "paint"},
    )
    assert run.wait("hear").event == "paint_ready"
    run.complete("b")
    assert [t.event for t in run.step.throws] == ["paint_ready"]
    assert run.open == ["a"]
    run = play(
        draw(
            "start -> get -> tell", get=draw.receive("m_${n}"), tell=draw.send("${n}")
        ),
        {"n": "x"},
    )
    assert (run.wait("get").kind, run.wait("get").event) == ("message", "m_x")
    run.receive("get")
    assert [t.event for t in run.step.throws] == ["x"]


def test_the_initiator_is_a_variable(draw: Drawing) -> None:
    begin = draw.begin()
    begin.attributes["camunda:initiator"] = "starter"
    xml = draw("start -> a", start=begin, a=draw.user(assignee="${starter}"))
    assert SpiffEngine().check(xml) == []
    run = Play(SpiffEngine(), Definition("digest", "process", 1, "", xml))
    run.do(Start({"x": 1}, by="ada"))
    assert run.variables == {"x": 1, "starter": "ada"}
    assert run.wait("a").assignee == "ada"


# -- ways -------------------------------------------------------------------------


def test_an_inclusive_flow_without_condition_is_always_taken(
    draw: Drawing, play: Player
) -> None:
    xml = draw("start -> or", "or -> a if x > 1", "or -> b", "or -> c otherwise")
    assert play(xml, {"x": 2}).open == ["a", "b"]
    assert play(xml, {"x": 0}).open == ["b"]


def test_flows_that_leave_events_may_have_conditions(
    draw: Drawing, play: Player
) -> None:
    xml = draw("start -> a if x > 1", "start -> b if x > 5", "start -> c if x < 0")
    assert play(xml, {"x": 9}).open == ["a", "b"]
    assert "No way leads on" in play(xml, {"x": 1}).stuck["start"]


@pytest.mark.parametrize("kind", ["error", "escalation"])
def test_what_is_caught_without_a_code_is_everything(
    draw: Drawing, play: Player, kind: str
) -> None:
    thrown: dict[str, Any] = {kind: "Jam"}
    caught: dict[str, Any] = {kind: "Nameless"}
    sub = draw.sub("start_in -> bad", bad=draw.end(**thrown))
    edge = draw.border("sub", **caught)
    xml = draw("start -> sub -> never", "edge -> mend", sub=sub, edge=edge)
    codeless = xml.replace(b' name="Nameless"', b' name="Any"').replace(
        f' {kind}Code="Nameless"'.encode(), b""
    )
    assert play(codeless).open == ["mend"]


@pytest.mark.parametrize("where", ["catch", "border", "event subprocess"])
def test_a_cycle_that_interrupts_is_its_first_turn(
    draw: Drawing, play: Player, where: str
) -> None:
    if where == "catch":
        run = play(draw("start -> t -> mend", t=draw.catch(cycle="R3/PT1M")))
    elif where == "border":
        edge = draw.border("a", cycle="R3/PT1M")
        run = play(draw("start -> a", "t -> mend", t=edge))
    else:
        begin = draw.begin(cycle="R3/PT1M")
        run = play(draw("start -> a", on=draw.on("t -> mend", t=begin)))
    assert run.wait("t").due_at == run.now + timedelta(minutes=1)
    run.fire("t")
    assert run.open == ["mend"]
