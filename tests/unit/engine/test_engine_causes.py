"""Which errors a person may report at an element."""

from __future__ import annotations

from mpms.domain.models import Cause
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
