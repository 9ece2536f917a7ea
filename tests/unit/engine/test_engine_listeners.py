"""Listeners of Camunda 7 that are an expression or a script, and commit points."""

from typing import Any

import pytest

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import (
    GO_ON_TOPIC,
    Cancel,
    Complete,
    Fail,
    Fire,
    Hear,
    JobWait,
    Skip,
    TimerWait,
)
from mpms.engine.runner import SpiffEngine
from tests.support.bpmn_drawing import Drawing, Drawn
from tests.support.bpmn_play import Play, Player

pytestmark = pytest.mark.covers("A3")


def listens(drawn: Drawn, *told: tuple[str, str], tag: str = "execution") -> Drawn:
    """Each of ``told`` sets a variable to what it was with the event's letter."""
    for event, name in told:
        work = f"${{execution.setVariable('{name}', {name} + '{event[0]}')}}"
        drawn.extensions += (
            f'<camunda:{tag}Listener event="{event}" expression="{work}"/>'
        )
    return drawn


def held(run: Play) -> list[str]:
    return [
        wait.element
        for wait in run.step.waits
        if isinstance(wait, JobWait) and wait.topic == GO_ON_TOPIC
    ]


def go_on(run: Play) -> None:
    (wait,) = (w for w in run.step.waits if isinstance(w, JobWait))
    run.do(Complete(wait.task_id))


