"""Which topics somebody works on now, whoever that is and wherever it runs.

Workers say with their heartbeat what they serve. Whoever else may take jobs one day
(clients that fetch them, seen in the last minutes) is to be added here: the lint at
deployment and the watch over jobs that nobody takes both ask this function.
"""

from __future__ import annotations

from mpms.ports.store import Transaction

ALIVE_S = 30.0


def served_topics(tx: Transaction) -> frozenset[str] | None:
    """None if it is not known: no worker is alive, or one does not say."""
    topics = tx.workers.topics(alive_s=ALIVE_S)
    if not topics or None in topics:
        return None
    return frozenset(topic for each in topics for topic in each or ())
