"""Reading DMN files: which are taken, and what is said about the others."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpms.domain.errors import ModelRefused
from mpms.domain.models.definitions import Problem
from mpms.engine.decisions import check_decisions, read_decisions, refused_decisions

ROWS = [(["> 1"], ["10"])]
Build = Callable[..., bytes]


class TableText(Protocol):
    def table(self, rows: object, **options: object) -> str: ...
    def file(self, *decisions: str, namespace: str = ...) -> bytes: ...


@pytest.mark.parametrize(
    "namespace",
    [
        "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
        "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",
        "http://www.omg.org/spec/DMN/20180521/MODEL/",
        "https://www.omg.org/spec/DMN/20191111/MODEL/",
        "https://www.omg.org/spec/DMN/20211108/MODEL/",
        "https://www.omg.org/spec/DMN/20230324/MODEL/",
    ],
)
def test_every_version_of_dmn_is_read(dmn: TableText, namespace: str) -> None:
    xml = dmn.file(dmn.table(ROWS), namespace=namespace)
    assert check_decisions(xml) == []
    assert read_decisions(xml)["pick"].decide({"x": 2}).outputs == {"y": 10}


def test_a_file_may_hold_several_decisions(dmn: TableText) -> None:
    xml = dmn.file(dmn.table(ROWS, key="one"), dmn.table(ROWS, key="two"))
    assert list(read_decisions(xml)) == ["one", "two"]


def test_what_only_draws_or_explains_is_passed_over(dmn: TableText) -> None:
    table = dmn.table(
        ROWS,
        extra='<description>why</description><variable id="v" name="z"/>'
        '<informationRequirement id="ir"><requiredInput href="#data"/>'
        '</informationRequirement><authorityRequirement id="ar">'
        '<requiredAuthority href="#ks"/></authorityRequirement>',
    ).replace(
        "</rule>",
        "<annotationEntry><text>because</text></annotationEntry></rule>",
    )
    xml = dmn.file(
        '<inputData id="data" name="x"/><knowledgeSource id="ks"/>',
        "<!-- a comment --><?a processing instruction?>",
        table,
        '<dmndi:DMNDI xmlns:dmndi="https://www.omg.org/spec/DMN/20191111/DMNDI/"/>',
    )
    assert check_decisions(xml) == []


def test_a_single_output_without_name_takes_that_of_the_decision(
    one_table: Build, dmn: TableText
) -> None:
    xml = one_table(ROWS).replace(b' name="y"', b"")
    assert read_decisions(xml)["pick"].decide({"x": 2}).outputs == {"pick": 10}
    table = dmn.table(ROWS, extra='<variable name="z"/>').replace(' name="y"', "")
    result = read_decisions(dmn.file(table))["pick"].decide({"x": 2})
    assert result.outputs == {"z": 10}


def test_outputs_have_any_name_and_decisions_need_no_id(
    one_table: Build, dmn: TableText
) -> None:
    xml = one_table(ROWS).replace(b'name="y"', b'name="Approved/Declined - now"')
    made = read_decisions(xml.replace(b' id="pick" name="Pick pick"', b' name="Pick"'))
    assert made["Pick"].decide({"x": 2}).outputs == {"Approved/Declined - now": 10}


def problem(xml: bytes) -> Problem:
    (found,) = check_decisions(xml)
    with pytest.raises(ModelRefused) as refusal:
        read_decisions(xml)
    assert found.reason in str(refusal.value)
    return found


@pytest.mark.parametrize("policy", ["PRIORITY", "OUTPUT ORDER", "LUCKY"])
def test_a_hit_policy_that_is_unknown_or_cannot_rank_is_refused_by_name(
    one_table: Build, policy: str
) -> None:
    found = problem(one_table(ROWS, hit_policy=policy))
    assert found.element == "pick_table"
    assert policy in found.reason


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"hit_policy": "FIRST", "aggregation": "SUM"}, "FIRST cannot aggregate"),
        ({"aggregation": "SUM"}, "UNIQUE cannot aggregate"),
        ({"hit_policy": "COLLECT", "aggregation": "AVG"}, "no aggregation 'AVG'"),
    ],
)
def test_an_impossible_aggregation_is_refused(
    one_table: Build, options: dict[str, object], reason: str
) -> None:
    found = problem(one_table(ROWS, **options))
    assert found.element == "pick_table"
    assert reason in found.reason


def test_an_aggregation_of_two_outputs_is_refused(one_table: Build) -> None:
    rows = [(["-"], ["1", "2"])]
    xml = one_table(rows, outputs=("a", "b"), hit_policy="COLLECT", aggregation="SUM")
    assert "SUM needs one output, not 2" in problem(xml).reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<literalExpression><text>1 +</text></literalExpression>", "is expected"),
        ("<literalExpression><text/></literalExpression>", "is empty"),
        (
            "<literalExpression><importedValues/></literalExpression>",
            "imported values are not supported",
        ),
        ('<invocation id="i"/>', "names no function"),
        ("<functionDefinition/>", "the function has no expression"),
        ('<functionDefinition kind="Java"/>', "a function in Java is not supported"),
        ("<conditional/>", "the boxed conditional has no expression for 'if'"),
        ("<context><contextEntry/></context>", "has no expression"),
        ("<list><filter/></list>", "the boxed filter has no expression for 'in'"),
        ("<somethingNew/>", "somethingNew is not supported"),
        ("", "has no decision table or expression"),
    ],
)
def test_logic_that_cannot_be_executed_is_refused_with_its_element(
    dmn: TableText, content: str, reason: str
) -> None:
    xml = dmn.file(f'<decision id="d1" name="Fee">{content}</decision>')
    found = problem(xml)
    assert (found.element, found.name) == ("d1", "Fee")
    assert reason in found.reason


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        (
            '<informationRequirement><requiredDecision href="#d"/>'
            "</informationRequirement>",
            "the required decision 'd' is not in the file",
        ),
        (
            '<informationRequirement><requiredInput href="#d"/>'
            "</informationRequirement>",
            "the required input 'd' is not in the file",
        ),
        (
            '<knowledgeRequirement><requiredKnowledge href="#b"/>'
            "</knowledgeRequirement>",
            "the required knowledge 'b' is no business knowledge model of the file",
        ),
    ],
)
def test_a_requirement_that_leads_nowhere_is_refused(
    dmn: TableText, requirement: str, reason: str
) -> None:
    found = problem(dmn.file(dmn.table(ROWS, extra=requirement)))
    assert found == Problem("pick", "Pick pick", reason)


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("decisionService", "the decision service has no id or no output decision"),
        ("businessKnowledgeModel", "has no id or no function"),
    ],
)
def test_one_bad_part_is_refused_and_the_decisions_that_do_not_need_it_run(
    dmn: TableText, tag: str, reason: str
) -> None:
    xml = dmn.file(dmn.table(ROWS), f'<{tag} id="t" name="n"/>')
    assert check_decisions(xml) == []
    (found,) = refused_decisions(xml)
    assert (found.element, found.name) == ("t", "n")
    assert reason in found.reason
    assert read_decisions(xml)["pick"].decide({"x": 2}).value == 10


def test_one_bad_decision_refuses_itself_and_what_requires_it(dmn: TableText) -> None:
    def needing(key: str, of: str, text: str) -> str:
        return (
            f'<decision id="{key}" name="The {key}"><informationRequirement>'
            f'<requiredDecision href="#{of}"/></informationRequirement>'
            f"<literalExpression><text>{text}</text></literalExpression></decision>"
        )

    bad = dmn.table([(["-"], ["1 +"])], key="bad")
    xml = dmn.file(
        dmn.table(ROWS),
        bad,
        needing("second", "bad", "y"),
        needing("third", "pick", "y"),
    )
    assert check_decisions(xml) == []
    assert sorted(read_decisions(xml)) == ["pick", "third"]
    reasons = {p.element: p.reason for p in refused_decisions(xml)}
    assert "a value is expected" in reasons["outputEntry1_1"]
    assert reasons["second"] == "requires 'Pick bad', which is refused"


def test_an_import_of_something_else_is_refused(dmn: TableText) -> None:
    found = problem(dmn.file(dmn.table(ROWS), '<import id="t" name="n"/>'))
    assert (found.element, found.name) == ("t", "n")
    assert "an import of 'nothing' is not supported" in found.reason


@pytest.mark.parametrize(
    ("before", "after", "element", "reason"),
    [
        (b"<text>x</text>", b"<text>x +</text>", "inx1", "a value is expected"),
        (b"<text>x</text>", b"<text></text>", "inx1", "is empty"),
        (b"&gt; 1", b"gold", "inputEntry1_1", "quote it if it is a text"),
        (b"&gt; 1", b"&gt; 1 +", "inputEntry1_1", "a value is expected"),
        (b"<text>10</text>", b"<text>ten()</text>", "outputEntry1_1", "no function"),
        (b'"inx1"', b'"inx1" expressionLanguage="groovy"', "inx1", "'groovy'"),
        (b'name="y"', b'name="y" typeRef="tThing"', "out1", "type 'tThing'"),
        (
            b'name="y"/>',
            b'name="y"><defaultOutputEntry><text>1 +</text></defaultOutputEntry>'
            b"</output>",
            "out1",
            "a value is expected",
        ),
        (b"<decisionTable", b"<decisionTable expressionLanguage='js'", None, "'js'"),
    ],
)
def test_a_broken_part_is_named_with_its_reason(
    one_table: Build, before: bytes, after: bytes, element: str | None, reason: str
) -> None:
    xml = one_table(ROWS)
    assert before in xml
    found = problem(xml.replace(before, after))
    if element is not None:
        assert found.element == element
    assert reason in found.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((["-"], []), "rule 1 has 0 output entries for 1 outputs"),
        ((["-", "-"], ["1"]), "rule 1 has 2 input entries for 1 inputs"),
    ],
)
def test_a_rule_of_another_width_is_refused(
    one_table: Build, row: tuple[list[str], list[str]], reason: str
) -> None:
    found = problem(one_table([row]))
    assert found.element == "r1"
    assert reason in found.reason


def test_every_problem_of_a_file_is_listed(dmn: TableText) -> None:
    xml = dmn.file(
        dmn.table([(["gold", "-"], ["1 +"])], hit_policy="PRIORITY"),
        '<decision id="d2" name="Two"><filter/></decision>',
    )
    found = check_decisions(xml)
    assert [entry.element for entry in found] == [
        "r1",
        "outputEntry1_1",
        "pick_table",
        "inputEntry1_1",
        "d2",
    ]


def test_an_id_or_output_that_is_there_twice_is_refused(
    dmn: TableText, one_table: Build
) -> None:
    twice = dmn.file(dmn.table(ROWS), dmn.table(ROWS))
    assert "the id 'pick' is there twice" in problem(twice).reason
    outputs = one_table([(["-"], ["1", "2"])], outputs=("a", "a"))
    assert "the output name 'a' is there twice" in problem(outputs).reason


def test_a_table_without_outputs_is_refused(one_table: Build) -> None:
    assert "no output" in problem(one_table([(["-"], [])], outputs=())).reason


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (b"", "no readable XML"),
        (b"\0", "no readable XML"),
        (b"not xml", "no readable XML"),
        (b"<a>", "no readable XML"),
        (b"<definitions/>", "no DMN file"),
        (b'<definitions xmlns="urn:other"/>', "no DMN file"),
        (b"<a>" * 400 + b"</a>" * 400, "no readable XML"),
        (b" " * 2_000_001, "larger than 2000000 bytes"),
        (
            b'<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"/>',
            "the file has no decision",
        ),
    ],
)
def test_a_file_that_is_no_dmn_is_refused(xml: bytes, reason: str) -> None:
    assert reason in problem(xml).reason


def test_a_file_with_a_dtd_is_refused(one_table: Build, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    lols = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    for dtd in (
        "<!DOCTYPE definitions>",
        f'<!DOCTYPE d [<!ENTITY e SYSTEM "{secret.as_uri()}">]>',
        '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/x.dtd">',
        f'<!DOCTYPE d [<!ENTITY l0 "lol">{lols}]>',
    ):
        for cell in (b"10", b"&e;", b"&l9;"):
            xml = one_table(ROWS).replace(b"?>", b"?>" + dtd.encode(), 1)
            found = check_decisions(xml.replace(b"<text>10<", b"<text>" + cell + b"<"))
            assert len(found) == 1
            assert "DTD" in found[0].reason or "no readable XML" in found[0].reason
            assert "the secret" not in found[0].reason


def test_entities_in_attributes_do_not_grow(one_table: Build) -> None:
    lols = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    dtd = f'<!DOCTYPE d [<!ENTITY l0 "lol">{lols}]>'.encode()
    xml = one_table(ROWS).replace(b"?>", b"?>" + dtd, 1)
    assert len(check_decisions(xml.replace(b'"Input 1"', b'"&l9;"'))) == 1


@settings(derandomize=True, deadline=None, database=None, max_examples=200)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    xml = bytearray(
        b'<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d">'
        b'<decision id="k" name="n"><decisionTable id="t" hitPolicy="FIRST">'
        b'<input id="i"><inputExpression typeRef="number"><text>x</text>'
        b"</inputExpression></input>"
        b'<output id="o" name="y"/><rule id="r"><inputEntry><text>[1..5]</text>'
        b"</inputEntry><outputEntry><text>1</text></outputEntry></rule>"
        b"</decisionTable></decision></definitions>"
    )
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(xml) - 1))
        xml[at] = data.draw(st.sampled_from(b'<>/"= abxid-?&\x00\xff'))
    if check_decisions(bytes(xml)):
        with pytest.raises(ModelRefused):
            read_decisions(bytes(xml))
    else:
        assert read_decisions(bytes(xml))
