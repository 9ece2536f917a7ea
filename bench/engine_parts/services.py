"""What the engine's services cost on a database with much in it.

Part of ``bench/engine.py``, which gives each function a migrated database.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg2

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mpms import assets, bootstrap  # noqa
from mpms.factory.adapters.memory import LoopbackRobots  # noqa: E402
from mpms.domain.jobs import Done  # noqa: E402
from mpms.factory.domain.worlds import World  # noqa: E402
from mpms.engine.runner import SpiffEngine  # noqa: E402
from mpms.services.messages.correlate import correlate_message  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from mpms.services.jobs.handlers import Handlers  # noqa: E402
from mpms.services.instances.migrate import migrate_instances  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from tests.support.factory_worker import FactoryWorker  # noqa: E402

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
CAMUNDA = "http://camunda.org/schema/1.0/bpmn"
WAITING = 100_000
REAL = 100  # of the waiting ones are real; the others are rows that nobody moves
TIMERS = 1_000
MIGRANTS = 300
MORE = b'sourceRef="more" targetRef="end"'


class NoAlarm:
    """A worker driven by hand does not sleep."""

    def wait(self, timeout_s: float) -> object:
        return None

    def wake(self) -> None:
        return None


def by_hand(url: str) -> tuple[bootstrap.Services, FactoryWorker]:
    handlers = Handlers()
    handlers.add_inside("bench.work", lambda tx, job: Done({}))
    services = bootstrap.connect(url)
    robots = LoopbackRobots(World("bench", {}, {}, ()))
    worker = FactoryWorker(
        services.uow, services.advance, handlers, robots, NoAlarm(), name="bench"
    )
    return services, worker


def drawn(key: str, middle: str, declared: str = "") -> bytes:
    """A start, one element with the id ``wait`` and an end."""
    return f"""<definitions xmlns="{BPMN}" xmlns:camunda="{CAMUNDA}"
        targetNamespace="bench">{declared}<process id="{key}" isExecutable="true">
      <startEvent id="begin"/>
      <sequenceFlow id="f1" sourceRef="begin" targetRef="wait"/>
      {middle}
      <sequenceFlow id="f2" sourceRef="wait" targetRef="end"/>
      <endEvent id="end"/></process></definitions>""".encode()


def start_finish_ms(url: str, times: int = 40) -> float:
    """A ten-task process from its start to its end, one worker, nothing else to do."""
    services, worker = by_hand(url)
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        with services.uow() as tx:
            start_instance(tx, services.advance, "line", actor="bench")
        worker.settle()
        taken.append(time.perf_counter() - begun)
    services.close()
    return round(statistics.median(taken) * 1e3, 2)


def parse_deploy_ms(url: str, times: int = 15) -> float:
    """Check and deploy the shipped order and warehouse models as new versions."""
    services = bootstrap.connect(url)
    shipped = assets.shipped_models()
    files = {
        name: content
        for name, content in shipped.items()
        if name in ("orders_handling.bpmn", "warehouse.bpmn")
    }
    assert len(files) == 2
    taken = []
    for turn in range(times):
        mark = f"<!-- {turn} -->".encode()
        new = {name: content + mark for name, content in files.items()}
        begun = time.perf_counter()
        deploy_models(services.uow, SpiffEngine(), new, by="bench")
        taken.append(time.perf_counter() - begun)
    services.close()
    return round(statistics.median(taken) * 1e3, 2)


def correlate_ms_100k(url: str) -> dict[str, float]:
    """Hand a message to the one of 100,000 waiting instances that has its key."""
    services, worker = by_hand(url)
    catch = """<intermediateCatchEvent id="wait"><extensionElements>
      <camunda:properties><camunda:property name="correlationKey" value="${order}"/>
      </camunda:properties></extensionElements>
      <messageEventDefinition id="m" messageRef="letter"/></intermediateCatchEvent>"""
    letter = '<message id="letter" name="letter"/>'
    model = drawn("reader", catch, letter)
    deploy_models(services.uow, services.engine, {"reader.bpmn": model}, by="bench")
    _fill(services, url, "reader", REAL, WAITING)
    taken = []
    for number in range(REAL):
        begun = time.perf_counter()
        correlate_message(
            services.uow, services.advance, "letter", correlation=f"K-{number}", by="b"
        )
        taken.append(time.perf_counter() - begun)
    worker.settle()
    _expect(services, "reader", REAL)
    services.close()
    return {
        "correlate_ms_100k": round(statistics.median(taken) * 1e3, 2),
        "correlate_max_ms_100k": round(max(taken) * 1e3, 2),
    }


def timers_due_per_s(url: str) -> float:
    """Timers that are due at once, fired by one worker."""
    services, worker = by_hand(url)
    catch = """<intermediateCatchEvent id="wait"><timerEventDefinition id="t">
      <timeDuration>PT0.001S</timeDuration></timerEventDefinition>
      </intermediateCatchEvent>"""
    files = {"sleeper.bpmn": drawn("sleeper", catch)}
    deploy_models(services.uow, services.engine, files, by="bench")
    with services.uow() as tx:
        for _ in range(TIMERS):
            start_instance(tx, services.advance, "sleeper", actor="bench")
    time.sleep(0.05)
    begun = time.perf_counter()
    worker.settle()
    took_s = time.perf_counter() - begun
    _expect(services, "sleeper", TIMERS)
    services.close()
    return round(TIMERS / took_s, 1)


def _fill(
    services: bootstrap.Services, url: str, key: str, real: int, total: int
) -> None:
    """So many that wait: some by the engine, the others as copies of their rows."""
    with services.uow() as tx:
        for number in range(real):
            order = {"order": f"K-{number}"}
            start_instance(tx, services.advance, key, variables=order, actor="bench")
    connection = psycopg2.connect(url)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE copies AS"
            " SELECT gen_random_uuid() AS instance_id, gen_random_uuid() AS task_id, n"
            " FROM generate_series(%s, %s) AS n",
            (real, total - 1),
        )
        cursor.execute(
            "INSERT INTO instances (id, definition_id, key, state, variables)"
            " SELECT c.instance_id, i.definition_id, i.key, i.state, i.variables"
            " FROM copies AS c, (SELECT * FROM instances WHERE key = %s LIMIT 1) AS i",
            (key,),
        )
        cursor.execute(
            "INSERT INTO subscriptions"
            " (task_id, instance_id, element, kind, event, correlation)"
            " SELECT task_id, instance_id, 'wait', 'message', 'letter', 'K-' || n"
            " FROM copies"
        )
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()


def _expect(services: bootstrap.Services, key: str, ended: int) -> None:
    with services.uow() as tx:
        found = tx.instances.counts().get((key, "completed"), 0)
    assert found == ended, f"{found} of {ended} instances of {key} ended"


def migrate_per_s(url: str) -> float:
    """Instances that wait at a form carried over to a version with one more step."""
    services, _ = by_hand(url)
    old = drawn("clerk", '<userTask id="wait"/>')
    more = (
        '<userTask id="wait"/><userTask id="more"/>'
        '<sequenceFlow id="f3" sourceRef="wait" targetRef="more"/>'
    )
    new = drawn("clerk", more).replace(b'sourceRef="wait" targetRef="end"', MORE)
    deploy_models(services.uow, services.engine, {"clerk.bpmn": old}, by="bench")
    with services.uow() as tx:
        for _ in range(MIGRANTS):
            start_instance(tx, services.advance, "clerk", actor="bench")
    deploy_models(services.uow, services.engine, {"clerk.bpmn": new}, by="bench")
    begun = time.perf_counter()
    done = migrate_instances(
        services.uow, services.advance, "clerk", 2, by="bench", reason="a new step"
    )
    took_s = time.perf_counter() - begun
    assert len(done) == MIGRANTS
    assert not any(one.error for one in done)
    services.close()
    return round(MIGRANTS / took_s, 1)


def figures(url: str, say: Callable[[str], None]) -> dict[str, float]:
    """All of them, where the process ``line`` is deployed; the fullest comes last."""
    found: dict[str, float] = {}
    for name, measure in (
        ("start_finish_ms", start_finish_ms),
        ("parse_deploy_ms", parse_deploy_ms),
        ("timers_due_per_s", timers_due_per_s),
        ("migrate_per_s", migrate_per_s),
    ):
        say(name)
        found[name] = measure(url)
    say("correlate_ms_100k")
    return found | correlate_ms_100k(url)
