"""Tasks, handlers, decisions, subprocesses and calls."""

from typing import Any

import pytest

from mpms.domain.errors import BusinessError
from mpms.domain.execution import Execution
from mpms.domain.instances.steps import CallWait, EventWait, FormWait, JobWait
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

pytestmark = pytest.mark.covers("A3", "A4")

DMN = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="f"
 name="f" namespace="urn:t"><decision id="grade" name="Grade">
<decisionTable id="t" hitPolicy="{policy}"><input id="i"><inputExpression id="e">
<text>x</text></inputExpression></input>{outputs}{rules}</decisionTable></decision>
</definitions>"""


def decision_file(policy: str, outputs: list[str], *rules: list[str]) -> bytes:
    def rule(number: int, cells: list[str]) -> str:
        test, *results = cells
        return (
            f'<rule id="r{number}"><inputEntry id="ie{number}"><text>{test}</text>'
            "</inputEntry>"
            + "".join(
                f'<outputEntry id="oe{number}{i}"><text>{r}</text></outputEntry>'
                for i, r in enumerate(results)
            )
            + "</rule>"
        )

    return DMN.format(
        policy=policy,
        outputs="".join(f'<output id="o{n}" name="{n}"/>' for n in outputs),
        rules="".join(rule(n, cells) for n, cells in enumerate(rules)),
    ).encode()


# -- user tasks --------------------------------------------------------------------


@pytest.mark.covers("A7")
def test_a_user_task_says_its_form_who_may_fill_it_and_what_it_shows(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(
        formKey="load_form",
        assignee="${boss}",
        candidateGroups="workers, ${extra}, team-${n}",
        inputs={"amount": "${kg * 2}", "label": "Load ${kg} kg"},
    )
    run = play(
        draw("start -> a -> end", a=task, lanes={"Worker": ["a"]}),
        {"boss": "ann", "extra": ["night", "day"], "n": 7, "kg": 5},
    )
    wait = run.wait("a")
    assert isinstance(wait, FormWait)
    assert (wait.form, wait.assignee, wait.lane) == ("load_form", "ann", "Worker")
    assert wait.groups == ("workers", "night", "day", "team-7")
    assert wait.inputs == {"amount": 10, "label": "Load 5 kg"}
    assert run.variables == {"boss": "ann", "extra": ["night", "day"], "n": 7, "kg": 5}


def test_a_user_task_for_nobody_belongs_to_its_lane(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a",
            "and -> b",
            "and -> c",
            b=draw.user(assignee="ann"),
            c=draw.user(candidateGroups="chefs"),
            lanes={"Worker": ["start", "and", "a", "b", "c"]},
        )
    )
    assert run.wait("a").groups == ("worker",)
    assert (run.wait("b").assignee, run.wait("b").groups) == ("ann", ())
    assert run.wait("c").groups == ("chefs",)


def test_tasks_inside_a_subprocess_have_the_lane_of_the_subprocess(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> sub",
            sub=draw.sub("start_in -> a"),
            lanes={"Robot": ["sub"], "Worker": ["start"]},
        )
    )
    assert run.wait("a").lane == "Robot"


def test_who_does_a_task_can_come_from_its_inputs(draw: Drawing, play: Player) -> None:
    task = draw.user(assignee="${who}", inputs={"who": "${order.owner}"})
    run = play(draw("start -> a", a=task), {"order": {"owner": "eve"}})
    assert run.wait("a").assignee == "eve"


def test_outputs_of_a_form_are_mapped_and_the_rest_stays_local(
    draw: Drawing, play: Player
) -> None:
    task = draw.user(outputs={"total": "${kg * price}"})
    run = play(draw("start -> a -> b", a=task), {"price": 3})
    run.complete("a", kg=4, note="heavy")
    assert run.variables == {"price": 3, "total": 12}


# -- service tasks -------------------------------------------------------------------


def test_a_service_task_becomes_a_job_with_its_inputs_and_retries(
    draw: Drawing, play: Player
) -> None:
    job = draw.service(
        "robot.move",
        inputs={"goal": "${tank}"},
        failedJobRetryTimeCycle="PT5S,PT1M",
    )
    run = play(
        draw("start -> and -> a", "and -> b", a=job, b=draw.service("plain")),
        {"tank": "T1"},
    )
    wait = run.wait("a")
    assert isinstance(wait, JobWait)
    assert (wait.topic, wait.inputs) == ("robot.move", {"goal": "T1"})
    assert wait.retry_delays_s == (5.0, 60.0)
    assert run.wait("b").inputs is None
    run.complete("a", reached=True)
    assert run.variables == {"tank": "T1", "reached": True}


def test_a_pure_handler_runs_inside_the_step(draw: Drawing, play: Player) -> None:
    model = draw(
        "start -> a -> b -> end",
        a=draw.service("double"),
        b=draw.service("double", inputs={"n": "${n + 1}"}, outputs={"out": "${n2}"}),
    )
    seen = []

    def double(inputs: dict[str, Any]) -> dict[str, Any]:
        seen.append(dict(inputs))
        return {"n2": inputs["n"] * 2}

    run = play(model, {"n": 4, "other": 1}, pure={"double": double})
    assert run.done
    assert seen == [{"n": 4, "other": 1}, {"n": 5}]
    assert run.variables == {"n": 4, "other": 1, "n2": 8, "out": 10}


def test_a_pure_handler_may_return_nothing(draw: Drawing, play: Player) -> None:
    run = play(
        draw("start -> a", a=draw.service("look")), pure={"look": lambda inputs: None}
    )
    assert run.done


def test_a_pure_handler_that_changes_its_inputs_changes_nothing_else(
    draw: Drawing, play: Player
) -> None:
    def careless(inputs: dict[str, Any]) -> None:
        inputs["order"]["lines"].append("more")
        inputs["new"] = 1

    run = play(
        draw("start -> first -> a -> b", a=draw.service("careless")),
        {"order": {"lines": ["one"]}},
        pure={"careless": careless},
    )
    run.complete("first")
    assert run.variables == {"order": {"lines": ["one"]}}


def jam(inputs: dict[str, Any]) -> None:
    raise BusinessError("Jam", "paper")


def wrong(inputs: dict[str, Any]) -> None:
    raise ZeroDivisionError("by zero")


@pytest.mark.parametrize(
    ("handler", "code", "message"),
    [(jam, "Jam", "paper"), (wrong, "ZeroDivisionError", "by zero")],
)
@pytest.mark.parametrize("exact", [True, False])
def test_an_exception_of_a_pure_handler_is_a_bpmn_error_for_its_own_boundary(
    draw: Drawing, play: Player, handler: Any, code: str, message: str, exact: bool
) -> None:
    run = play(
        draw(
            "start -> a -> normal",
            "edge -> beside",
            a=draw.service("work"),
            edge=draw.border("a", error=code if exact else None),
        ),
        pure={"work": handler},
    )
    assert run.open == ["beside"]
    assert run.variables == {"error_code": code, "error_message": message}


def test_an_error_does_not_interrupt_parallel_siblings_that_could_catch_it(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> first -> a -> end",
            "and -> b -> end",
            "and -> c -> end",
            "edge_a -> after_a",
            "edge_b -> after_b",
            "edge_c -> after_c",
            a=draw.service("work"),
            b=draw.service("robot"),
            c=draw.sub("start_c -> inner"),
            edge_a=draw.border("a", error="Jam"),
            edge_b=draw.border("b", error="Jam"),
            edge_c=draw.border("c", error=None),
        ),
        pure={"work": jam},
    )
    run.complete("first")
    assert run.open == ["after_a", "b", "inner"]
    run.fail("b", "Jam")
    assert run.open == ["after_a", "after_b", "inner"]


def test_an_exception_that_no_boundary_catches_leaves_the_task_stuck(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> and -> a -> normal",
            "and -> b",
            "edge -> beside",
            a=draw.service("work"),
            edge=draw.border("a", error="Other"),
        ),
        pure={"work": jam},
    )
    assert run.open == ["b"]
    assert "Jam" in run.stuck["a"]
    assert "paper" in run.stuck["a"]


# -- scripts and decisions -----------------------------------------------------


def test_a_script_task_computes_variables(draw: Drawing, play: Player) -> None:
    script = draw.script("total = a + b\nnames += ['salt']\ntwice = total * 2")
    run = play(draw("start -> s", s=script), {"a": 1, "b": 2, "names": []})
    assert run.variables == {"a": 1, "b": 2, "total": 3, "names": ["salt"], "twice": 6}


def test_a_script_with_output_mappings_keeps_its_own_variables_local(
    draw: Drawing, play: Player
) -> None:
    script = draw.script("sum = a + b", outputs={"total": "${sum * 10}"})
    run = play(draw("start -> s", s=script), {"a": 1, "b": 2})
    assert run.variables == {"a": 1, "b": 2, "total": 30}


@pytest.mark.parametrize(
    ("shape", "policy", "x", "expected"),
    [
        ("singleEntry", "UNIQUE", 1, "low"),
        ("singleEntry", "UNIQUE", 99, None),
        ("singleResult", "UNIQUE", 1, {"y": "low"}),
        ("singleResult", "UNIQUE", 99, None),
        ("collectEntries", "COLLECT", 3, ["low", "odd"]),
        ("collectEntries", "COLLECT", 99, []),
        ("resultList", "COLLECT", 3, [{"y": "low"}, {"y": "odd"}]),
        (None, "COLLECT", 3, [{"y": "low"}, {"y": "odd"}]),
    ],
)
def test_a_decision_result_has_the_shape_the_model_asks_for(
    draw: Drawing, play: Player, shape: str | None, policy: str, x: int, expected: Any
) -> None:
    options = {"mapDecisionResult": shape} if shape else {}
    file = decision_file(
        policy,
        ["y"],
        ["&lt; 10", '"low"'],
        ["3" if policy == "COLLECT" else "-1", '"odd"'],
    )
    if policy == "UNIQUE":
        file = decision_file(policy, ["y"], ["&lt; 10", '"low"'])
    run = play(
        draw("start -> r -> a", r=draw.rule("grade", resultVariable="g", **options)),
        {"x": x},
        decisions={"grade": file}.get,
    )
    assert run.open == ["a"]
    assert run.variables["g"] == expected
    assert "r" in run.passed("decided")


@pytest.mark.parametrize(
    ("outputs", "rules", "reason"),
    [
        (["y"], [["&lt; 10", "1"], ["&lt; 20", "2"]], "several results"),
        (["y", "z"], [["&lt; 10", "1", "2"]], "several values"),
    ],
)
def test_a_single_entry_that_is_not_single_is_stuck_not_guessed(
    draw: Drawing, play: Player, outputs: list[str], rules: list[list[str]], reason: str
) -> None:
    task = draw.rule("grade", resultVariable="g", mapDecisionResult="singleEntry")
    file = decision_file("COLLECT", outputs, *rules)
    run = play(draw("start -> r -> a", r=task), {"x": 1}, decisions={"grade": file}.get)
    assert reason in run.stuck["r"]
    assert "g" not in run.variables


def test_a_decision_that_is_not_deployed_is_named(draw: Drawing, play: Player) -> None:
    run = play(draw("start -> r", r=draw.rule("grade")), {"x": 1})
    assert "'grade'" in run.stuck["r"]


# -- send and receive ------------------------------------------------------------------


def test_a_send_task_throws_its_message_with_its_inputs_and_key(
    draw: Drawing, play: Player
) -> None:
    task = draw.send("goal", key="${robot}", inputs={"n": "${n + 1}", "to": "T${n}"})
    run = play(draw("start -> s -> a", s=task), {"robot": "R1", "n": 1})
    (throw,) = run.step.throws
    assert (throw.kind, throw.event, throw.correlation) == ("message", "goal", "R1")
    assert throw.variables == {"n": 2, "to": "T1"}
    assert run.variables == {"robot": "R1", "n": 1}


def test_a_send_task_with_a_topic_is_a_job(draw: Drawing, play: Player) -> None:
    task = draw.task("sendTask", type="external", topic="mail.send")
    assert play(draw("start -> s", s=task)).wait("s").topic == "mail.send"


def test_a_receive_task_waits_for_its_message(draw: Drawing, play: Player) -> None:
    run = play(
        draw("start -> r -> a", r=draw.receive("reached", key="${robot}")),
        {"robot": "R1"},
    )
    wait = run.wait("r")
    assert isinstance(wait, EventWait)
    assert (wait.kind, wait.event, wait.correlation) == ("message", "reached", "R1")
    run.receive("r", where="T1")
    assert run.open == ["a"]
    assert run.variables == {"robot": "R1", "where": "T1"}


def test_a_receive_task_with_outputs_keeps_the_rest_of_the_message_local(
    draw: Drawing, play: Player
) -> None:
    task = draw.receive("reached", outputs={"place": "${where}"})
    run = play(draw("start -> r -> a", r=task))
    run.receive("r", where="T1", noise=1)
    assert run.variables == {"place": "T1"}


# -- subprocesses ----------------------------------------------------------------------


def test_subprocesses_nest_and_end_when_their_last_token_is_gone(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> outer -> after",
            outer=draw.sub(
                "start_o -> and_o -> inner -> c -> end_o",
                "and_o -> b",
                inner=draw.sub("start_i -> a -> end_i"),
            ),
        )
    )
    run.complete("a")
    assert run.open == ["b", "c"]
    run.complete("c")
    assert run.open == ["b"]
    run.complete("b")
    assert run.open == ["after"]


def test_an_empty_subprocess_passes_at_once(draw: Drawing, play: Player) -> None:
    run = play(
        draw("start -> sub -> a", sub=draw.sub("start_in -> end_in")),
    )
    assert run.open == ["a"]


def test_the_same_subprocess_can_run_twice_at_once(draw: Drawing, play: Player) -> None:
    run = play(
        draw(
            "start -> and -> xor -> sub -> after",
            "and -> xor",
            sub=draw.sub("start_in -> a -> b"),
        )
    )
    first, second = run.waits("a")
    assert first.task_id != second.task_id


# -- call activities -----------------------------------------------------------


def test_a_call_passes_only_what_is_mapped_and_takes_only_what_is_mapped(
    draw: Drawing, play: Player
) -> None:
    call = draw.call(
        "warehouse",
        passes={"order": "order", "weight": "${kg * 2}"},
        returns={"result": "outcome", "sum": "${a + b}"},
        key="order-${order.number}",
    )
    run = play(
        draw("start -> c -> after", c=call), {"order": {"number": 3}, "kg": 4, "z": 1}
    )
    wait = run.wait("c")
    assert isinstance(wait, CallWait)
    assert wait.called == "warehouse"
    assert wait.inputs == {"order": {"number": 3}, "weight": 8}
    assert wait.business_key == "order-3"
    run.complete("c", outcome="good", a=1, b=2, secret="x")
    assert run.open == ["after"]
    assert run.variables == {
        "order": {"number": 3},
        "kg": 4,
        "z": 1,
        "result": "good",
        "sum": 3,
    }


def test_a_call_without_mappings_passes_nothing_either_way(
    draw: Drawing, play: Player
) -> None:
    run = play(draw("start -> c -> after", c=draw.call("other")), {"x": 1})
    assert run.wait("c").inputs == {}
    assert run.wait("c").business_key is None
    run.complete("c", x=2, y=3)
    assert run.variables == {"x": 1}


def test_a_call_can_pass_everything_both_ways(draw: Drawing, play: Player) -> None:
    call = draw.call(
        "other", all_in=True, all_out=True, passes={"y": "${x + 1}"}, returns={"r": "x"}
    )
    run = play(draw("start -> c -> after", c=call), {"x": 1})
    assert run.wait("c").inputs == {"x": 1, "y": 2}
    run.complete("c", x=5, y=6)
    assert run.variables == {"x": 5, "y": 6, "r": 5}


@pytest.mark.parametrize(
    "key", ["${execution.processBusinessKey}", "#{execution.processBusinessKey}"]
)
def test_a_call_can_hand_on_its_own_business_key(
    draw: Drawing, play: Player, key: str
) -> None:
    run = play(
        draw("start -> c", c=draw.call("other", key=key)), business_key="order-9"
    )
    assert run.wait("c").business_key == "order-9"


def test_a_call_passes_its_own_inputs(draw: Drawing, play: Player) -> None:
    call = draw.call("other", inputs={"kg": "${x * 2}"}, passes={"weight": "kg"})
    run = play(draw("start -> c", c=call), {"x": 2, "kg": "outer"})
    assert run.wait("c").inputs == {"weight": 4}


def test_an_out_mapping_reads_the_called_process_never_the_caller(
    draw: Drawing, play: Player
) -> None:
    call = draw.call("other", returns={"result": "x"})
    xml = draw("start -> c -> after", c=call)
    run = play(xml, {"x": "the caller's"}, execution=Execution(missing_is_null=False))
    run.complete("c", y=1)
    assert "x" in run.stuck["c"]
    assert "result" not in run.variables


def test_what_a_call_passes_and_does_not_exist_is_null(
    draw: Drawing, play: Player
) -> None:
    call = draw.call("other", passes={"a": "x"}, returns={"result": "y"})
    run = play(draw("start -> c -> after", c=call))
    assert run.wait("c").inputs == {"a": None}
    run.complete("c")
    assert run.variables == {"result": None}
    by_expression = draw.call("other", passes={"a": "${x}"})
    assert "x" in play(draw("start -> c", c=by_expression)).stuck["c"]


def test_a_failed_call_is_an_error_at_the_call_activity(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> c -> after",
            "edge -> beside",
            c=draw.call("other"),
            edge=draw.border("c", error="Cancelled"),
        )
    )
    run.fail("c", "Cancelled")
    assert run.open == ["beside"]
