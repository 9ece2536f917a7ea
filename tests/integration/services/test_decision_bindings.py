"""A model says which version of a decision it means: latest, its own, or a number."""

from __future__ import annotations

import pytest

from tests.support.bench import Bench
from tests.support.drawings import draw

ENDS = '<startEvent id="begin"/><endEvent id="end"/>'
RULE = (
    '<businessRuleTask id="rule" camunda:decisionRef="rate"'
    ' camunda:mapDecisionResult="singleEntry" camunda:resultVariable="rate" {}/>'
)
TABLE = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="rates"
 name="rates" namespace="urn:test"><decision id="rate" name="Rate"><decisionTable>
 <output id="o" name="rate"/><rule id="r"><outputEntry id="e"><text>{}</text>
 </outputEntry></rule></decisionTable></decision></definitions>"""


def rated(binding: str) -> dict[str, bytes]:
    return draw("rated", ENDS + RULE.format(binding), "begin rule", "rule end")


@pytest.mark.parametrize(
    ("binding", "used"),
    [
        ("", 3),
        ('camunda:decisionRefBinding="latest"', 3),
        ('camunda:decisionRefBinding="deployment"', 2),
        ('camunda:decisionRefBinding="version" camunda:decisionRefVersion="1"', 1),
    ],
)
@pytest.mark.covers("A3")
def test_the_version_that_is_bound_decides(
    bench: Bench, binding: str, used: int
) -> None:
    bench.deploy_files({"rate.dmn": TABLE.format(1).encode()})
    bench.deploy_files({"rate.dmn": TABLE.format(2).encode(), **rated(binding)})
    bench.deploy_files({"rate.dmn": TABLE.format(3).encode()})
    assert bench.variables(bench.start("rated"))["rate"] == used


def test_a_version_that_is_not_there_is_named(bench: Bench) -> None:
    bench.deploy_files({"rate.dmn": TABLE.format(1).encode()})
    bound = 'camunda:decisionRefBinding="version" camunda:decisionRefVersion="7"'
    bench.deploy_files(rated(bound))
    bench.start("rated")
    ((why,),) = bench.rows("SELECT message FROM incidents")
    assert "No decision 'rate' is deployed in version 7." in why
