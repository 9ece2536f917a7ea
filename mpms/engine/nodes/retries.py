"""How long a job waits between its tries, as a model says it."""

from __future__ import annotations

from mpms.domain.jobs import DEFAULT_RETRY_DELAYS_S
from mpms.engine.expressions import parse_retry_cycle
from mpms.engine.model import Settings


def retry_delays_s(settings: Settings) -> tuple[float, ...]:
    """The waits between the tries of a job."""
    if settings.attempts is not None:
        usual = DEFAULT_RETRY_DELAYS_S
        longer = usual[-1:] * max(0, settings.attempts - 1 - len(usual))
        return (*usual, *longer)[: settings.attempts - 1]
    if settings.retry_cycle:
        return parse_retry_cycle(settings.retry_cycle)
    return DEFAULT_RETRY_DELAYS_S
