"""A stranger's file is tried behind a wall: what it costs, nobody else pays."""

import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mpms import assets
from mpms.bootstrap import trials
from mpms.bootstrap.trials import ChildTrials
from mpms.domain.errors import ModelRefused, ServerBusy
from mpms.engine.runner import SpiffEngine

NOW = datetime(2026, 1, 31, tzinfo=UTC)
TABLE = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d"
             namespace="urn:d">
  <decision id="{key}" name="{key}">{more}
    <variable id="v_{key}" name="{key}"/>
    <literalExpression id="e_{key}"><text>{text}</text></literalExpression>
  </decision>
</definitions>"""


def _file(text: str, key: str = "price", more: str = "") -> bytes:
    return TABLE.format(key=key, text=text, more=more).encode()


@pytest.fixture
def tried() -> Iterator[ChildTrials]:
    made = ChildTrials({})
    yield made
    made.close()


def test_a_child_reads_and_decides_as_the_engine_does(tried: ChildTrials) -> None:
    engine = SpiffEngine()
    for model in sorted((assets.directory("processes")).glob("*.*mn")):
        xml = model.read_bytes()
        if model.suffix == ".bpmn":
            assert tried.check(xml) == engine.check(xml)
            assert tried.processes(xml) == engine.processes(xml)
            assert tried.inner_forms(xml) == engine.inner_forms(xml)
        else:
            assert tried.check_decisions(xml) == engine.check_decisions(xml)
            assert list(tried.sheets(xml)) == list(engine.sheets(xml))
    table = _file("kg * 2")
    assert tried.decide(table, "price", {"kg": 4}, now=NOW).outputs == (
        engine.decide(table, "price", {"kg": 4}, now=NOW).outputs
    )


def test_refusals_come_back_with_their_names(tried: ChildTrials) -> None:
    with pytest.raises(ModelRefused, match="holds no decision"):
        tried.decide(_file("1"), "other", {}, now=NOW)


def test_a_file_that_takes_too_long_ends_with_a_sentence() -> None:
    quick = ChildTrials({}, wall_s=0.01)
    try:
        problems = quick.check(b"<" + b"a" * 500_000)
        assert "cannot be read or tried within" in problems[0].reason
        with pytest.raises(ModelRefused, match="within"):
            quick.decide(_file("1"), "price", {}, now=NOW)
    finally:
        quick.close()


def test_a_child_that_was_killed_is_replaced(tried: ChildTrials) -> None:
    assert tried.check(b"no model")
    os.kill(tried._idle[0].pid, 9)
    assert tried.check(b"no model")


def test_who_comes_when_all_are_taken_is_told_at_once(
    tried: ChildTrials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "CHILDREN", 1)
    monkeypatch.setattr(trials, "WAITING", 0)
    busy = ChildTrials({})
    asked, go_on = threading.Event(), threading.Event()

    def held(question: bytes) -> bytes:
        asked.set()
        go_on.wait(30)
        return b'{"made": []}'

    monkeypatch.setattr(busy, "_said", held)
    first = threading.Thread(target=busy.check, args=(b"x",))
    first.start()
    asked.wait(30)
    try:
        with pytest.raises(ServerBusy):
            busy.check(b"y")
    finally:
        go_on.set()
        first.join()
        busy.close()


def test_nothing_is_written_by_a_child(tried: ChildTrials, tmp_path: Path) -> None:
    tried.check(b"no model")
    limits = Path(f"/proc/{tried._idle[0].pid}/limits").read_text()
    sizes = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()}
    assert sizes["Max file size"] == "0"
    assert sizes["Max address space"] == str(trials.MEMORY_MB << 20)
