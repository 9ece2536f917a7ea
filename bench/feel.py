"""Cost of FEEL: expressions as conditions and mappings have them, and a decision table.

Needs nothing but the engine. The last line is one JSON object: evaluations of compiled
expressions a second, and decisions a second of a table with 100 rules of which the last
holds. Each figure is the best of several rounds, since the machine may be shared.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mpms.engine.decisions import read_decisions  # noqa: E402
from mpms.engine.feel import compile_feel  # noqa: E402

ROUNDS = 5
ROUND_S = 0.4
NOW = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
ORDER: dict[str, Any] = {
    "weight": 12.5,
    "limit": 10,
    "customer": {"name": "Ada", "country": "DE"},
    "items": [{"material": f"M{n}", "kg": n * 1.5} for n in range(10)],
    "due": "2026-01-31",
    "priority": "high",
}
EXPRESSIONS = (
    'weight > limit and priority = "high"',
    'if customer.country in ("DE", "AT") then "domestic" else "export"',
    "sum(items.kg) * 1.19",
    "items[kg > 6].material",
    "for i in items return i.kg / 2",
    'date(due) - date("2026-01-05") > @"P7D"',
    "{name: upper case(customer.name), heavy: some i in items satisfies i.kg > 10}",
)
RULES = 100


def per_second(work: Callable[[], int]) -> float:
    """Calls of what ``work`` counts, in the best of the rounds."""
    work()
    best = 0.0
    for _ in range(ROUNDS):
        done, began = 0, time.perf_counter()
        while (spent := time.perf_counter() - began) < ROUND_S:
            done += work()
        best = max(best, done / spent)
    return best


def evaluations() -> int:
    for compiled in COMPILED:
        compiled.evaluate(ORDER, now=NOW)
    return len(COMPILED)


def table() -> bytes:
    """Two inputs and one output; rule n holds for the class n and a weight above n."""
    rules = "".join(
        f'<rule id="r{n}"><inputEntry id="a{n}"><text>"class {n}"</text></inputEntry>'
        f'<inputEntry id="b{n}"><text>&gt;= {n}</text></inputEntry>'
        f'<outputEntry id="c{n}"><text>{n} * 2</text></outputEntry></rule>'
        for n in range(RULES)
    )
    return (
        '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" '
        'name="d" namespace="urn:bench"><decision id="fee" name="Fee">'
        '<decisionTable id="t" hitPolicy="UNIQUE">'
        '<input id="i1"><inputExpression id="e1"><text>class</text></inputExpression>'
        '</input><input id="i2"><inputExpression id="e2"><text>weight</text>'
        '</inputExpression></input><output id="o" name="fee"/>'
        f"{rules}</decisionTable></decision></definitions>"
    ).encode()


COMPILED = [compile_feel(text) for text in EXPRESSIONS]
DECISION = read_decisions(table())["fee"]
ASKED = {"class": f"class {RULES - 1}", "weight": 500}


def decisions() -> int:
    found = DECISION.decide(ASKED, now=NOW)
    assert found.value == (RULES - 1) * 2, found
    return 1


def main() -> None:
    figures = {
        "evaluations_per_s": round(per_second(evaluations)),
        "decision_table_100_rules_per_s": round(per_second(decisions)),
    }
    print(f"{len(COMPILED)} expressions, evaluated one after the other")
    print(f"a table of {RULES} rules and two inputs; the last rule holds")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
