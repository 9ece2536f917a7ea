"""Methods of texts, lists, maps and the execution that models of Camunda 7 call."""

import pytest

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid
from mpms.engine.expressions import compile_condition, compile_expression

KNOWN = {
    "x": 5,
    "on": True,
    "nothing": None,
    "word": "Mehl",
    "items": [1, "salt", {"kg": 2}],
    "order": {"number": "A-17", "lines": [{"kg": 2}]},
    "none": [],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("items.size()", 3),
        ("none.isEmpty()", True),
        ("!items.isEmpty() && items.size() > 2", True),
        ("items.contains('salt')", True),
        ("items.contains({'kg': 2})", True),
        ("items.contains(2)", False),
        ("items.indexOf('salt') + items.indexOf('x')", 0),
        ("items.get(2).kg", 2),
        ("order.lines.get(x - 5)['kg']", 2),
        ("order.get('number').length()", 4),
        ("order.get('colour')", None),
        ("order.getOrDefault('colour', 'red')", "red"),
        ("order.containsKey('number') and order.containsValue('A-17')", True),
        ("order.keySet()", ["number", "lines"]),
        ("order.values().size() == order.size()", True),
        ("word.equals('Mehl')", True),
        ("word.equals(x)", False),
        ("word.equalsIgnoreCase('MEHL')", True),
        ("word.contains('eh') and word.startsWith('M') and word.endsWith('l')", True),
        ("word.substring(1)", "ehl"),
        ("word.substring(1, 3) + word.charAt(0)", "ehM"),
        ("word.indexOf('h') + word.lastIndexOf('z')", 1),
        ("' a '.trim().isEmpty() or ' '.isBlank()", True),
        ("word.toUpperCase().concat('!').replace('M', 'S')", "SEHL!"),
        ("word.toLowerCase()", "mehl"),
        ("word.compareTo('Mais') > 0", True),
        ("x.toString() + on.toString()", "5true"),
        ("on.equals(true) and on.booleanValue()", True),
        ("5.7.intValue() + x.longValue() + x.doubleValue()", 15.0),
        ("execution.getVariable('x') + 1", 6),
        ("execution.getVariable('missing')", None),
        ("execution.getVariable(word)", None),
        ("execution.hasVariable('x') and !execution.hasVariable('y')", True),
    ],
)
def test_they_give_what_java_gives(text: str, expected: object) -> None:
    assert compile_expression(text).evaluate(KNOWN) == expected


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("items.get(3)", r"finds no item 3 among 3 \(column 6\)"),
        ("items.get(-1)", "finds no item -1"),
        ("items.get('a')", "needs a whole number, not 'a'"),
        ("word.substring(3, 9)", "takes the signs 3 to 9 of 4"),
        ("word.contains(x)", "needs a text, not 5"),
        ("nothing.isEmpty()", r"calls isEmpty\(\) of null"),
        ("x.equals(5)", r"calls equals\(\) of 5"),
        ("items.length()", r"calls length\(\) of a list of 3"),
        ("word.size()", r"calls size\(\) of 'Mehl'"),
        ("execution.getVariable(x)", r"needs the name of a variable for getVariable"),
        ("execution.processBusinessKey", "knows no variable 'execution.process"),
    ],
)
def test_what_java_throws_is_an_error_with_its_cause(text: str, cause: str) -> None:
    with pytest.raises(ExpressionFailed, match=cause):
        compile_expression(text).evaluate(KNOWN)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("bean.work(x)", r"calls work\(\), which is no method of a text, list, map"),
        ("word.split(',')", r"calls split\(\)"),
        ("items.add(1)", r"calls add\(\)"),
        ("word.length(1)", r"gives 1 arguments to length\(\) \(column 6\)"),
        ("word.substring()", r"gives 0 arguments to substring\(\)"),
        ("execution.getVariable()", r"gives 0 arguments to getVariable\(\)"),
        ("execution.id", "asks for 'id': 'execution' belongs to the Java side"),
        ("execution.setVariable('a', 1)", "asks for 'setVariable'"),
    ],
)
def test_what_nobody_has_is_refused_before_it_runs(text: str, cause: str) -> None:
    with pytest.raises(ExpressionInvalid, match=cause):
        compile_expression(text)


def test_methods_stand_in_conditions_as_the_modeler_writes_them() -> None:
    assert compile_condition("#{items.size() gt 2}").holds(KNOWN)
    assert not compile_condition("${none.size() ge 1 || empty word}").holds(KNOWN)
