"""What follows the end of an instance in a test-drive: its order and its robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mpms.domain.jobs import Job
from mpms.factory.instance_hooks import FactoryHooks


class DrivenHooks(FactoryHooks):
    """No record of materials is kept of orders that nobody made."""

    def worked(self, tx: Any, job: Job, results: Mapping[str, Any]) -> None:
        pass

    def noted(self, tx: Any, noted: Sequence[object]) -> None:
        pass
