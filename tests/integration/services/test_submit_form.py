"""A form counts once, whoever posts it and however often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mpms.domain.errors import FormInvalid, InstanceBusy, NotFound, TaskGone
from mpms.services.instances.repair import cancel_instance
from mpms.services.tasks.submit import submit_form
from tests.support.bench import Bench
from tests.support.checkers import there
from tests.support.waiting import together

WEIGHT = {
    "type": "number",
    "key": "kg",
    "label": "Weight",
    "validate": {"required": True, "min": 0, "max": 100},
}
NOTE = {"type": "textfield", "key": "note", "label": "Note"}
GROUP = {"type": "group", "components": [NOTE]}


@pytest.fixture
def task_id(bench: Bench) -> str:
    """An open form that asks for a weight and a note."""
    bench.deploy_form("weigh", WEIGHT, GROUP)
    bench.deploy_drawn(
        "weighing",
        '<startEvent id="begin"/><userTask id="ask" camunda:formKey="weigh"/>'
        '<userTask id="next"/><endEvent id="end"/>',
        *("begin ask", "ask next", "next end"),
    )
    instance_id = bench.start("weighing", secret="unchanged")
    (task,) = bench.forms(instance_id)
    return task.task_id


def test_an_answer_completes_the_task_and_sets_variables(
    bench: Bench, task_id: str
) -> None:
    submitted = bench.submit(task_id, {"kg": 12.5, "note": "wet"}, by="ada")
    assert submitted.first
    assert there(submitted.answer).answers == {"kg": 12.5, "note": "wet"}
    assert there(submitted.answer).answered_by == "ada"
    assert there(submitted.answer).answered_at == bench.clock.now()
    variables = bench.variables(there(submitted.answer).instance_id)
    assert (variables["kg"], variables["note"]) == (12.5, "wet")


def test_a_repeated_post_returns_the_first_result(bench: Bench, task_id: str) -> None:
    first = bench.submit(task_id, {"kg": 1}, by="ada")
    second = bench.submit(task_id, {"kg": 99}, by="bob")
    assert not second.first
    assert second.answer == first.answer
    assert bench.variables(there(first.answer).instance_id)["kg"] == 1
    assert bench.left(there(first.answer).instance_id).count("ask") == 1


def test_posts_at_the_same_moment_count_once(bench: Bench, task_id: str) -> None:
    def post(kg: int) -> Callable[[], Any]:
        def submit() -> Any:
            while True:
                try:
                    return submit_form(
                        bench.uow, bench.advance, task_id, {"kg": kg}, by=f"worker {kg}"
                    )
                except InstanceBusy:
                    continue  # as a person is asked to

        return submit

    results = together(*(post(kg) for kg in range(4)))
    assert sum(result.first for result in results) == 1
    assert len({there(result.answer).answered_by for result in results}) == 1
    assert bench.rows("SELECT count(*) FROM answers") == [(1,)]
    instance_id = results[0].answer.instance_id
    assert bench.left(instance_id).count("ask") == 1
    assert [t.element for t in bench.forms(instance_id)] == ["next"]


class Overtaken:
    """Transactions in which another post commits right after the first look.

    It has the instance when this one asks for the task and its instance together.
    """

    def __init__(self, uow: Any, overtake: Callable[[], Any]) -> None:
        self._uow = uow
        self._overtake = overtake

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        with self._uow() as tx:
            look, take = tx.tasks.answer, tx.tasks.take

            def take_in_vain(task_id: str) -> Any:
                with self._uow() as other:
                    other.instances.lock(other.tasks.get(task_id).instance_id)
                    found = take(task_id)
                assert found is None
                return found

            def look_then_be_overtaken(task_id: str) -> Any:
                tx.tasks.answer = look
                found = look(task_id)
                self._overtake()
                return found

            tx.tasks.take = take_in_vain
            tx.tasks.answer = look_then_be_overtaken
            yield tx


def test_a_post_that_is_overtaken_returns_the_first_result(
    bench: Bench, task_id: str
) -> None:
    def overtake() -> None:
        submit_form(bench.uow, bench.advance, task_id, {"kg": 1}, by="ada")

    slow = submit_form(
        Overtaken(bench.uow, overtake), bench.advance, task_id, {"kg": 2}, by="bob"
    )
    assert not slow.first
    assert there(slow.answer).answered_by == "ada"


@pytest.mark.parametrize(
    "unknown", ["0b6f2f6e-3f52-4d0c-9f5e-5f0f3f1f7a11", "no id at all", ""]
)
def test_an_answer_for_a_task_that_never_was_is_refused(
    bench: Bench, unknown: str
) -> None:
    with pytest.raises(TaskGone):
        bench.submit(unknown, {})


def test_an_answer_for_a_task_that_is_gone_is_refused(
    bench: Bench, task_id: str
) -> None:
    (task,) = bench.forms()
    cancel_instance(
        bench.uow, bench.advance, task.instance_id, by="boss", reason="no paint"
    )
    with pytest.raises(TaskGone):
        bench.submit(task_id, {"kg": 1})
    assert bench.rows("SELECT count(*) FROM answers") == [(0,)]


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ({}, "Weight: please fill this in."),
        ({"kg": None}, "Weight: please fill this in."),
        ({"kg": "12"}, "Weight: must be a number."),
        ({"kg": True}, "Weight: must be a number."),
        ({"kg": -1}, "Weight: must be at least 0."),
        ({"kg": 101}, "Weight: must be at most 100."),
        ({"kg": float("nan")}, "Weight: must be a number."),
        ({"kg": float("inf")}, "Weight: must be a number."),
        ({"kg": 1, "note": 7}, "Note: must be text."),
        ({"kg": 1, "note": ["a"]}, "Note: must be text."),
    ],
)
def test_a_wrong_answer_names_the_field_and_changes_nothing(
    bench: Bench, task_id: str, answers: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(FormInvalid, match=complaint.replace(".", r"\.")):
        bench.submit(task_id, answers)
    assert [t.task_id for t in bench.forms()] == [task_id]
    assert bench.rows("SELECT count(*) FROM answers") == [(0,)]


def test_what_the_form_does_not_ask_for_is_dropped(bench: Bench, task_id: str) -> None:
    submitted = bench.submit(task_id, {"kg": 1, "secret": "stolen", "role": "admin"})
    assert there(submitted.answer).answers == {"kg": 1}
    variables = bench.variables(there(submitted.answer).instance_id)
    assert variables["secret"] == "unchanged"
    assert "role" not in variables


def test_a_task_without_a_form_takes_a_plain_confirmation(
    bench: Bench, task_id: str
) -> None:
    bench.submit(task_id, {"kg": 1})
    (plain,) = bench.forms()
    assert plain.form is None
    submitted = bench.submit(plain.task_id, {})
    assert bench.instance(there(submitted.answer).instance_id).status == "completed"


def test_a_form_that_is_not_deployed_accepts_nothing(bench: Bench) -> None:
    bench.deploy_drawn(
        "asking",
        '<startEvent id="begin"/><userTask id="ask" camunda:formKey="nowhere"/>'
        '<endEvent id="end"/>',
        *("begin ask", "ask end"),
    )
    bench.start("asking")
    (task,) = bench.forms()
    with pytest.raises(NotFound, match="'nowhere' is not deployed"):
        bench.submit(task.task_id, {"anything": 1})
    assert bench.forms() == [task]
