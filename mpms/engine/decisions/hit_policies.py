"""What the rules that fired together amount to.

UNIQUE and ANY are promises of the author about the table; they are checked, because
a broken promise taken as FIRST decides wrongly without a word.
"""

from collections.abc import Callable, Sequence

from mpms.domain.errors import ExpressionFailed

from ..expressions import compile_expression

Outputs = dict[str, object]
Hit = tuple[str, Outputs]  # id of the rule, its outputs
Settle = Callable[[Sequence[Hit]], Outputs | list[Outputs]]

REFUSED = ("PRIORITY", "OUTPUT ORDER")


def _ids(hits: Sequence[Hit]) -> str:
    return ", ".join(rule for rule, _ in hits)


def _unique(hits: Sequence[Hit]) -> Outputs:
    if len(hits) > 1:
        raise ExpressionFailed(
            f"the hit policy is UNIQUE, but several rules hold: {_ids(hits)}"
        )
    return hits[0][1]


def _any(hits: Sequence[Hit]) -> Outputs:
    agree = compile_expression("a == b")
    for _, outputs in hits[1:]:
        if not agree.holds({"a": hits[0][1], "b": outputs}):
            raise ExpressionFailed(
                f"the hit policy is ANY, but the rules disagree: {_ids(hits)}"
            )
    return hits[0][1]


def _first(hits: Sequence[Hit]) -> Outputs:
    return hits[0][1]


def _all(hits: Sequence[Hit]) -> list[Outputs]:
    return [outputs for _, outputs in hits]


def _aggregated(formula: str) -> Settle:
    compiled = compile_expression(formula)

    def settle(hits: Sequence[Hit]) -> Outputs:
        (name,) = hits[0][1]
        values = [outputs[name] for _, outputs in hits]
        return {name: compiled.evaluate({"values": values})}

    return settle


POLICIES: dict[str, Settle] = {
    "UNIQUE": _unique,
    "FIRST": _first,
    "ANY": _any,
    "COLLECT": _all,
    "RULE ORDER": _all,
}
AGGREGATIONS: dict[str, Settle] = {
    "SUM": _aggregated("sum(values)"),
    "MIN": _aggregated("min(values)"),
    "MAX": _aggregated("max(values)"),
    "COUNT": _aggregated("len(values)"),
}
