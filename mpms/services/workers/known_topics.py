"""Which topics a model can name, whoever serves them, whether or not somebody does now.

Those of plug-ins, the factory among them, are known before the first worker runs.
Those of workers of others are known from their asking.
"""

from __future__ import annotations

from dataclasses import replace

from mpms.domain.models.topics import KnownTopic
from mpms.ports.store import Transaction, UnitOfWork
from mpms.ports.trials import Trials
from mpms.services.workers.served_topics import ALIVE_S, ASKED_S, served_topics

SEEN_S = 24 * 3600.0  # what a worker of others has asked for within a day is offered


def topics_to_name(tx: Transaction, engine: Trials) -> frozenset[str]:
    """What a model may name without a warning: what is served; where no worker says
    what it serves, what could be."""
    served = served_topics(tx)
    if served is not None:
        return served
    asked = tx.external_tasks.topics(within_s=ASKED_S)
    return frozenset(engine.promised_topics) | asked


def list_topics(uow: UnitOfWork, engine: Trials) -> tuple[KnownTopic, ...]:
    """All that is known of topics, by name."""
    found = dict(engine.promised_topics)
    with uow() as tx:
        served = served_topics(tx)
        ours = tx.workers.topics(alive_s=ALIVE_S)
        seen = {topic for each in ours for topic in each or ()}
        seen |= tx.external_tasks.topics(within_s=SEEN_S)
    for name in seen - found.keys():
        found[name] = KnownTopic(name)
    return tuple(
        replace(one, served=None if served is None else name in served)
        for name, one in sorted(found.items())
    )