def test_listeners_of_a_user_task_run_in_the_order_of_camunda(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(inputs={"seen": "${a}"}, outputs={"told": "${a}"})
    listens(task, ("start", "a"), ("end", "a"))
    listens(task, ("create", "a"), ("complete", "a"), tag="task")
    run = play(draw("start -> work -> after", work=task), {"a": "-"})
    assert run.variables == {"a": "-sc"}
    assert run.wait("work").inputs["seen"] == "-"
    run.complete("work")
    assert run.variables["a"] == run.variables["told"] == "-scce"


def test_a_script_and_a_local_variable_belong_where_they_say(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(outputs={"out": "${inner + total}"})
    task.extensions += (
        '<camunda:executionListener event="start">'
        '<camunda:script scriptFormat="mpms">total = 1 + 1</camunda:script>'
        "</camunda:executionListener>"
        '<camunda:executionListener event="start"'
        " expression=\"${execution.setVariableLocal('inner', 40)}\"/>"
    )
    run = play(draw("start -> work -> after", work=task))
    run.complete("work")
    assert run.variables == {"total": 2, "out": 42}


@pytest.mark.parametrize(
    "drawn",
    [
        Drawn("exclusiveGateway"),
        Drawn("intermediateThrowEvent"),
        Drawn("scriptTask", inside="<script>n = 1</script>"),
        Drawn("subProcess", inner=(("start_in -> end_in",), {})),
    ],
    ids=lambda drawn: drawn.tag,
)
def test_elements_of_every_kind_have_listeners(
    draw: Drawing, play: Player, drawn: Drawn
) -> None:
    each = Drawn(drawn.tag, inside=drawn.inside, inner=drawn.inner)
    listens(each, ("start", "a"), ("end", "a"))
    run = play(draw("start -> it -> after", it=each), {"a": "-"})
    assert run.variables["a"] == "-se"


def test_a_boundary_event_tells_when_it_comes_and_not_when_it_waits(
    draw: Drawing, play: Player
) -> None:
    late = listens(draw.border("work", timer="PT1H"), ("start", "a"), ("end", "a"))
    run = play(draw("start -> work -> end", "late -> after", late=late), {"a": "-"})
    assert run.variables["a"] == "-"
    run.fire("late")
    assert (run.variables["a"], run.open) == ("-se", ["after"])


def test_every_turn_of_a_loop_tells_and_the_loop_itself_does_not(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(loop=draw.times("2", sequential=True))
    listens(task, ("start", "a"), ("end", "a"))
    run = play(draw("start -> work -> end", work=task), {"a": "-"})
    run.complete("work")
    run.complete("work")
    assert (run.variables["a"], run.done) == ("-sese", True)


def test_a_flow_tells_when_it_is_taken(draw: Drawing, play: Player) -> None:
    xml = draw("start -> xor_way", "xor_way -> a if up", "xor_way otherwise -> b")
    take = (
        b"<extensionElements><camunda:executionListener event='take'"
        b" expression=\"${execution.setVariable('way', 1)}\"/></extensionElements>"
    )
    for flow, variables in ((b"xor_way_to_a_1", {"up": True, "way": 1}),):
        mark = b'<sequenceFlow id="' + flow + b'" sourceRef="xor_way" targetRef="a">'
        assert mark in xml
        model = xml.replace(mark, mark + take)
        assert play(model, {"up": True}).variables == variables
        assert play(model, {"up": False}).variables == {"up": False}


def test_a_listener_of_the_process_tells_at_its_start(
    draw: Drawing, play: Player
) -> None:
    tell = (
        b'isExecutable="true"><extensionElements><camunda:executionListener'
        b" event='start' expression=\"${execution.setVariable('begun', true)}\"/>"
        b"</extensionElements>"
    )
    xml = draw("start -> a").replace(b'isExecutable="true">', tell)
    assert play(xml).variables == {"begun": True}


def test_a_listener_that_fails_is_an_incident_and_is_tried_again(
    draw: Drawing, play: Player
) -> None:
    task = listens(draw.user(), ("end", "a"))
    run = play(draw("start -> work -> after", work=task))
    run.complete("work", done=1)
    assert "knows no variable 'a'" in run.stuck["work"]
    run.mend(a="-")
    run.retry("work")
    assert (run.variables["a"], run.open) == ("-e", ["after"])


@pytest.mark.parametrize(
    ("listener", "reason"),
    [
        ("event='start' class='a.B'", "the class calls code of another system"),
        ("event='start' delegateExpression='${b}'", "the delegate expression calls"),
        ("event='end' expression='${bean.notify(execution)}'", "calls code of another"),
        ("event='start'", "neither an expression nor a script"),
        ("event='take' expression='${1}'", "only flows have listeners of 'take'"),
        ("event='begin' expression='${1}'", "a listener of 'begin' is not executed"),
    ],
)
def test_what_is_bound_to_java_or_says_nothing_is_refused_by_name(
    draw: Drawing, listener: str, reason: str
) -> None:
    task = draw.user()
    task.extensions = f"<camunda:executionListener {listener}/>"
    (problem,) = SpiffEngine().check(draw("start -> x -> end", x=task))
    assert problem.element == "x"
    assert reason in problem.reason


# -- commit points -------------------------------------------------------------------


def test_async_before_and_after_wait_for_a_worker_behind_a_commit(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(asyncBefore="true", asyncAfter="true", jobPriority="${2 * 4}")
    run = play(draw("start -> work -> after", work=task))
    assert held(run) == ["work"]
    assert run.wait("work").priority == 8
    go_on(run)
    assert held(run) == []
    run.complete("work", x=1)
    assert (held(run), run.variables) == (["work"], {"x": 1})
    with pytest.raises(TaskGone):
        run.do(Complete("nobody"))
    go_on(run)
    assert run.open == ["after"]


def test_a_service_task_behind_a_commit_has_a_job_of_its_own(
    draw: Drawing, play: Player
) -> None:
    task = draw.service("drill", asyncBefore="true", taskPriority="3")
    run = play(draw("start -> work -> after", work=task))
    waiting = run.wait("work")
    go_on(run)
    drilling = run.wait("work")
    assert (drilling.topic, drilling.priority) == ("drill", 3)
    assert drilling.task_id != waiting.task_id
    run.complete("work")
    assert run.open == ["after"]


def test_each_turn_of_a_loop_can_be_a_commit_of_its_own(
    draw: Drawing, play: Player
) -> None:
    loop = draw.times("3").replace(
        "Characteristics>", 'Characteristics camunda:asyncBefore="true">', 1
    )
    run = play(draw("start -> work -> after", work=draw.user(loop=loop)))
    assert held(run) == ["work", "work", "work"]
    run.do(Complete(run.step.waits[0].task_id))
    assert len(held(run)) == 2


def test_what_waits_for_a_commit_is_cancelled_skipped_and_fails_like_other_work(
    draw: Drawing, play: Player
) -> None:
    xml = draw(
        "start -> work -> after",
        "late -> told",
        work=draw.user(asyncBefore="true"),
        late=draw.border("work", timer="PT1H"),
    )
    run = play(xml)
    (wait,) = run.waits("work")
    assert not run.do(Fail(wait.task_id, "any")).caught
    run.do(Skip(wait.task_id))
    assert run.open == ["after"]
    again = play(xml)
    again.cancel()
    assert again.status.ended


def test_the_priority_of_the_process_is_that_of_all_its_jobs(
    draw: Drawing, play: Player
) -> None:
    xml = draw("start -> a -> b", a=draw.service("x"), b=draw.service("y"))
    run = play(xml.replace(b'isExecutable="true"', _PRIORITY))
    assert run.wait("a").priority == 70


_PRIORITY = b'isExecutable="true" camunda:jobPriority="70"'


# -- due dates -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("due", "expected"),
    [
        ("2026-01-31T08:00:00Z", "2026-01-31T08:00:00+00:00"),
        ("${by}", "2026-02-02T00:00:00+00:00"),
        ("PT2H", "2026-01-05T10:00:00+00:00"),
        ("${nothing}", None),
    ],
)
def test_a_due_date_is_an_instant_a_day_or_a_duration(
    draw: Drawing, play: Player, due: str, expected: str | None
) -> None:
    task = draw.user(dueDate=due, followUpDate="2026-02-01", priority="${80 + 1}")
    given: dict[str, Any] = {"by": "2026-02-01", "nothing": None}
    wait = play(draw("start -> work", work=task), given).wait("work")
    assert (wait.due_at and wait.due_at.isoformat()) == expected
    assert wait.follow_up_at.isoformat() == "2026-02-01T00:00:00+00:00"
    assert wait.priority == 81


@pytest.mark.parametrize(
    ("word", "text", "reason"),
    [
        ("dueDate", "${'soon'}", "due date: 'soon' is no date"),
        ("followUpDate", "${7}", "must be a date and time, not 7"),
        ("priority", "${'high'}", "must be a number, not 'high'"),
    ],
)
def test_what_is_no_date_is_an_incident_and_not_a_task_that_is_never_late(
    draw: Drawing, play: Player, word: str, text: str, reason: str
) -> None:
    run = play(draw("start -> work", work=draw.user(**{word: text})))
    assert reason in run.stuck["work"]


def test_an_assigned_task_tells_its_listeners_when_it_is_created_and_changed(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(assignee="ana")
    told = ("create", "a"), ("assignment", "a"), ("update", "a"), ("complete", "a")
    listens(task, *told, tag="task")
    run = play(draw("start -> work -> after", work=task), {"a": "-"})
    assert run.variables == {"a": "-ca"}
    form = run.wait("work")
    run.do(Hear(form.task_id, ("update", "assignment")))
    assert run.variables == {"a": "-caua"}
    assert run.wait("work").task_id == form.task_id
    run.complete("work")
    assert run.variables == {"a": "-cauac"}


def test_a_task_that_is_cancelled_tells_its_listeners_of_delete(
    draw: Drawing, play: Player
) -> None:
    task = draw.user()
    listens(task, ("delete", "a"), ("complete", "a"), tag="task")
    model = draw("start -> work -> after", work=task)
    run = play(model, {"a": "-"})
    run.do(Cancel())
    assert run.variables == {"a": "-d"}
    run = play(model, {"a": "-"})
    run.complete("work")
    assert run.variables == {"a": "-c"}


def test_a_listener_of_delete_that_fails_is_told_and_the_task_goes_all_the_same(
    draw: Drawing, play: Player
) -> None:
    task = draw.user()
    listens(task, ("delete", "unknown"), tag="task")
    run = play(draw("start -> work -> after", work=task))
    run.do(Cancel())
    assert run.step.status.ended
    (line,) = [one for one in run.step.trace if one.kind == "failed"]
    assert "unknown" in line.data["message"]


def test_a_listener_of_timeout_works_when_its_timer_is_due_and_the_task_stays(
    draw: Drawing, play: Player
) -> None:
    task = draw.user()
    task.extensions += (
        '<camunda:taskListener event="timeout" id="late"'
        " expression=\"${task.setVariable('late', true)}\">"
        "<timerEventDefinition><timeDuration>PT1H</timeDuration>"
        "</timerEventDefinition></camunda:taskListener>"
    )
    model = draw("start -> work -> after", work=task)
    run = play(model)
    (timer,) = (wait for wait in run.step.waits if isinstance(wait, TimerWait))
    run.now = timer.due_at
    run.do(Fire(timer.task_id))
    assert run.variables == {"late": True}
    run.complete("work")
    run = play(model)
    run.complete("work")
    assert run.variables == {}
    assert not [wait for wait in run.step.waits if isinstance(wait, TimerWait)]
