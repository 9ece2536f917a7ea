"""Decisions that need each other, functions of a file, and logic in boxes."""

from collections.abc import Callable
from typing import Any, Protocol

import pytest

from mpms.domain.errors import ExpressionFailed, ModelRefused
from mpms.engine.decisions import (
    Decision,
    check_decisions,
    read_decisions,
    refused_decisions,
)


class TableText(Protocol):
    def table(self, rows: object, **options: object) -> str: ...
    def file(self, *decisions: str, namespace: str = ...) -> bytes: ...


def needs(*decisions: str, inputs: tuple[str, ...] = (), known: str = "") -> str:
    text = "".join(
        f'<informationRequirement><requiredDecision href="{key}"/>'
        "</informationRequirement>"
        for key in (key if "#" in key else f"#{key}" for key in decisions)
    )
    text += "".join(
        f'<informationRequirement><requiredInput href="#{key}"/>'
        "</informationRequirement>"
        for key in inputs
    )
    if known:
        text += (
            f'<knowledgeRequirement><requiredKnowledge href="#{known}"/>'
            "</knowledgeRequirement>"
        )
    return text


def literal(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<literalExpression><text>{escaped}</text></literalExpression>"


def decision(key: str, logic: str, requires: str = "", variable: str = "") -> str:
    named = f'<variable name="{variable}"/>' if variable else ""
    return f'<decision id="{key}" name="The {key}">{named}{requires}{logic}</decision>'


def decided(xml: bytes, key: str, /, **variables: Any) -> Any:
    return read_decisions(xml)[key].decide(variables).value


def test_a_literal_expression_decides(dmn: TableText) -> None:
    xml = dmn.file(decision("fee", literal("amount * 0.1"), variable="the fee"))
    result = read_decisions(xml)["fee"].decide({"amount": 3})
    assert result.outputs == {"the fee": 0.3}
    assert result.value == 0.3
    assert result.rules == ()
    assert result.fired == ()


def test_required_decisions_are_made_first_and_once(dmn: TableText) -> None:
    size = dmn.table(
        [(["<= 10"], ['"small"']), (["> 10"], ['"large"'])], key="size", outputs=("s",)
    )
    robot = dmn.table(
        [(['"small"', "-"], ["1"]), (['"large"', "-"], ["2"])],
        key="robot",
        inputs=("size", "fee"),
        outputs=("r",),
        extra=needs("size", "fee"),
    )
    fee = decision("fee", literal('if size = "large" then 5 else 1'), needs("size"))
    result = read_decisions(dmn.file(robot, fee, size))["robot"].decide({"x": 12})
    assert result.value == 2
    assert result.rules == ("r2",)
    assert result.fired == (("size", ("r2",)), ("robot", ("r2",)))


def test_a_result_is_found_by_name_by_id_and_by_its_outputs(dmn: TableText) -> None:
    one = dmn.table([(["-"], ["1", "2"])], key="one", outputs=("a", "b")).replace(
        'name="Pick one">', 'name="Number one"><variable name="the one"/>'
    )
    for text in ("the one.b", "Number one.b", "one.b", "b", "a + 1"):
        xml = dmn.file(one, decision("two", literal(text), needs("one")))
        assert decided(xml, "two", x=0) == 2, text


def test_a_result_hides_a_variable_of_the_same_name(dmn: TableText) -> None:
    xml = dmn.file(
        decision("size", literal("5")), decision("two", literal("size"), needs("size"))
    )
    assert decided(xml, "two", size=9) == 5
    unrelated = dmn.file(
        decision("size", literal("5")), decision("two", literal("size"))
    )
    assert decided(unrelated, "two", size=9) == 9


def test_dates_stay_dates_between_decisions(dmn: TableText) -> None:
    xml = dmn.file(
        decision("due", literal('date(ordered) + @"P3D"')),
        decision("late", literal('due > @"2026-02-01"'), needs("due")),
    )
    assert decided(xml, "late", ordered="2026-01-31") is True
    assert decided(xml, "due", ordered="2026-01-31") == "2026-02-03"


def test_rows_of_a_required_table_come_as_a_list(dmn: TableText) -> None:
    rows = [(["> 0"], ["10"]), (["> 1"], ["20"])]
    all_ = dmn.table(rows, key="all", hit_policy="COLLECT")
    xml = dmn.file(
        all_, decision("total", literal("sum(all) + count(y)"), needs("all"))
    )
    assert decided(xml, "total", x=2) == 32


def test_a_circle_is_refused_with_its_way(dmn: TableText) -> None:
    xml = dmn.file(
        decision("a", literal("b"), needs("b")),
        decision("b", literal("c"), needs("c")),
        decision("c", literal("b"), needs("b")),
    )
    found = check_decisions(xml)[0]
    assert (found.element, found.name) == ("b", "The b")
    assert found.reason == "requires itself: b -> c -> b"
    assert {p.element for p in check_decisions(xml)} == {"a", "b", "c"}
    with pytest.raises(ModelRefused):
        read_decisions(xml)


def test_a_decision_of_another_file_is_asked_for(dmn: TableText) -> None:
    here = dmn.file(decision("two", literal("one + 1"), needs("http://other#one")))
    there = read_decisions(dmn.file(decision("one", literal("x * 10"))))
    two = read_decisions(here)["two"]
    assert two.decide({"x": 4}, others=there.get).value == 41
    with pytest.raises(ExpressionFailed, match="requires the decision 'one', which"):
        two.decide({"x": 4}, others=lambda _: None)
    with pytest.raises(ExpressionFailed, match="requires the decision 'one', which"):
        two.decide({"x": 4})


def test_an_imported_file_is_known_by_its_name(dmn: TableText) -> None:
    namespace = "https://www.omg.org/spec/DMN/20191111/MODEL/"
    here = dmn.file(
        f'<import name="base" namespace="http://other" importType="{namespace}"/>',
        decision("two", literal("base.one + 1"), needs("http://other#one")),
    )
    there = read_decisions(dmn.file(decision("one", literal("3"))))
    assert read_decisions(here)["two"].decide({}, others=there.get).value == 4


def test_a_circle_over_two_files_is_an_error_and_no_loop(dmn: TableText) -> None:
    found: dict[str, Decision] = {}
    for key, other in (("one", "two"), ("two", "one")):
        xml = dmn.file(decision(key, literal(other), needs(f"http://x#{other}")))
        found |= read_decisions(xml)
    with pytest.raises(ExpressionFailed, match="in a circle: one -> two -> one"):
        found["one"].decide({}, others=found.get)


def test_a_failure_names_the_way_to_it(dmn: TableText) -> None:
    xml = dmn.file(
        decision("one", literal("unheard + 1")),
        decision("two", literal("one"), needs("one")),
    )
    with pytest.raises(
        ExpressionFailed,
        match=r"'two': required decision 'one': .* knows no variable 'unheard'",
    ):
        decided(xml, "two")


INPUT = '<inputData id="kg" name="Load kg"><variable name="Load-kg" {}/></inputData>'


def test_a_missing_input_is_named(dmn: TableText) -> None:
    xml = dmn.file(
        INPUT.format(""), decision("two", literal("Load-kg * 2"), needs(inputs=("kg",)))
    )
    assert read_decisions(xml)["two"].decide({"Load-kg": 4}).value == 8
    with pytest.raises(ExpressionFailed, match="needs the input 'Load-kg', which no"):
        decided(xml, "two")


def test_the_type_of_an_input_is_honoured(dmn: TableText) -> None:
    xml = dmn.file(
        INPUT.format('typeRef="date"').replace("Load-kg", "due"),
        decision("two", literal("due.year"), needs(inputs=("kg",))),
    )
    assert decided(xml, "two", due="2026-01-31") == 2026
    with pytest.raises(ExpressionFailed, match="input 'due' should be a date"):
        decided(xml, "two", due="soon")


# -- functions ------------------------------------------------------------------------

FUNCTION = (
    '<businessKnowledgeModel id="bkm" name="net price"><encapsulatedLogic>'
    '<formalParameter name="price" typeRef="number"/><formalParameter name="tax"/>'
    "{}</encapsulatedLogic>{}</businessKnowledgeModel>"
)


def test_a_business_knowledge_model_is_a_function(dmn: TableText) -> None:
    function = FUNCTION.format(literal("price / (1 + tax)"), "")
    call = decision("pay", literal("net price(12, 0.2)"), needs(known="bkm"))
    assert decided(dmn.file(function, call), "pay") == 10
    named = decision(
        "pay", literal("net price(tax: 0.2, price: 12)"), needs(known="bkm")
    )
    assert decided(dmn.file(function, named), "pay") == 10
    bad = decision("pay", literal('net price("12", 0.2)'), needs(known="bkm"))
    with pytest.raises(ExpressionFailed, match="parameter 'price' should be a number"):
        decided(dmn.file(function, bad), "pay")


def test_a_function_that_is_not_required_is_not_known(dmn: TableText) -> None:
    function = FUNCTION.format(literal("price"), "")
    xml = dmn.file(function, decision("pay", literal("net price(12, 0.2)")))
    with pytest.raises(ExpressionFailed, match="knows no variable 'net price'"):
        decided(xml, "pay")


def test_a_function_may_need_another_and_hold_a_table(dmn: TableText) -> None:
    outer = FUNCTION.format(literal("double(price) + tax"), needs(known="two"))
    table = dmn.table([(["-"], ["n * 2"])], inputs=("n",), outputs=("d",))
    inner = table[table.index("<decisionTable") : table.index("</decision>")]
    double = (
        '<businessKnowledgeModel id="two" name="double"><encapsulatedLogic>'
        f'<formalParameter name="n"/>{inner}</encapsulatedLogic>'
        "</businessKnowledgeModel>"
    )
    call = decision("pay", literal("net price(4, 1)"), needs(known="bkm"))
    assert decided(dmn.file(outer, double, call), "pay") == 9


def test_a_function_named_like_a_built_in_one_is_refused(dmn: TableText) -> None:
    function = FUNCTION.format(literal("1"), "").replace("net price", "count")
    xml = dmn.file(function, decision("pay", literal("1")))
    assert "built-in function" in refused_decisions(xml)[0].reason


def test_an_invocation_binds_by_name(dmn: TableText) -> None:
    function = FUNCTION.format(literal("price * tax"), "")
    binding = '<binding><parameter name="{}"/>{}</binding>'
    boxed = (
        "<invocation><literalExpression><text>net price</text></literalExpression>"
        + binding.format("tax", literal("2"))
        + binding.format("price", literal("x"))
        + "</invocation>"
    )
    xml = dmn.file(function, decision("pay", boxed, needs(known="bkm")))
    assert decided(xml, "pay", x=5) == 10
    short = boxed.replace(binding.format("tax", literal("2")), "")
    with pytest.raises(ExpressionFailed, match="it takes price, tax"):
        decided(
            dmn.file(function, decision("pay", short, needs(known="bkm"))), "pay", x=5
        )


# -- boxes ------------------------------------------------------------------

ENTRY = '<contextEntry><variable name="{}"/>{}</contextEntry>'


def test_a_boxed_context_gives_its_entries_or_its_result(dmn: TableText) -> None:
    entries = ENTRY.format("a", literal("x")) + ENTRY.format("b", literal("a + 1"))
    xml = dmn.file(decision("c", f"<context>{entries}</context>"))
    assert decided(xml, "c", x=1) == {"a": 1, "b": 2}
    assert read_decisions(xml)["c"].names == {"x"}
    result = f"<contextEntry>{literal('a * b')}</contextEntry>"
    xml = dmn.file(decision("c", f"<context>{entries}{result}</context>"))
    assert decided(xml, "c", x=3) == 12


def test_a_boxed_context_may_hold_a_function(dmn: TableText) -> None:
    function = (
        '<functionDefinition><formalParameter name="n"/>'
        f"{literal('n + x')}</functionDefinition>"
    )
    entries = ENTRY.format("add", function)
    result = f"<contextEntry>{literal('add(10)')}</contextEntry>"
    xml = dmn.file(decision("c", f"<context>{entries}{result}</context>"))
    assert decided(xml, "c", x=3) == 13


def test_lists_and_relations_are_lists(dmn: TableText) -> None:
    boxed = f"<list>{literal('1')}{literal('x')}</list>"
    assert decided(dmn.file(decision("c", boxed)), "c", x=2) == [1, 2]
    relation = (
        '<relation><column name="name"/><column name="kg"/>'
        "<row>" + literal('"Salz"') + literal("x") + "</row>"
        "<row>" + literal('"Mehl"') + literal("25") + "</row></relation>"
    )
    xml = dmn.file(
        decision("materials", relation),
        decision("heavy", literal("materials[kg > 20].name"), needs("materials")),
    )
    assert decided(xml, "materials", x=1)[0] == {"name": "Salz", "kg": 1}
    assert decided(xml, "heavy", x=1) == ["Mehl"]
    narrow = relation.replace(literal("25"), "")
    (found,) = check_decisions(dmn.file(decision("materials", narrow)))
    assert "row 2 of the relation has 1 cells for 2 columns" in found.reason


def test_boxes_in_boxes_end_somewhere(dmn: TableText) -> None:
    deep = "<list>" * 40 + literal("1") + "</list>" * 40
    assert "nested" in check_decisions(dmn.file(decision("c", deep)))[0].reason


def test_the_type_of_a_result_is_checked(dmn: TableText) -> None:
    typed = decision("c", literal("x"), variable="n").replace(
        'name="n"', 'name="n" typeRef="number"'
    )
    assert decided(dmn.file(typed), "c", x=1) == 1
    with pytest.raises(ExpressionFailed, match="'n' should be a number, but is 'one'"):
        decided(dmn.file(typed), "c", x="one")


def test_names_with_signs_are_known_from_the_file(dmn: TableText) -> None:
    xml = dmn.file(
        decision("a", literal("1"), variable="pre-order"),
        decision("b", literal("pre-order + 1"), needs("a")),
    )
    assert decided(xml, "b") == 2


@pytest.fixture
def chain(dmn: TableText) -> Callable[[int], bytes]:
    def build(length: int) -> bytes:
        parts = [decision("d0", literal("1"))]
        for n in range(1, length):
            parts.append(
                decision(f"d{n}", literal(f"d{n - 1} + 1"), needs(f"d{n - 1}"))
            )
        return dmn.file(*parts)

    return build


def test_a_long_chain_of_decisions_is_made_or_refused(
    chain: Callable[[int], bytes],
) -> None:
    assert decided(chain(20), "d19") == 20
    with pytest.raises(ExpressionFailed, match="levels deep"):
        decided(chain(200), "d199")
