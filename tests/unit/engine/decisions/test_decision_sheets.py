"""Decision tables as people change them: only the rules are written, all else stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mpms.domain.errors import ModelRefused
from mpms.domain.models.decision_sheets import DecisionSheet, SheetRule
from mpms.engine.decisions import check_decisions, read_decisions
from mpms.engine.decisions.sheets import read_sheets, write_sheet

ROOT = Path(__file__).resolve().parents[4]
TOLERANCE = (ROOT / "processes" / "weight_tolerance.dmn").read_bytes()
TWO = b"""<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d"
    namespace="urn:test">
<inputData id="weight" name="weight"/>
<decision id="size" name="Size">
  <informationRequirement id="r0"><requiredInput href="#weight"/>
  </informationRequirement>
  <decisionTable id="t" hitPolicy="FIRST">
    <input id="i" label="weight"><inputExpression id="e" typeRef="number">
      <text>weight</text></inputExpression></input>
    <output id="o" name="size" typeRef="string"/>
    <annotation name="why"/>
    <rule id="small"><inputEntry id="a"><text>&lt; 10</text></inputEntry>
      <outputEntry id="b"><text>"small"</text></outputEntry>
      <annotationEntry><text>light</text></annotationEntry></rule>
    <rule id="large"><inputEntry id="c"><text>-</text></inputEntry>
      <outputEntry id="f"><text>"large"</text></outputEntry></rule>
  </decisionTable>
</decision>
<decision id="price" name="Price">
  <informationRequirement id="r1"><requiredDecision href="#size"/>
  </informationRequirement>
  <literalExpression id="l"><text>if size = "small" then 1 else fee</text>
  </literalExpression>
</decision>
</definitions>
"""


def sheet_of(xml: bytes, key: str) -> DecisionSheet:
    return next(one for one in read_sheets(xml) if one.key == key)


def test_a_table_is_read_as_it_is_written() -> None:
    sheet = sheet_of(TWO, "size")
    assert (sheet.hit_policy, sheet.requires, sheet.needs) == (
        "FIRST",
        ("weight",),
        ("weight",),
    )
    assert sheet.rules[0] == SheetRule("small", ("< 10",), ('"small"',), "light")


def test_a_decision_without_table_shows_its_expression_and_what_it_needs() -> None:
    sheet = sheet_of(TWO, "price")
    assert not sheet.is_table
    assert sheet.expression.startswith("if size")
    assert sheet.requires == ("Size",)
    assert set(sheet.needs) == {"fee", "weight"}


def test_a_sheet_written_unchanged_decides_the_same() -> None:
    again = write_sheet(TOLERANCE, sheet_of(TOLERANCE, "weight_tolerance"))
    assert check_decisions(again) == []
    assert read_sheets(again) == read_sheets(TOLERANCE)


def test_a_changed_cell_changes_the_decision_and_nothing_else() -> None:
    sheet = sheet_of(TWO, "size")
    first = replace(sheet.rules[0], inputs=("< 20",), note="not so light")
    written = write_sheet(TWO, replace(sheet, rules=(first, *sheet.rules[1:])))
    assert read_decisions(written)["size"].decide({"weight": 15}).value == "small"
    assert sheet_of(written, "size").rules[0].note == "not so light"
    assert sheet_of(written, "price") == sheet_of(TWO, "price")


def test_rules_are_added_removed_and_moved() -> None:
    sheet = sheet_of(TWO, "size")
    added = sheet.with_rule(1)
    middle = replace(added.rules[1], inputs=("< 100",), outputs=('"medium"',))
    added = replace(added, rules=(added.rules[0], middle, added.rules[2]))
    written = write_sheet(TWO, added)
    assert read_decisions(written)["size"].decide({"weight": 50}).value == "medium"
    turned = write_sheet(written, sheet_of(written, "size").moved(2, -2))
    assert read_decisions(turned)["size"].decide({"weight": 5}).value == "large"
    fewer = write_sheet(turned, sheet_of(turned, "size").without_rule(0))
    assert [rule.outputs for rule in sheet_of(fewer, "size").rules] == [
        ('"small"',),
        ('"medium"',),
    ]


def test_a_rule_does_not_leave_its_table() -> None:
    sheet = sheet_of(TWO, "size")
    assert sheet.moved(0, -1) == sheet
    assert sheet.moved(1, 1) == sheet


def test_hit_policy_and_aggregation_are_written_and_taken_away() -> None:
    sheet = sheet_of(TWO, "size")
    counted = write_sheet(
        TWO, replace(sheet, hit_policy="COLLECT", aggregation="COUNT")
    )
    assert read_decisions(counted)["size"].decide({"weight": 5}).value == 2
    back = write_sheet(counted, sheet)
    assert b"aggregation" not in back
    assert read_decisions(back)["size"].decide({"weight": 5}).value == "small"


def test_a_file_that_is_refused_can_still_be_read_and_mended() -> None:
    broken = TWO.replace(b"&lt; 10", b"&lt; &lt; 10")
    assert check_decisions(broken) != []
    sheet = sheet_of(broken, "size")
    first = replace(sheet.rules[0], inputs=("< 10",))
    mended = write_sheet(broken, replace(sheet, rules=(first, *sheet.rules[1:])))
    assert check_decisions(mended) == []


def test_characters_that_no_file_can_hold_are_left_out() -> None:
    sheet = sheet_of(TWO, "size")
    odd = replace(sheet.rules[0], note="a\x00b\x1f & <c>\ud800")
    written = write_sheet(TWO, replace(sheet, rules=(odd, *sheet.rules[1:])))
    assert sheet_of(written, "size").rules[0].note == "ab & <c>"


def test_a_table_that_is_not_there_is_not_written() -> None:
    with pytest.raises(ModelRefused):
        write_sheet(TWO, DecisionSheet("nothing", "Nothing"))
    with pytest.raises(ModelRefused):
        read_sheets(b'<!DOCTYPE x [<!ENTITY a "b">]><x/>')
