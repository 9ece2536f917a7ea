"""A step that cannot be taken holds up its own instance and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mpms import bootstrap
from mpms.adapters.memory import FixedClock
from mpms.domain.instances import InstanceStatus
from mpms.services.advance_instance import Advance
from mpms.services.deliver import deliver_one, fire_one
from mpms.services.deploy_models import deploy_models
from mpms.services.start_instance import start_instance

MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    targetNamespace="t"><message id="m" name="go"/>
  <process id="waiting" isExecutable="true">
    <startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="e"/>
    <eventBasedGateway id="e"/>
    <sequenceFlow id="f2" sourceRef="e" targetRef="c"/>
    <intermediateCatchEvent id="c"><messageEventDefinition messageRef="m"/>
    </intermediateCatchEvent><sequenceFlow id="f3" sourceRef="c" targetRef="end"/>
    <sequenceFlow id="f4" sourceRef="e" targetRef="t"/>
    <intermediateCatchEvent id="t"><timerEventDefinition>
      <timeDuration>PT1H</timeDuration></timerEventDefinition>
    </intermediateCatchEvent><sequenceFlow id="f5" sourceRef="t" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"""


class FailsFor:
    """The real hub, but for one instance."""

    def __init__(self, real: Advance, instance_id: str) -> None:
        self._real = real
        self._instance_id = instance_id
        self.clock = real.clock
        self.engine = real.engine

    def __call__(self, tx: Any, instance: Any, command: Any, *, actor: str) -> Any:
        if instance.id == self._instance_id:
            raise RuntimeError("the disk of this instance is on fire")
        return self._real(tx, instance, command, actor=actor)


@pytest.fixture
def services(database_url: str) -> Any:
    clock = FixedClock(datetime(2026, 11, 16, tzinfo=UTC))
    made = bootstrap.connect(database_url, clock=clock)
    deploy_models(made.uow, made.engine, {"waiting.bpmn": MODEL}, by="test")
    yield made
    made.close()


def start(services: Any) -> str:
    with services.uow() as tx:
        return start_instance(tx, services.advance, "waiting", actor="test")


def test_a_delivery_that_fails_is_set_aside_with_an_incident_and_tried_again(
    services: Any,
) -> None:
    bad, good = start(services), start(services)
    with services.uow() as tx:
        for instance_id in (bad, good):
            tx.deliveries.add(instance_id, "cancel", data={"reason": "test"})
    failing = FailsFor(services.advance, bad)
    while deliver_one(services.uow, failing):  # type: ignore[arg-type]
        pass
    with services.uow() as tx:
        assert tx.instances.get(good).status is InstanceStatus.CANCELLED
        assert tx.instances.get(bad).status is InstanceStatus.ACTIVE
        (incident,) = tx.incidents.listing()
    assert incident.instance_id == bad
    assert "on fire" in incident.message
    with services.connections.connection() as connection:
        connection.cursor().execute("UPDATE deliveries SET not_before = now()")
    assert deliver_one(services.uow, services.advance)
    with services.uow() as tx:
        assert tx.instances.get(bad).status is InstanceStatus.CANCELLED
        assert tx.incidents.listing() == []


def test_a_timer_that_fails_is_moved_and_the_others_fire(services: Any) -> None:
    bad, good = start(services), start(services)
    services.clock.move(3_600)
    failing = FailsFor(services.advance, bad)
    while fire_one(services.uow, failing):  # type: ignore[arg-type]
        pass
    with services.uow() as tx:
        assert tx.instances.get(good).status is InstanceStatus.COMPLETED
        (incident,) = tx.incidents.listing()
    assert incident.instance_id == bad
    services.clock.move(60)
    assert fire_one(services.uow, services.advance)
    with services.uow() as tx:
        assert tx.instances.get(bad).status is InstanceStatus.COMPLETED
