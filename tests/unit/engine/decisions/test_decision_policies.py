"""Ranking, defaults, types and languages of decision tables."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from mpms.domain.errors import ExpressionFailed
from mpms.engine.decisions import check_decisions, read_decisions

Build = Callable[..., bytes]

RANKS = [(["> 0"], ['"low"']), (["> 1"], ['"high"']), (["> 2"], ['"mid"'])]
LISTED = (
    b'name="y"><outputValues><text>"high","mid","low"</text></outputValues></output>'
)


def ranked(one_table: Build, policy: str, rows: object = RANKS) -> bytes:
    return one_table(rows, hit_policy=policy).replace(b'name="y"/>', LISTED)


@pytest.mark.parametrize(("x", "value"), [(1, "low"), (2, "high"), (3, "high")])
def test_priority_takes_the_output_that_is_listed_first(
    one_table: Build, x: int, value: str
) -> None:
    decision = read_decisions(ranked(one_table, "PRIORITY"))["pick"]
    result = decision.decide({"x": x})
    assert result.outputs == {"y": value}
    assert result.value == value
    assert result.rules == tuple(f"r{n}" for n in range(1, x + 1))


def test_output_order_sorts_by_the_list(one_table: Build) -> None:
    decision = read_decisions(ranked(one_table, "OUTPUT ORDER"))["pick"]
    result = decision.decide({"x": 3})
    assert result.outputs == [{"y": "high"}, {"y": "mid"}, {"y": "low"}]
    assert result.value == ["high", "mid", "low"]


def test_equal_ranks_keep_the_order_of_the_rules(one_table: Build) -> None:
    rows = [(["-"], ['"low"', "1"]), (["-"], ['"high"', "2"]), (["-"], ['"high"', "3"])]
    xml = one_table(rows, outputs=("y", "z"), hit_policy="OUTPUT ORDER")
    result = read_decisions(xml.replace(b'name="y"/>', LISTED))["pick"].decide({"x": 1})
    assert isinstance(result.outputs, list)
    assert [row["z"] for row in result.outputs] == [2, 3, 1]


def test_several_outputs_rank_from_left_to_right(one_table: Build) -> None:
    rows = [(["-"], ["2", '"a"']), (["-"], ["1", '"b"']), (["-"], ["1", '"a"'])]
    xml = one_table(rows, outputs=("n", "s"), hit_policy="PRIORITY")
    for name, values in ((b"n", b"1, 2"), (b"s", b'"a", "b"')):
        xml = xml.replace(
            b'name="' + name + b'"/>',
            b'name="' + name + b'"><outputValues><text>' + values + b"</text>"
            b"</outputValues></output>",
        )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": 1}).outputs == {"n": 1, "s": "a"}


def test_values_to_rank_by_must_be_a_list(one_table: Build) -> None:
    xml = ranked(one_table, "PRIORITY").replace(b'"high","mid","low"', b"&lt; 5")
    reasons = [problem.reason for problem in check_decisions(xml)]
    assert any("must be a list" in reason for reason in reasons)


DEFAULT = (
    b'name="y"><defaultOutputEntry><text>"none"</text></defaultOutputEntry></output>'
)


@pytest.mark.parametrize(
    ("policy", "outputs"),
    [("UNIQUE", {"y": "none"}), ("FIRST", {"y": "none"}), ("COLLECT", [{"y": "none"}])],
)
def test_a_default_holds_where_no_rule_does(
    one_table: Build, policy: str, outputs: object
) -> None:
    xml = one_table([(["> 5"], ['"some"'])], hit_policy=policy)
    decision = read_decisions(xml.replace(b'name="y"/>', DEFAULT))["pick"]
    result = decision.decide({"x": 1})
    assert (result.outputs, result.rules) == (outputs, ())
    assert decision.decide({"x": 6}).value in ("some", ["some"])


def test_a_count_of_nothing_is_zero(one_table: Build) -> None:
    rows = [(["> 5"], ["1"])]
    for aggregation, outputs in (("COUNT", {"y": 0}), ("SUM", None)):
        xml = one_table(rows, hit_policy="COLLECT", aggregation=aggregation)
        assert read_decisions(xml)["pick"].decide({"x": 1}).outputs == outputs


def test_sums_are_exact_and_dates_can_be_the_least(one_table: Build) -> None:
    rows = [(["-"], ["0.1"]), (["-"], ["0.2"])]
    xml = one_table(rows, hit_policy="COLLECT", aggregation="SUM")
    assert read_decisions(xml)["pick"].decide({"x": 1}).value == 0.3
    rows = [(["-"], ['@"2026-02-01"']), (["-"], ['@"2026-01-31"'])]
    xml = one_table(rows, hit_policy="COLLECT", aggregation="MIN")
    assert read_decisions(xml)["pick"].decide({"x": 1}).value == "2026-01-31"


@pytest.mark.parametrize(
    ("kind", "good", "cell", "bad"),
    [
        ("date", "2026-01-31", '< @"2026-02-01"', "31.1.2026"),
        ("time", "10:00:00", '[@"09:00:00"..@"17:00:00"]', "10"),
        ("dateTime", "2026-01-31T10:00:00Z", "< now()", "2026-13-01T00:00:00"),
        ("dayTimeDuration", "PT2H", '> @"PT1H"', "P1M"),
        ("yearMonthDuration", "P1Y", '? = @"P12M"', "PT1H"),
    ],
)
def test_a_text_is_read_as_a_date_where_the_file_says_so(
    one_table: Build, kind: str, good: str, cell: str, bad: str
) -> None:
    xml = one_table([([cell], ["1"])], input_types=(kind,))
    decision = read_decisions(xml)["pick"]
    now = datetime(2026, 2, 1, tzinfo=UTC)
    assert decision.decide({"x": good}, now=now).rules == ("r1",)
    with pytest.raises(ExpressionFailed, match="input 'Input 1' should be a"):
        decision.decide({"x": bad}, now=now)


def test_types_of_the_file_are_checked(one_table: Build) -> None:
    xml = one_table([(["-"], ["x"])], input_types=("tGrade",))
    xml = xml.replace(
        b"<decision ",
        b'<itemDefinition id="g" name="tGrade"><typeRef>string</typeRef>'
        b'<allowedValues><text>"a","b"</text></allowedValues></itemDefinition>'
        b"<decision ",
        1,
    )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": "a"}).value == "a"
    with pytest.raises(ExpressionFailed, match="'c', which is not among"):
        decision.decide({"x": "c"})
    with pytest.raises(ExpressionFailed, match="should be a text, but is 5"):
        decision.decide({"x": 5})


def test_types_with_parts_and_lists_are_checked(one_table: Build) -> None:
    xml = one_table([(["-"], ["count(x)"])], input_types=("tLines",))
    xml = xml.replace(
        b"<decision ",
        b'<itemDefinition id="l" name="tLine"><itemComponent name="kg">'
        b"<typeRef>number</typeRef></itemComponent></itemDefinition>"
        b'<itemDefinition id="ls" name="tLines" isCollection="true">'
        b"<typeRef>tLine</typeRef></itemDefinition><decision ",
        1,
    )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": [{"kg": 1}, {"kg": 2}]}).value == 2
    with pytest.raises(ExpressionFailed, match="'kg' of an item of input 'Input 1'"):
        decision.decide({"x": [{"kg": "1"}]})
    with pytest.raises(ExpressionFailed, match="should be a list"):
        decision.decide({"x": {"kg": 1}})


def test_a_type_whose_parts_are_itself_is_refused_at_once(one_table: Build) -> None:
    part = b'<itemComponent name="p%d"><typeRef>tA</typeRef></itemComponent>'
    parts = b"".join(part % n for n in range(30))
    xml = one_table([(["-"], ["x"])], input_types=("tA",)).replace(
        b"<decision ",
        b'<itemDefinition id="a" name="tA">' + parts + b"</itemDefinition><decision ",
        1,
    )
    (found,) = check_decisions(xml)
    assert (found.element, found.reason) == ("a", "the type 'tA' contains itself")


def test_a_type_that_contains_itself_is_refused(one_table: Build) -> None:
    xml = one_table([(["-"], ["x"])], input_types=("tA",)).replace(
        b"<decision ",
        b'<itemDefinition id="a" name="tA"><typeRef>tB</typeRef></itemDefinition>'
        b'<itemDefinition id="b" name="tB"><typeRef>tA</typeRef></itemDefinition>'
        b"<decision ",
        1,
    )
    assert any("contains itself" in p.reason for p in check_decisions(xml))


@pytest.mark.parametrize("language", ["juel", "JUEL", "mpms"])
def test_the_other_language_is_used_where_the_file_says_so(
    one_table: Build, language: str
) -> None:
    rows = [(["'a', ? == limit"], ["x + '!' if x != '' else 'none'"])]
    xml = one_table(rows).replace(
        b"<decisionTable", f"<decisionTable expressionLanguage='{language}'".encode()
    )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": "a", "limit": 1}).value == "a!"
    assert decision.decide({"x": "z", "limit": "z"}).value == "z!"
    assert decision.decide({"x": "q", "limit": "z"}).value is None


def test_braces_mean_the_other_language_in_any_cell(one_table: Build) -> None:
    rows = [(["${cellInput > limit}"], ["${x * 2}"]), (["- "], ["x / 2"])]
    xml = one_table(rows, inputs=("${x + 1}",), hit_policy="FIRST")
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": 5, "limit": 5}).value == 10
    assert decision.decide({"x": 4, "limit": 5}).value == 2


@pytest.mark.parametrize("vendor", [b"camunda", b"operaton"])
def test_a_name_for_the_cell_input_is_honoured(one_table: Build, vendor: bytes) -> None:
    xml = one_table([(["${kg > 5}"], ["1"])]).replace(
        b'<input id="in1"',
        b'<input xmlns:v="http://%b.org/schema/1.0/dmn" id="in1" '
        b'v:inputVariable="kg"' % vendor,
    )
    decision = read_decisions(xml)["pick"]
    assert decision.decide({"x": 6}).rules == ("r1",)
    assert decision.decide({"x": 5}).rules == ()


@pytest.mark.parametrize(
    "language",
    [
        "feel",
        "http://www.omg.org/spec/FEEL/20140401",
        "https://www.omg.org/spec/DMN/20191111/FEEL/",
    ],
)
def test_feel_is_known_by_all_its_names(one_table: Build, language: str) -> None:
    xml = one_table([(["0.1 + 0.2"], ["1"])]).replace(
        b"<inputEntry ", f"<inputEntry expressionLanguage='{language}' ".encode()
    )
    assert read_decisions(xml)["pick"].decide({"x": 0.3}).rules == ("r1",)


def test_a_lone_word_is_taken_if_the_file_declares_it(one_table: Build) -> None:
    xml = one_table([(["gold"], ["1"])])
    (found,) = check_decisions(xml)
    assert found.element == "inputEntry1_1"
    assert "quote it if it is a text" in found.reason
    declared = xml.replace(
        b"<decision ", b'<inputData id="g" name="gold"/><decision ', 1
    )
    decision = read_decisions(declared)["pick"]
    assert decision.decide({"x": 5, "gold": 5}).rules == ("r1",)


def test_a_decision_has_a_limit_of_its_own(one_table: Build) -> None:
    cell = "some i in 1..9000 satisfies i = ? + 0.5"
    xml = one_table([([cell], ["1"]) for _ in range(200)])
    with pytest.raises(ExpressionFailed, match="more than 1000000 steps"):
        read_decisions(xml)["pick"].decide({"x": 1})
