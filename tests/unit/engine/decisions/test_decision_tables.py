"""Deciding: hit policies, types and what is said when a table cannot decide."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from mpms.domain.errors import ExpressionFailed
from mpms.engine.decisions import DecisionResult, read_decisions

Build = Callable[..., bytes]


def told(result: DecisionResult) -> tuple[object, tuple[str, ...]]:
    return result.outputs, result.rules


ROBOT_ROWS = [
    (["<= 20", '"salt", "sugar"'], ['"small"', "1"]),
    (["(20..150]", "-"], ['"lifter"', "2"]),
    (["> 150", "-"], ['"forklift"', "weight_kg / 100"]),
]
ROBOT = {
    "inputs": ("weight_kg", "order.material"),
    "outputs": ("robot", "trips"),
}
OVERLAP = [(["> 1"], ["10"]), (["> 2"], ["20"]), (["> 3"], ["10"])]


@pytest.mark.parametrize(
    ("weight_kg", "material", "outputs", "rules"),
    [
        (20, "salt", {"robot": "small", "trips": 1}, ("r1",)),
        (20.5, "flour", {"robot": "lifter", "trips": 2}, ("r2",)),
        (150, "salt", {"robot": "lifter", "trips": 2}, ("r2",)),
        (300, "salt", {"robot": "forklift", "trips": 3.0}, ("r3",)),
        (5, "flour", None, ()),
    ],
)
def test_a_table_picks_the_rule_that_holds(
    one_table: Build,
    weight_kg: float,
    material: str,
    outputs: object,
    rules: tuple[str, ...],
) -> None:
    decision = read_decisions(one_table(ROBOT_ROWS, **ROBOT))["pick"]
    result = decision.decide({"weight_kg": weight_kg, "order": {"material": material}})
    assert told(result) == (outputs, rules)
    assert decision.key == "pick"
    assert decision.name == "Pick pick"
    assert decision.hit_policy == "UNIQUE"
    assert decision.names == {"weight_kg", "order"}


def test_unique_refuses_two_rules_that_hold(one_table: Build) -> None:
    decision = read_decisions(one_table(OVERLAP))["pick"]
    assert decision.decide({"x": 2}).outputs == {"y": 10}
    with pytest.raises(
        ExpressionFailed,
        match=r"decision 'pick': .*UNIQUE.* hold: r1 \(row 1\), r2 \(row 2\)$",
    ):
        decision.decide({"x": 3})


def test_first_takes_the_first_and_looks_no_further(one_table: Build) -> None:
    rows = [*OVERLAP, (["-"], ["missing"])]
    decision = read_decisions(one_table(rows, hit_policy="FIRST"))["pick"]
    assert told(decision.decide({"x": 9})) == ({"y": 10}, ("r1",))


def test_any_accepts_rules_that_agree_and_no_others(one_table: Build) -> None:
    rows = [(["> 1"], ["10"]), (["> 2"], ["5 + 5.0"]), (["> 3"], ["11"])]
    decision = read_decisions(one_table(rows, hit_policy="ANY"))["pick"]
    assert told(decision.decide({"x": 3})) == ({"y": 10}, ("r1", "r2"))
    with pytest.raises(
        ExpressionFailed, match=r"disagree: r1 \(row 1\), r2 \(row 2\), r3"
    ):
        decision.decide({"x": 4})


@pytest.mark.parametrize("policy", ["COLLECT", "RULE ORDER"])
def test_collect_and_rule_order_give_all_in_the_order_of_the_rules(
    one_table: Build, policy: str
) -> None:
    decision = read_decisions(one_table(OVERLAP, hit_policy=policy))["pick"]
    assert told(decision.decide({"x": 4})) == (
        [{"y": 10}, {"y": 20}, {"y": 10}],
        ("r1", "r2", "r3"),
    )
    assert told(decision.decide({"x": 0})) == (None, ())


@pytest.mark.parametrize(
    ("aggregation", "expected"), [("SUM", 40), ("MIN", 10), ("MAX", 20), ("COUNT", 3)]
)
def test_collect_aggregates(
    one_table: Build, aggregation: str, expected: object
) -> None:
    xml = one_table(OVERLAP, hit_policy="COLLECT", aggregation=aggregation)
    result = read_decisions(xml)["pick"].decide({"x": 4})
    assert told(result) == ({"y": expected}, ("r1", "r2", "r3"))


def test_a_sum_of_texts_fails_with_its_cause(one_table: Build) -> None:
    xml = one_table([(["-"], ['"a"'])], hit_policy="COLLECT", aggregation="SUM")
    with pytest.raises(ExpressionFailed, match="needs numbers for sum"):
        read_decisions(xml)["pick"].decide({"x": 1})


def test_an_empty_output_is_null_and_a_table_without_inputs_always_holds(
    one_table: Build,
) -> None:
    decision = read_decisions(one_table([([], [""])], inputs=()))["pick"]
    assert told(decision.decide({})) == ({"y": None}, ("r1",))


def test_a_missing_variable_is_named(one_table: Build) -> None:
    decision = read_decisions(one_table(OVERLAP))["pick"]
    with pytest.raises(ExpressionFailed, match=r"'pick': .* knows no variable 'x'"):
        decision.decide({})


def test_an_output_may_use_variables_and_the_clock(one_table: Build) -> None:
    rows = [(["-"], ['"at " + string(now()) + " " + word'])]
    decision = read_decisions(one_table(rows))["pick"]
    result = decision.decide(
        {"x": 1, "word": "ok"}, now=datetime(2026, 3, 1, tzinfo=UTC)
    )
    assert result.outputs == {"y": "at 2026-03-01T00:00:00Z ok"}
    assert decision.names == {"x", "word"}


def test_outputs_share_nothing_with_the_variables(one_table: Build) -> None:
    variables: dict[str, object] = {"x": 1, "rows": [1]}
    result = read_decisions(one_table([(["-"], ["rows"])]))["pick"].decide(variables)
    assert isinstance(result.outputs, dict)
    rows = result.outputs["y"]
    assert isinstance(rows, list)
    rows.append(2)
    assert variables["rows"] == [1]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("string", "a", 1),
        ("boolean", False, 1),
        ("number", 1.5, "1.5"),
        ("double", 1, True),
        ("integer", 2.0, 2.5),
        ("long", 7, "7"),
        ("feel:string", "a", []),
    ],
)
def test_an_input_of_the_wrong_type_is_an_error_not_a_miss(
    one_table: Build, kind: str, good: object, bad: object
) -> None:
    xml = one_table([(["-"], ["1"])], input_types=(kind,))
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": good}).rules == ("r1",)
    assert decision.decide({"x": None}).rules == ("r1",)
    with pytest.raises(ExpressionFailed, match="input 'Input 1' should be"):
        decision.decide({"x": bad})


def test_listed_values_are_the_only_ones(one_table: Build) -> None:
    xml = one_table([(["-"], ["x"])])
    xml = xml.replace(
        b"</inputExpression></input>",
        b'</inputExpression><inputValues id="iv"><text>"a","b"</text></inputValues>'
        b"</input>",
    ).replace(
        b'name="y"/>',
        b'name="y"><outputValues id="ov"><text>"a"</text></outputValues></output>',
    )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": "a"}).outputs == {"y": "a"}
    with pytest.raises(ExpressionFailed, match="input 'Input 1' is 'c', which is not"):
        decision.decide({"x": "c"})
    with pytest.raises(ExpressionFailed, match="output 'y' is 'b', which is not among"):
        decision.decide({"x": "b"})
