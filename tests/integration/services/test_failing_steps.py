"""A step that cannot be taken holds up its own instance and nobody else's."""

from __future__ import annotations

from typing import Any

import pytest

from mpms.domain.instances.instances import InstanceStatus
from mpms.services.instances.advance import Advance
from mpms.services.instances.deliver import deliver_one, fire_one
from tests.support.bench import Bench

WAITING = """
<startEvent id="begin"/><eventBasedGateway id="either"/>
<intermediateCatchEvent id="told"><messageEventDefinition messageRef="go"/>
</intermediateCatchEvent>
<intermediateCatchEvent id="late"><timerEventDefinition>
  <timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>
<endEvent id="end"/>"""
WAYS = ("begin either", "either told", "told end", "either late", "late end")


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
def waiting(bench: Bench) -> Bench:
    bench.deploy_drawn(
        "waiting", WAITING, *WAYS, declared='<message id="go" name="go"/>'
    )
    return bench


def test_a_delivery_that_fails_is_set_aside_with_an_incident_and_tried_again(
    waiting: Bench,
) -> None:
    bad, good = waiting.start("waiting"), waiting.start("waiting")
    with waiting.uow() as tx:
        for instance_id in (bad, good):
            tx.deliveries.add(instance_id, "cancel", data={"reason": "test"})
    failing = FailsFor(waiting.advance, bad)
    while deliver_one(waiting.uow, failing):  # type: ignore[arg-type]
        pass
    with waiting.uow() as tx:
        assert tx.instances.get(good).status is InstanceStatus.CANCELLED
        assert tx.instances.get(bad).status is InstanceStatus.ACTIVE
        (incident,) = tx.incidents.listing()
    assert incident.instance_id == bad
    assert "on fire" in incident.message
    waiting.rows("UPDATE deliveries SET not_before = now()")
    assert deliver_one(waiting.uow, waiting.advance)
    with waiting.uow() as tx:
        assert tx.instances.get(bad).status is InstanceStatus.CANCELLED
        assert tx.incidents.listing() == []


def test_a_timer_that_fails_is_moved_and_the_others_fire(waiting: Bench) -> None:
    bad, good = waiting.start("waiting"), waiting.start("waiting")
    waiting.clock.move(3_600)
    failing = FailsFor(waiting.advance, bad)
    while fire_one(waiting.uow, failing):  # type: ignore[arg-type]
        pass
    with waiting.uow() as tx:
        assert tx.instances.get(good).status is InstanceStatus.COMPLETED
        (incident,) = tx.incidents.listing()
    assert incident.instance_id == bad
    waiting.clock.move(60)
    assert fire_one(waiting.uow, waiting.advance)
    with waiting.uow() as tx:
        assert tx.instances.get(bad).status is InstanceStatus.COMPLETED
