"""Types, calls and imports of decision files as the standard has them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from mpms.engine.decisions.reading import read_file

DMN = "https://www.omg.org/spec/DMN/20230324/MODEL/"
FUNCTION = (
    '<businessKnowledgeModel id="k" name="twice it"><variable name="twice it"/>'
    '<encapsulatedLogic><formalParameter name="the x" typeRef="number"/>'
    "<literalExpression><text>the x * 2</text></literalExpression>"
    "</encapsulatedLogic></businessKnowledgeModel>"
)
KNOWS = '<knowledgeRequirement><requiredKnowledge href="#k"/></knowledgeRequirement>'
IMPORT = f'<import namespace="urn:b" name="lib" importType="{DMN}"/>'


def text(expression: str) -> str:
    return f"<literalExpression><text>{expression}</text></literalExpression>"


def file(body: str, space: str = "urn:a") -> bytes:
    return (
        f'<definitions xmlns="{DMN}" name="m" id="m" namespace="{space}">{body}'
        "</definitions>"
    ).encode()


def given_by(name: str, kind: str = "Any") -> str:
    return (
        f'<inputData id="_1" name="{name}"><variable name="{name}" typeRef="{kind}"/>'
        "</inputData>"
    )


def decision(boxes: str, kind: str = "Any", requires: str = "") -> str:
    return (
        f'<decision id="d" name="d"><variable name="d" typeRef="{kind}"/>{requires}'
        f"{boxes}</decision>"
    )


def needs(href: str, what: str = "Input") -> str:
    return (
        f'<informationRequirement><required{what} href="{href}"/>'
        "</informationRequirement>"
    )


def value(body: str, imports: tuple[bytes, ...] = (), **given: Any) -> Any:
    return valued(body, imports, given)


def valued(body: str, imports: tuple[bytes, ...], given: Mapping[str, Any]) -> Any:
    made = read_file(file(body), imports=imports, standard=True)
    assert made.all_problems == []
    return made.value_of("d", given)


def typed(constraint: str, expression: str, *, many: bool = False) -> Any:
    item = (
        f'<itemDefinition name="T" isCollection="{str(many).lower()}">'
        f"<typeRef>number</typeRef>{constraint}</itemDefinition>"
    )
    return value(item + decision(text(expression), "T"))


def test_a_constraint_of_a_type_holds_for_the_whole_and_allowed_values_for_each() -> (
    None
):
    small = "<typeConstraint><text>[1..5]</text></typeConstraint>"
    assert (typed(small, "3"), typed(small, "7")) == (3, None)
    few = "<typeConstraint><text>count(?) &lt; 3</text></typeConstraint>"
    assert typed(few, "[1, 2]", many=True) == [1, 2]
    assert typed(few, "[1, 2, 3]", many=True) is None
    each = "<allowedValues><text>[1..5]</text></allowedValues>"
    assert typed(each, "[1, 5]", many=True) == [1, 5]
    assert typed(each, "[1, 7]", many=True) is None


def invocation(name: str, **arguments: str) -> str:
    bindings = "".join(
        f'<binding><parameter name="{key.replace("_", " ")}"/>{text(given)}</binding>'
        for key, given in arguments.items()
    )
    return f"<invocation>{text(name)}{bindings}</invocation>"


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        (text("twice it(3)"), 6),
        (text("twice it(the x: 3)"), 6),
        (text('twice it("a")'), None),
        (invocation("twice it", the_x="4"), 8),
        (invocation("abs", n="-4"), 4),
        (invocation("substring", start_position="2", string='"abc"'), "bc"),
        (invocation("abs", wrong="-4"), None),
    ],
)
def test_functions_are_called_in_texts_and_in_boxes(boxes: str, expected: Any) -> None:
    assert value(FUNCTION + decision(boxes, requires=KNOWS)) == expected


def test_an_imported_file_gives_its_functions_types_decisions_and_inputs() -> None:
    other = file(
        '<itemDefinition name="N"><typeRef>number</typeRef></itemDefinition>'
        '<inputData id="_in" name="age"><variable name="age" typeRef="number"/>'
        '</inputData><decision id="_dec" name="older"><variable name="older"/>'
        f"{needs('#_in')}{text('age + 1')}</decision>{FUNCTION}",
        "urn:b",
    )
    lib = {"lib": {"age": Decimal(4)}}

    def found(boxes: str, requires: str) -> Any:
        return valued(IMPORT + decision(boxes, requires=requires), (other,), lib)

    knows = KNOWS.replace("#k", "urn:b#k")
    assert found(text("lib.twice it(4)"), knows) == 8
    assert found(text("lib.older * 2"), needs("urn:b#_dec", "Decision")) == 10
    assert found(text("lib.age * 2"), needs("urn:b#_in")) == 8
    of_its_type = IMPORT + given_by("x", "lib.N")
    assert (
        value(of_its_type + decision(text("x"), requires=needs("#_1")), (other,), x="q")
        is None
    )


@pytest.mark.parametrize(
    "name", ["🐎", "🐎 b", "🐎-b", "a/b", "tée-x/y", "x 1", "Größe (mm)", "a'b"]
)
def test_names_may_hold_signs_and_symbols(name: str) -> None:
    body = given_by(name) + decision(text(f"{name} + 1"), requires=needs("#_1"))
    assert valued(body, (), {name: Decimal(1)}) == 2
