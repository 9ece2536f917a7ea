"""What the rules that fired together amount to.

UNIQUE and ANY are promises of the author about the table; they are checked, because
a broken promise taken as FIRST decides wrongly without a word.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..expressions.faults import Fault
from ..feel.builtins.statistics import total
from ..feel.calls import BUILTINS
from ..feel.comparing import equal
from ..feel.values import Env, lift

Outputs = dict[str, Any]
# For each output its values in the order of their priority, if they are listed.
Priorities = Sequence[Sequence[Any] | None]


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that holds, and what it gives."""

    rule: str
    row: int
    outputs: Outputs

    def __str__(self) -> str:
        return f"{self.rule} (row {self.row})"


Settle = Callable[[Env, Sequence[Hit], Priorities], Outputs | list[Outputs]]


def _told(hits: Sequence[Hit]) -> str:
    return ", ".join(str(hit) for hit in hits)


def _unique(env: Env, hits: Sequence[Hit], priorities: Priorities) -> Outputs:
    if len(hits) > 1:
        raise Fault(f"the hit policy is UNIQUE, but several rules hold: {_told(hits)}")
    return hits[0].outputs


def _any(env: Env, hits: Sequence[Hit], priorities: Priorities) -> Outputs:
    for hit in hits[1:]:
        if not equal(env.frame, hits[0].outputs, hit.outputs):
            raise Fault(f"the hit policy is ANY, but the rules disagree: {_told(hits)}")
    return hits[0].outputs


def _first(env: Env, hits: Sequence[Hit], priorities: Priorities) -> Outputs:
    return hits[0].outputs


def _all(env: Env, hits: Sequence[Hit], priorities: Priorities) -> list[Outputs]:
    return [hit.outputs for hit in hits]


def _output_order(
    env: Env, hits: Sequence[Hit], priorities: Priorities
) -> list[Outputs]:
    def rank(hit: Hit) -> list[int]:
        ranks: list[int] = []
        for value, listed in zip(hit.outputs.values(), priorities, strict=True):
            if listed is not None:
                ranks.append(_place(env, lift(value), listed))
        return ranks

    return [hit.outputs for hit in sorted(hits, key=rank)]


def _place(env: Env, value: Any, listed: Sequence[Any]) -> int:
    for place, other in enumerate(listed):
        if equal(env.frame, value, lift(other)):
            return place
    return len(listed)


def _priority(env: Env, hits: Sequence[Hit], priorities: Priorities) -> Outputs:
    return _output_order(env, hits, priorities)[0]


def _aggregated(compute: Callable[[Env, list[Any]], Any]) -> Settle:
    def settle(env: Env, hits: Sequence[Hit], priorities: Priorities) -> Outputs:
        (name,) = hits[0].outputs
        values = [hit.outputs[name] for hit in hits]
        return {name: compute(env, values)}

    return settle


def _best(function: str) -> Callable[[Env, list[Any]], Any]:
    compute = BUILTINS[function][0].compute
    return lambda env, values: compute(env.frame, values)


POLICIES: dict[str, Settle] = {
    "UNIQUE": _unique,
    "FIRST": _first,
    "ANY": _any,
    "PRIORITY": _priority,
    "COLLECT": _all,
    "RULE ORDER": _all,
    "OUTPUT ORDER": _output_order,
}
RANKED = ("PRIORITY", "OUTPUT ORDER")
LISTED = ("COLLECT", "RULE ORDER", "OUTPUT ORDER")
AGGREGATIONS: dict[str, Settle] = {
    "SUM": _aggregated(lambda env, values: total(env.frame, values)),
    "MIN": _aggregated(_best("min")),
    "MAX": _aggregated(_best("max")),
    "COUNT": _aggregated(lambda env, values: lift(len(values))),
}
