"""Which topics somebody works on now, whoever that is and wherever it runs.

Workers say with their heartbeat what they serve. Workers of others say it by asking: a
topic that one of them has asked for in the last minutes is served. The lint at
deployment and the watch over jobs that nobody takes both ask this function.
"""

from __future__ import annotations

from mpms.ports.store import Transaction

ALIVE_S = 30.0
ASKED_S = 180.0  # a worker of others may do a long piece of work before it asks again


def served_topics(tx: Transaction) -> frozenset[str] | None:
    """None if it is not known: no worker is alive, or one does not say."""
    topics = tx.workers.topics(alive_s=ALIVE_S)
    if not topics or None in topics:
        return None
    own = frozenset(topic for each in topics for topic in each or ())
    return own | tx.external_tasks.topics(within_s=ASKED_S)
