"""Decisions as the standard has them: errors are null, boxes, services, imports."""

from typing import Any

import pytest

from mpms.domain.errors import ExpressionFailed, ModelRefused
from mpms.engine.decisions import read_decisions, with_imports
from mpms.engine.decisions.reading import read_file

from .conftest import DMN_1_3, TableText


def logic(text: str) -> str:
    return f"<literalExpression><text>{text}</text></literalExpression>"


def decision(key: str, boxes: str, kind: str = "", extra: str = "") -> str:
    typed = f' typeRef="{kind}"' if kind else ""
    return (
        f'<decision id="{key}" name="The {key}"><variable name="{key}"{typed}/>{extra}'
        f"{boxes}</decision>"
    )


def value(dmn: TableText, boxes: str, kind: str = "", **given: Any) -> Any:
    file = read_file(dmn.file(decision("d", boxes, kind)), standard=True)
    assert file.all_problems == []
    found = file.value_of("d", given)
    return float(found) if type(found).__name__ == "Decimal" else found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unknown", None),
        ("unknown + 1", None),
        ('1 + "a"', None),
        ("1 / 0", None),
        ('[1, 1 / 0, "a" &lt; 2]', [1, None, None]),
        ("nobody(1)", None),
        ("abs(1, 2)", None),
        ('if "a" then 1 else 2', 2),
        ("for x in 1/0 return x", None),
        ("ceiling(1.5, null)", None),
        ("decimal(1/3, 2.5)", 0.33),
        ('{a: 1}["a"]', []),
        ("5 in =5", True),
        ("5 in !=5", False),
        ("5 in (!=4)", True),
        ("(function(f) f(-3))(abs)", 3),
        ('range("[1..3)").end', 3),
        ('3 in range("[1..3)")', False),
        ('range("[3..1]")', None),
        ('5 in range("[1..)")', True),
        ('range("(..2]").start', None),
        ('range("[1..]")', None),
        ("{\U0001f40e: 1}.\U0001f40e", 1),
        (r'"\s"', r"\s"),
        ('time("10:00:00.123456789").second &gt; 0', True),
        ('to json({a: [1, "x", null]})', '{"a":[1,"x",null]}'),
        ('from json("[1]")[1]', 1),
        ('from json("{")', None),
        ('to base64("FEEL")', "RkVFTA=="),
        ("string length(uuid())", 36),
    ],
)
def test_an_error_is_null_where_it_is_and_no_further(
    dmn: TableText, text: str, expected: Any
) -> None:
    assert value(dmn, logic(text)) == expected


def test_what_costs_too_much_is_an_error_all_the_same(dmn: TableText) -> None:
    endless = "for a in 1..9999, b in 1..9999 return a"
    with pytest.raises(ExpressionFailed, match=r"more than .* values"):
        value(dmn, logic(endless))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("[7]", "number", 7),
        ("7", "list", [7]),
        ('"7"', "number", None),
        ('[1, "a"]', "string", None),
    ],
)
def test_values_become_what_their_type_says_or_null(
    dmn: TableText, text: str, kind: str, expected: Any
) -> None:
    assert value(dmn, logic(text), kind) == expected


def box(word: str, **parts: str) -> str:
    name = ' iteratorVariable="i"' if word in ("for", "some", "every") else ""
    inner = "".join(f"<{key}>{logic(text)}</{key}>" for key, text in parts.items())
    return f"<{word}{name}>{inner}</{word}>"


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        (box("conditional", **{"if": "n &gt; 1", "then": "10", "else": "20"}), 10),
        (box("filter", **{"in": "[1, 2, 3]", "match": "item &gt; n"}), [3]),
        (box("filter", **{"in": "[1, 2]", "match": '"odd"'}), None),
        (box("for", **{"in": "[1..n]", "return": "i * count(partial)"}), [0, 2]),
        (box("for", **{"in": "1..n", "return": "i * count(partial)"}), [0, 2]),
        (box("for", **{"in": "n..0", "return": "i"}), [2, 1, 0]),
        (box("for", **{"in": "n..null", "return": "i"}), None),
        (box("every", **{"in": "1..n", "satisfies": "i &lt; n"}), False),
        (box("some", **{"in": "[1, 2]", "satisfies": "i = n"}), True),
        (box("every", **{"in": "[1, 2]", "satisfies": "i = n"}), False),
        (box("some", **{"in": "[1]", "satisfies": "5"}), None),
    ],
)
def test_boxes_around_boxes_are_executed(
    dmn: TableText, boxes: str, expected: Any
) -> None:
    assert value(dmn, boxes, n=2) == expected


