"""Work that nobody does is told after a minute, and it closes when somebody does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpms.domain.jobs import Done
from mpms.ports.incidents.inbox import CauseFilter
from mpms.services.incidents.close import close_incident
from mpms.services.incidents.inbox import show_inbox
from mpms.services.instances.repair import cancel_instance, suspend_instance
from mpms.services.jobs.handlers import Handlers
from mpms.services.models.deploy import deploy_models
from mpms.services.workers.watch_topics import EVERY_S, WatchTopics
from mpms.worker import Worker
from tests.support.bench import Bench
from tests.support.checkers import Why
from tests.support.drawings import draw as drawn

PATIENCE_S = 60.0
WORK = (
    '<startEvent id="begin"/><serviceTask id="{element}" name="Drive there"'
    ' camunda:type="external" camunda:topic="{topic}"/><endEvent id="end"/>'
)


class Watch:
    """The worker's watch, with a clock that a test moves."""

    def __init__(self, bench: Bench) -> None:
        self.now_s = 1000.0
        self.look = WatchTopics(bench.uow, PATIENCE_S, monotonic_s=lambda: self.now_s)

    def __call__(self, seconds: float) -> None:
        self.look()
        self.now_s += seconds
        while self.look():
            pass


@pytest.fixture
def watch(bench: Bench) -> Watch:
    bench.handlers.add_inside("robot.move", lambda tx, job: Done({}))
    bench.handlers.add_inside("scale.weigh", lambda tx, job: Done({}))
    bench.worker.settle()
    return Watch(bench)


@pytest.fixture
def draw(bench: Bench) -> Callable[..., None]:
    def deployed(key: str, topic: str, element: str = "drive") -> None:
        work = WORK.format(element=element, topic=topic)
        ways = (f"begin {element}", f"{element} end")
        bench.deploy_drawn(key, work, *ways)

    return deployed


def other_worker(bench: Bench, name: str, *topics: str) -> Worker:
    """A worker of another kind: it does these topics only."""
    mine, bench.handlers = bench.handlers, Handlers()
    for topic in topics:
        bench.handlers.add_inside(topic, lambda tx, job: Done({"by": name}))
    worker: Worker = bench.another_worker(name)
    bench.handlers = mine
    return worker


def test_work_that_nobody_does_is_told_once_until_a_worker_does_it(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    instance_id = bench.start("trip")
    watch(PATIENCE_S - EVERY_S)
    assert bench.incidents() == []
    watch(EVERY_S)
    (incident,) = bench.incidents()
    assert incident.message.startswith("Nobody works on the topic 'robot.mvoe'.")
    assert "Did the model mean 'robot.move'?" in incident.message
    assert (incident.kind, incident.element) == ("topic", "drive")
    assert incident.instance_id == instance_id
    assert not incident.retryable
    watch(10 * PATIENCE_S)
    assert [each.id for each in bench.incidents()] == [incident.id]
    assert bench.rows("SELECT count(*) FROM events WHERE kind = 'incident'") == [(1,)]

    late = other_worker(bench, "of another kind", "robot.mvoe")
    late.settle()
    assert bench.instance(instance_id).status == "completed"
    assert bench.incidents() == []


def test_it_closes_when_a_worker_appears_though_its_work_is_not_done_yet(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    bench.start("trip")
    watch(PATIENCE_S)
    late = other_worker(bench, "of another kind", "robot.mvoe")
    late.phases[0]()  # its heartbeat
    watch(PATIENCE_S)
    assert bench.incidents() == []
    ((actor, data),) = bench.rows(
        "SELECT actor, data FROM events WHERE kind = 'incident over'"
    )
    assert (actor, data) == ("worker", {"topic": "robot.mvoe"})


def test_what_any_living_worker_does_is_no_incident(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    other_worker(bench, "busy", "robot.lift").phases[0]()
    draw("lift", "robot.lift")
    bench.start("lift")
    watch(PATIENCE_S)
    assert bench.incidents() == []
    hour_ago = "now() - interval '1 hour'"
    bench.rows(f"UPDATE workers SET seen_at = {hour_ago} WHERE name = 'busy'")
    watch(EVERY_S)
    watch(PATIENCE_S)
    (incident,) = bench.incidents()
    assert "'robot.lift'" in incident.message


def test_a_worker_that_does_not_say_what_it_does_may_do_it(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    """As one of an earlier version, while a plant is brought up to date."""
    draw("trip", "robot.mvoe")
    bench.start("trip")
    bench.rows("INSERT INTO workers (name, version, poll_s) VALUES ('old', '0', 1)")
    watch(PATIENCE_S)
    assert bench.incidents() == []


def test_a_topic_is_one_cause_wherever_it_is_drawn(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    draw("tour", "robot.mvoe", element="go")
    draw("line", "line1.start")
    draw("other_line", "line2.start")
    for key in ("trip", "trip", "tour", "line", "other_line"):
        bench.start(key)
    watch(PATIENCE_S)
    page = show_inbox(bench.uow, bench.engine, CauseFilter())
    assert sorted(row.incidents for row in page.rows) == [1, 1, 3]


def test_what_was_put_aside_comes_back_while_it_lasts(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    bench.start("trip")
    watch(PATIENCE_S)
    (incident,) = bench.incidents()
    close_incident(bench.uow, incident.id, by="boss", note="a worker comes today")
    watch(1)
    assert bench.incidents() == []
    watch(PATIENCE_S)
    assert len(bench.incidents()) == 1


def test_a_process_that_is_suspended_or_cancelled_waits_for_nobody(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    why: Why = {"by": "boss", "reason": "a spill"}
    suspend_instance(bench.uow, bench.start("trip"), **why)
    cancelled = bench.start("trip")
    watch(PATIENCE_S)
    (incident,) = bench.incidents()
    assert incident.instance_id == cancelled
    cancel_instance(bench.uow, bench.advance, cancelled, **why)
    assert bench.incidents() == []


def test_the_model_is_deployed_with_a_warning(bench: Bench, watch: Watch) -> None:
    work = WORK.format(element="drive", topic="robot.mvoe")
    files = drawn("trip", work, "begin drive", "drive end")
    done = deploy_models(bench.uow, bench.engine, files, by="engineer")
    (finding,) = done.warnings["trip.bpmn"]
    assert (finding.element, finding.name) == ("drive", "Drive there")
    assert "for the topic 'robot.mvoe'; did you mean 'robot.move'?" in finding.reason
    assert "robot.move, scale.weigh" in finding.reason

    served = WORK.format(element="drive", topic="robot.move")
    files = drawn("trip", served, "begin drive", "drive end")
    done = deploy_models(bench.uow, bench.engine, files, by="engineer")
    assert done.warnings == {}


def test_a_worker_tells_in_its_rounds(
    bench: Bench, watch: Watch, draw: Callable[..., None]
) -> None:
    draw("trip", "robot.mvoe")
    bench.start("trip")
    bench.another_worker("quick", topic_patience_s=0.0).settle()
    (incident,) = bench.incidents()
    assert "'robot.mvoe'" in incident.message
