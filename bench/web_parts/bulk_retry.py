"""How quickly one worker retries the incidents of a bulk action.

Part of ``bench/web.py``. Instances are stuck on a condition that asks for a missing
variable; the figure is items a second from the order of the batch to its end, with the
steps that the retried instances take in it.
"""

from __future__ import annotations

import time

from mpms.bootstrap import Services
from mpms.domain.bulk import BatchAction, TheseInstances
from mpms.services.bulk.order import order_batch
from mpms.services.bulk.run import RunBatches
from mpms.services.bulk.show import show_batch
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models

ITEMS = 500
MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    targetNamespace="bench">
  <process id="bulk_retry" name="Bulk retry" isExecutable="true">
    <startEvent id="begin"/><sequenceFlow id="f1" sourceRef="begin" targetRef="sum"/>
    <scriptTask id="sum"><script>total = missing + 1</script></scriptTask>
    <sequenceFlow id="f2" sourceRef="sum" targetRef="look"/>
    <userTask id="look"/><sequenceFlow id="f3" sourceRef="look" targetRef="end"/>
    <endEvent id="end"/></process></definitions>"""


def bulk_retry_per_s(services: Services, *, items: int = ITEMS) -> float:
    """Every item is done: its retry steps and meets the same trouble again."""
    uow, advance = services.uow, services.advance
    deploy_models(uow, services.engine, {"bulk_retry.bpmn": MODEL}, by="bench")
    ids = []
    for _ in range(items):
        with uow() as tx:
            ids.append(start_instance(tx, advance, "bulk_retry", actor="bench"))
    begun = time.perf_counter()
    batch_id = order_batch(
        uow,
        BatchAction.RETRY,
        TheseInstances(tuple(ids)),
        by="bench",
        reason="measured",
    )
    phase = RunBatches(uow, advance)
    while phase():
        pass
    took_s = time.perf_counter() - begun
    batch = show_batch(uow, batch_id).batch
    assert (batch.state, batch.done) == ("ended", items), batch
    return round(items / took_s, 1)