SERVICE = (
    '<inputData id="in" name="n"/>'
    + decision(
        "base",
        logic("n * 2"),
        extra="<informationRequirement><requiredInput "
        'href="#in"/></informationRequirement>',
    )
    + decision(
        "out",
        logic("base + 1"),
        extra="<informationRequirement>"
        '<requiredDecision href="#base"/></informationRequirement>',
    )
    + '<decisionService id="ds" name="Whole"><outputDecision href="#out"/>'
    '<encapsulatedDecision href="#base"/><inputData href="#in"/></decisionService>'
    + '<decisionService id="ds2" name="Late"><outputDecision href="#out"/>'
    '<inputDecision href="#base"/></decisionService>'
    + decision(
        "use",
        logic("Whole(5) + Late(1)"),
        extra="<knowledgeRequirement>"
        '<requiredKnowledge href="#ds"/></knowledgeRequirement><knowledgeRequirement>'
        '<requiredKnowledge href="#ds2"/></knowledgeRequirement>',
    )
)


def test_a_service_is_some_decisions_under_one_name(dmn: TableText) -> None:
    file = read_file(dmn.file(SERVICE))
    assert file.all_problems == []
    assert file.value_of("Whole", {"n": 5}) == 11
    assert file.value_of("Late", {"base": 1}) == 2
    assert file.value_of("use", {}) == 13
    with pytest.raises(ModelRefused, match="no decision 'Nobody'"):
        file.value_of("Nobody", {})


def test_a_reference_may_name_the_file_it_stands_in(dmn: TableText) -> None:
    own = SERVICE.replace('href="#base"', 'href="http://example.test/dmn#base"')
    file = read_file(dmn.file(own))
    assert file.all_problems == []
    assert file.value_of("out", {"n": 5}) == 11


def test_an_imported_decision_reads_what_is_given_under_its_file_s_name(
    dmn: TableText,
) -> None:
    library = dmn.file(SERVICE).replace(b"http://example.test/dmn", b"urn:library")
    user = dmn.file(
        f'<import namespace="urn:library" name="lib" importType="{DMN_1_3}"/>'
        + decision(
            "d",
            logic("lib.base + 1"),
            extra="<informationRequirement><requiredDecision "
            'href="urn:library#base"/></informationRequirement>',
        )
    )
    file = read_file(user, imports=[library])
    assert file.all_problems == []
    assert file.value_of("d", {"lib": {"n": 5}}) == 11


def test_functions_and_types_of_an_imported_file_have_its_name(dmn: TableText) -> None:
    library = dmn.file(
        '<itemDefinition name="tWeight"><typeRef>number</typeRef></itemDefinition>'
        '<businessKnowledgeModel id="b" name="in tons"><encapsulatedLogic>'
        '<formalParameter name="kg" typeRef="tWeight"/>'
        + logic("kg / 1000")
        + "</encapsulatedLogic></businessKnowledgeModel>"
    ).replace(b"http://example.test/dmn", b"urn:library")
    user = dmn.file(
        f'<import namespace="urn:library" name="lib" importType="{DMN_1_3}"/>'
        '<inputData id="i" name="weight"><variable name="weight" typeRef="lib.tWeight"'
        "/></inputData>"
        + decision(
            "d",
            logic("lib.in tons(weight)"),
            extra="<informationRequirement>"
            '<requiredInput href="#i"/></informationRequirement><knowledgeRequirement>'
            '<requiredKnowledge href="urn:library#b"/></knowledgeRequirement>',
        )
    )
    file = read_file(user, imports=[library])
    assert file.all_problems == []
    assert file.value_of("d", {"weight": 500}) == file.value_of("d", {"weight": 500})
    assert float(file.value_of("d", {"weight": 500})) == 0.5
    with pytest.raises(ExpressionFailed, match="should be"):
        file.value_of("d", {"weight": "much"})
    with pytest.raises(ModelRefused, match="deploy both together"):
        read_decisions(user)
    together = with_imports({"user.dmn": user, "library.dmn": library})
    assert together["library.dmn"] == library
    again = with_imports({**together, "other.dmn": b"no file"})["user.dmn"]
    for xml in (together["user.dmn"], again):
        assert read_decisions(xml)["d"].decide({"weight": 500}).value == 0.5


def test_the_feel_of_a_file_drawn_for_camunda_8_is_the_standards(
    dmn: TableText,
) -> None:
    plain = dmn.file(decision("d", logic("lacking + 1")))
    drawn = plain.replace(
        b"<definitions ",
        b'<definitions xmlns:modeler="http://camunda.org/schema/modeler/1.0"'
        b' modeler:executionPlatform="Camunda Cloud" ',
    )
    assert read_decisions(drawn)["d"].decide({}).value is None
    for xml, standard in ((plain, None), (drawn, False)):
        with pytest.raises(ExpressionFailed, match="lacking"):
            read_decisions(xml, standard=standard)["d"].decide({})
