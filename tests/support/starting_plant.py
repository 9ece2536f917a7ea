"""A bench for what starts processes: timers, messages, signals and people."""

from __future__ import annotations

from typing import Any

from mpms.domain.instances.instances import Instance
from mpms.services.instances.start import start_instance
from mpms.services.messages.correlate import Correlated, correlate_message
from mpms.services.models.deploy import Deployment, deploy_models
from tests.support.bench import Bench
from tests.support.drawings import draw

DECLARED = (
    '<message id="order" name="Order placed"/><message id="letter" name="letter"/>'
    '<signal id="alarm" name="alarm"/>'
)


class StartingPlant(Bench):
    """Deploys models at the time of its clock, and shows what they started."""

    def draw(self, key: str, elements: str, *ways: str) -> bytes:
        return draw(key, elements, *ways, declared=DECLARED)[f"{key}.bpmn"]

    def beginning_with(self, key: str, definition: str, mark: str = "") -> bytes:
        """A process that a start event begins and a form holds."""
        return self.draw(
            key,
            f'<startEvent id="begin">{definition}</startEvent>'
            f'<userTask id="form" name="{mark}"/>',
            "begin form",
        )

    def deploy(self, **files: bytes) -> Deployment:
        named = {f"{name}.bpmn": content for name, content in files.items()}
        return deploy_models(
            self.uow, self.engine, named, by="engineer", now=self.clock.now()
        )

    def begin(self, key: str, **how: Any) -> str:
        """Start a version, or at a start event; the worker does nothing yet."""
        with self.uow() as tx:
            return start_instance(tx, self.advance, key, actor="operator", **how)

    def send(self, event: str, **how: Any) -> Correlated:
        done = correlate_message(self.uow, self.advance, event, by="operator", **how)
        self.worker.settle()
        return done

    def after(self, seconds: float) -> int:
        """Move the clock, let the worker work, count the instances."""
        self.clock.move(seconds)
        self.worker.settle()
        return len(self.instances())

    def instances(self, key: str | None = None) -> list[Instance]:
        rows = self.rows("SELECT id, key FROM instances ORDER BY started_at, id")
        return [self.instance(i) for i, k in rows if key in (None, k)]
