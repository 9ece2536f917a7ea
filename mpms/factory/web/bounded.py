"""Runs a test of something outside in a thread, and does not wait for ever.

What it has told so far is shown in any case. Only one test of a thing runs at a time,
so that an impatient finger does not become a hundred connections.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from mpms.domain.errors import MpmsError
from mpms.factory.ports.checks import CheckStep, Tell

LIMIT_S = 30.0
_running: set[str] = set()
_lock = threading.Lock()


class TestRuns(MpmsError):
    """This test is already running. Wait until it has ended."""


def bounded(
    name: str, test: Callable[[Tell], None], *, limit_s: float = LIMIT_S
) -> list[CheckStep]:
    """The steps as far as they came. TestRuns."""
    with _lock:
        if name in _running:
            raise TestRuns
        _running.add(name)
    steps: list[CheckStep] = []
    ended = threading.Event()

    def tell(step: CheckStep) -> None:
        steps.append(step)

    def run() -> None:
        try:
            test(tell)
        except Exception as failure:
            steps.append(CheckStep("limit", False, "failed", str(failure)))
        finally:
            with _lock:
                _running.discard(name)
            ended.set()

    threading.Thread(target=run, name=f"test {name}", daemon=True).start()
    if not ended.wait(limit_s):
        return [*steps, CheckStep("limit", False, "too_slow")]
    return steps
