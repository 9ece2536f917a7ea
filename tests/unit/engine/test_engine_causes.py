"""Which errors a person may report at an element."""

from __future__ import annotations

from dataclasses import replace

from mpms.domain.models.definitions import Cause
from mpms.engine.causes import catchable
from mpms.engine.model import Element, EventTrigger, Process


def process(*elements: Element) -> Process:
    return Process("p", "P", {e.id: e for e in elements}, {})


def error(ident: str, at: str, code: str | None, name: str = "") -> Element:
    trigger = EventTrigger("error", name=name, code=code)
    return Element(ident, "", "boundaryEvent", attached_to=at, triggers=(trigger,))


TASK = Element("task", "Task", "userTask")


def test_a_task_without_error_events_offers_nothing() -> None:
    assert catchable(process(TASK), "task").codes == ()
    assert not catchable(process(TASK), "task").any_code
    assert catchable(process(TASK), "unknown").codes == ()


def test_named_errors_are_offered_by_their_name() -> None:
    found = catchable(process(TASK, error("b", "task", "Empty", "rack empty")), "task")
    assert found.codes == (Cause("Empty", "rack empty"),)
    assert not found.any_code


def test_an_event_without_a_code_catches_every_error() -> None:
    assert catchable(process(TASK, error("b", "task", None)), "task").any_code


def test_events_of_an_enclosing_subprocess_count_too() -> None:
    around = Element("around", "", "subProcess")
    inner = Element("inner", "", "userTask", scope="around")
    model = process(around, inner, error("b", "around", "Outer"))
    assert catchable(model, "inner").codes == (Cause("Outer", "Outer"),)


def test_an_event_subprocess_beside_the_task_counts() -> None:
    beside = Element("beside", "", "subProcess", event_subprocess=True)
    trigger = EventTrigger("error", code="Late", name="too late")
    start = Element("s", "", "startEvent", scope="beside", triggers=(trigger,))
    assert catchable(process(TASK, beside, start), "task").codes == (
        Cause("Late", "too late"),
    )


def test_nothing_gets_past_an_event_that_catches_all() -> None:
    around = Element("around", "", "subProcess")
    inner = Element("inner", "", "userTask", scope="around")
    model = process(
        around, inner, error("a", "inner", None), error("b", "around", "Outer")
    )
    found = catchable(model, "inner")
    assert found.any_code
    assert found.codes == ()


def test_other_boundary_events_offer_nothing() -> None:
    timer = Element(
        "b", "", "boundaryEvent", attached_to="task", triggers=(EventTrigger("timer"),)
    )
    assert not catchable(process(TASK, timer), "task").any_code


def handler(ident: str, code: str | None, kind: str = "error") -> tuple[Element, ...]:
    """An event subprocess that a start event ``ident`` begins."""
    around = f"on_{ident}"
    start = Element(
        ident, "", "startEvent", scope=around, triggers=(EventTrigger(kind, code=code),)
    )
    return Element(around, "", "subProcess", event_subprocess=True), start


def test_what_runs_in_an_interrupting_event_subprocess_is_not_caught_beside_it() -> (
    None
):
    inner = Element("inner", "", "userTask", scope="on_one")
    model = process(*handler("one", "Late"), *handler("two", "Early"), inner)
    assert catchable(model, "inner").codes == ()


def test_what_runs_in_an_event_subprocess_beside_its_scope_is_caught_there() -> None:
    inner = Element("inner", "", "userTask", scope="on_one")
    around, start = handler("one", "x", "escalation")
    model = process(
        around, replace(start, interrupting=False), *handler("two", "Early"), inner
    )
    assert catchable(model, "inner").codes == (Cause("Early", "Early"),)


def test_a_border_that_catches_all_hides_the_event_subprocess() -> None:
    model = process(TASK, error("b", "task", None), *handler("one", "Late"))
    found = catchable(model, "task")
    assert (found.codes, found.any_code) == ((), True)


def test_escalations_are_no_errors() -> None:
    model = process(TASK, *handler("one", "Late", "escalation"))
    found = catchable(model, "task")
    assert (found.codes, found.any_code) == ((), False)
