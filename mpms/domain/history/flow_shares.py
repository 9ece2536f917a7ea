"""How often flows were taken, from how often the steps at their ends were done.

The history notes steps and no flows. A flow that is the only one from a step was taken
as often as the step was left, the only one to a step as often as it was reached; of
all other flows nobody knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FlowEnds:
    """A flow of a drawing."""

    id: str
    source: str
    target: str


@dataclass(frozen=True)
class FlowShare:
    """``share`` is of those that left its source."""

    id: str
    source: str
    target: str
    count: int
    share: float


def flow_shares(
    flows: Iterable[FlowEnds], visits: Mapping[str, int]
) -> list[FlowShare]:
    """Of the flows of which it is known; in their order."""
    every = list(flows)
    out, into = Counter(f.source for f in every), Counter(f.target for f in every)
    found = []
    for flow in every:
        left = visits.get(flow.source, 0)
        if not left:
            continue
        if out[flow.source] == 1:
            count = left
        elif into[flow.target] == 1:
            count = min(visits.get(flow.target, 0), left)
        else:
            count = -1
        if count >= 0:
            share = count / left
            found.append(FlowShare(flow.id, flow.source, flow.target, count, share))
    return found
