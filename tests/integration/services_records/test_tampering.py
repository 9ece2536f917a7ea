"""Whatever somebody does to lines in the database is found, and where."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mpms.cli import main
from mpms.factory.adapters.plant_key import PlantKeyUnreadable, read_or_make_key
from mpms.factory.domain.records import PLANT, Head, hash_of
from mpms.factory.services.records.export import export_record
from mpms.factory.services.records.seal import SealRecords
from tests.integration.services_records.conftest import RecordPlant
from tests.support.databases import Contents, Databases

ORDER, OTHER = "MO-2026-0001", "MO-2026-0002"


TABLES = {
    "record_lines": "record, line, content, hash",
    "record_heads": "*",
    "orders": "*",
}


@pytest.fixture(scope="module")
def made_once(
    databases: Databases, stocked: Contents, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RecordPlant, dict[str, str]]]:
    """Two orders with sealed records, and what their tables held then."""
    with databases.lent(stocked) as url, RecordPlant(url) as plant:
        plant.key = read_or_make_key(tmp_path_factory.mktemp("key") / "records.key")
        plant.made(ORDER)
        plant.made(OTHER)
        assert plant.seal()
        yield (
            plant,
            {
                table: plant.rows(
                    f"SELECT json_agg(t)::text FROM (SELECT {columns} FROM {table}) t"
                )[0][0]
                for table, columns in TABLES.items()
            },
        )


@pytest.fixture
def sealed(made_once: tuple[RecordPlant, dict[str, str]]) -> Iterator[RecordPlant]:
    plant, kept = made_once
    yield plant
    for table, columns in TABLES.items():
        named = "" if columns == "*" else f" ({columns})"
        plant.rows(
            "SET session_replication_role = replica;"
            f" DELETE FROM {table}; INSERT INTO {table}{named} SELECT {columns}"
            f" FROM json_populate_recordset(NULL::{table}, %s)",
            kept[table],
        )


def first_fault(plant: RecordPlant, **more: Any) -> tuple[str, int]:
    fault = plant.verified(**more).faults[0]
    return fault.record, fault.line


def last_line(plant: RecordPlant, record: str) -> int:
    with plant.uow() as tx:
        return tx.records.lines(record)[-1].line


def test_sealed_records_verify(sealed: RecordPlant) -> None:
    report = sealed.verified()
    assert report.faults == []
    assert report.records == 3  # of two orders and of the plant
    assert report.seals == 3
    assert report.open_records == 0
    assert report.keys == {sealed.key.public}
    assert report.head.record == PLANT


def test_a_record_is_sealed_again_when_something_is_added(sealed: RecordPlant) -> None:
    with sealed.uow() as tx:
        tx.events.append("order mail sent", actor="ada", data={"order": ORDER})
    assert sealed.verified().open_records == 1
    assert sealed.seal()
    report = sealed.verified()
    assert (report.faults, report.open_records) == ([], 0)


def test_nothing_is_sealed_while_an_order_runs(plant: RecordPlant) -> None:
    plant.accept(ORDER)
    assert not plant.seal()
    assert plant.verified().faults == []


def test_a_changed_line_is_found(sealed: RecordPlant) -> None:
    sealed.tamper(
        "UPDATE record_lines SET content = replace(content, '120.5', '119.5')"
        f" WHERE record = '{ORDER}' AND line = 1"
    )
    assert first_fault(sealed) == (ORDER, 1)


def test_a_changed_line_with_a_new_hash_is_found(sealed: RecordPlant) -> None:
    with sealed.uow() as tx:
        line = tx.records.lines(ORDER)[4]
        before = tx.records.lines(ORDER)[3]
    content = line.content.replace("in process", "cancelled")
    assert content != line.content
    sealed.tamper(
        f"UPDATE record_lines SET content = '{content}',"
        f" hash = '{hash_of(before.hash, content)}'"
        f" WHERE record = '{ORDER}' AND line = 5"
    )
    assert first_fault(sealed) == (ORDER, 6)


@pytest.mark.parametrize("line", [1, 7])
def test_a_deleted_line_is_found(sealed: RecordPlant, line: int) -> None:
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line = {line}"
    )
    assert first_fault(sealed) == (ORDER, line)


def test_a_deleted_line_is_found_when_others_move_up(sealed: RecordPlant) -> None:
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line = 7",
        "UPDATE record_lines SET line = line + 1000"
        f" WHERE record = '{ORDER}' AND line > 7",
        "UPDATE record_lines SET line = line - 1001"
        f" WHERE record = '{ORDER}' AND line > 1000",
    )
    assert first_fault(sealed) == (ORDER, 7)


def test_lines_in_another_order_are_found(sealed: RecordPlant) -> None:
    sealed.tamper(
        f"UPDATE record_lines SET line = 1000 WHERE record = '{ORDER}' AND line = 8",
        f"UPDATE record_lines SET line = 8 WHERE record = '{ORDER}' AND line = 9",
        f"UPDATE record_lines SET line = 9 WHERE record = '{ORDER}' AND line = 1000",
    )
    assert first_fault(sealed) == (ORDER, 8)


def test_a_line_of_another_order_is_found(sealed: RecordPlant) -> None:
    sealed.tamper(
        "UPDATE record_lines AS a SET content = b.content, hash = b.hash"
        " FROM record_lines AS b WHERE b.line = a.line AND a.line = 2"
        f" AND a.record = '{ORDER}' AND b.record = '{OTHER}'"
    )
    assert first_fault(sealed) == (ORDER, 2)


def test_the_last_lines_are_missed(sealed: RecordPlant) -> None:
    last = last_line(sealed, ORDER)
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line > {last - 2}"
    )
    assert first_fault(sealed) == (ORDER, last - 1)


def test_the_last_lines_are_missed_when_the_head_fits(sealed: RecordPlant) -> None:
    last = last_line(sealed, ORDER)
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line > {last - 2}",
        "UPDATE record_heads AS h SET lines = l.line, hash = l.hash, sealed_lines = 0"
        " FROM record_lines AS l WHERE l.record = h.record"
        f" AND h.record = '{ORDER}' AND l.line = {last - 2}",
    )
    assert first_fault(sealed) == (ORDER, last - 1)


def test_the_last_lines_of_an_open_record_are_missed(plant: RecordPlant) -> None:
    plant.accept(ORDER)
    last = last_line(plant, ORDER)
    plant.tamper(f"DELETE FROM record_lines WHERE line = {last}")
    assert first_fault(plant) == (ORDER, last)


def test_an_open_record_that_was_noted_cannot_be_shortened(plant: RecordPlant) -> None:
    plant.accept(ORDER)
    plant.seal()
    last = last_line(plant, ORDER)
    plant.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line = {last}",
        "UPDATE record_heads AS h SET lines = l.line, hash = l.hash"
        " FROM record_lines AS l WHERE l.record = h.record"
        f" AND h.record = '{ORDER}' AND l.line = {last - 1}",
    )
    assert first_fault(plant) == (ORDER, last)


def test_a_whole_order_is_missed(sealed: RecordPlant) -> None:
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{ORDER}'",
        f"DELETE FROM record_heads WHERE record = '{ORDER}'",
        f"DELETE FROM orders WHERE number = '{ORDER}'",
    )
    assert first_fault(sealed) == (ORDER, 1)


def test_a_record_that_was_written_anew_has_no_right_seal(
    sealed: RecordPlant, tmp_path: Path
) -> None:
    """With all hashes, heads and the plant's record made to fit, but another key."""
    forger = read_or_make_key(tmp_path / "forged.key")
    with sealed.uow() as tx:
        kept = tx.records.lines(ORDER)
    before, statements = "0" * 64, []
    for line in kept[:-1]:
        content = line.content.replace('"310.0"', '"309.0"')
        before = hash_of(before, content)
        statements.append(
            f"UPDATE record_lines SET content = '{content}', hash = '{before}'"
            f" WHERE record = '{ORDER}' AND line = {line.line}"
        )
    statements += [
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line = {len(kept)}",
        "DELETE FROM record_lines WHERE record = 'plant' AND line > 2",
        f"UPDATE record_heads SET lines = {len(kept) - 1}, hash = '{before}',"
        f" sealed_lines = 0 WHERE record = '{ORDER}'",
        "UPDATE record_heads AS h SET lines = 2, hash = l.hash, sealed_lines = 0"
        " FROM record_lines AS l WHERE l.record = 'plant' AND l.line = 2"
        " AND h.record = 'plant'",
    ]
    sealed.tamper(*statements)
    SealRecords(sealed.uow, forger, quiet_s=0.0)()
    report = sealed.verified()
    found = [f.why for f in report.faults if f.record in (ORDER, PLANT)]
    assert f"the seal was made with another key, {forger.public}" in found


def test_the_end_of_everything_is_missed_by_who_noted_it(sealed: RecordPlant) -> None:
    noted = sealed.verified().head
    sealed.tamper(
        f"DELETE FROM record_lines WHERE record = '{OTHER}'",
        f"DELETE FROM record_heads WHERE record = '{OTHER}'",
        f"DELETE FROM orders WHERE number = '{OTHER}'",
        f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line > 1",
        "UPDATE record_heads AS h SET lines = 1, hash = l.hash, sealed_lines = 0"
        " FROM record_lines AS l WHERE l.record = h.record AND l.line = 1",
        "DELETE FROM record_lines WHERE record = 'plant' AND line > 1",
    )
    assert sealed.verified().faults == []
    assert first_fault(sealed, expected=noted) == (PLANT, noted.lines)


def test_an_expected_line_that_is_there_is_no_fault(sealed: RecordPlant) -> None:
    noted = sealed.verified().head
    with sealed.uow() as tx:
        tx.events.append("order mail sent", actor="ada", data={"order": ORDER})
    sealed.seal()
    assert sealed.verified(expected=noted).faults == []
    other = Head(PLANT, noted.lines, hashlib.sha256(b"other").hexdigest())
    assert first_fault(sealed, expected=other) == (PLANT, noted.lines)


def test_a_record_stays_when_the_history_is_deleted(sealed: RecordPlant) -> None:
    with sealed.uow() as tx:
        before = tx.records.lines(ORDER)
        ids = [row[0] for row in sealed.rows("SELECT id::text FROM instances")]
        tx.old_history.delete(ids)
    assert sealed.rows("SELECT count(*) FROM events WHERE instance_id IS NOT NULL") == [
        (0,)
    ]
    with sealed.uow() as tx:
        assert tx.records.lines(ORDER) == before
    assert sealed.verified().faults == []


# -- on the command line -------------------------------------------------------------


def test_the_command_names_the_first_broken_line(
    sealed: RecordPlant,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MPMS_DATABASE_URL", sealed.url)
    monkeypatch.setenv("MPMS_STATE_DIR", str(tmp_path))
    assert main(["records", "verify", "--key", sealed.key.public]) == 0
    noted = sealed.verified().head
    told = capsys.readouterr().out
    assert f"--expect {noted.lines}:{noted.hash}" in told
    assert main(["records", "export", ORDER, "--out", f"{tmp_path}/r.json"]) == 0
    assert json.loads((tmp_path / "r.json").read_text())["record"] == ORDER
    sealed.tamper(f"DELETE FROM record_lines WHERE record = '{ORDER}' AND line = 3")
    assert main(["records", "verify", "--key", sealed.key.public]) == 1
    assert f"{ORDER}, line 3: this line is gone" in capsys.readouterr().out
    assert main(["records", "verify", "--expect", "nonsense"]) == 1
    assert main(["records", "export", "MO-2026-9999"]) == 1
    errors = capsys.readouterr().err
    assert "LINE:HASH" in errors
    assert "no batch record of MO-2026-9999" in errors


def test_the_key_is_made_once_and_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "state" / "records.key"
    made = read_or_make_key(file)
    assert read_or_make_key(file).public == made.public
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("no key")
    with pytest.raises(PlantKeyUnreadable, match="it is no key"):
        read_or_make_key(file)


# -- without our software -----------------------------------------------------------


def run_script(script: Path, export: dict[str, Any], tmp_path: Path) -> tuple[int, str]:
    file = tmp_path / "record.json"
    file.write_text(json.dumps(export), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(file)], capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_an_export_verifies_with_the_script_of_the_page(
    sealed: RecordPlant, script: Path, tmp_path: Path
) -> None:
    export = export_record(sealed.uow, ORDER, key=sealed.key.public)
    code, said = run_script(script, export, tmp_path)
    assert code == 0
    assert said.strip() == f"{ORDER}: {len(export['lines'])} lines, sealed, unbroken"


def test_the_script_finds_what_is_wrong(
    sealed: RecordPlant, script: Path, tmp_path: Path
) -> None:
    def said(export: dict[str, Any]) -> str:
        code, text = run_script(script, export, tmp_path)
        assert code == 1
        return text.strip()

    def export() -> dict[str, Any]:
        return export_record(sealed.uow, ORDER, key=sealed.key.public)

    changed = export()
    changed["lines"][0]["content"] = changed["lines"][0]["content"].replace("1", "2")
    assert said(changed) == "line 1 was changed, moved or deleted"
    deleted = export()
    del deleted["lines"][5]
    assert said(deleted) == "line 6 was changed, moved or deleted"
    swapped = export()
    swapped["lines"][3:5] = reversed(swapped["lines"][3:5])
    assert said(swapped) == "line 4 was changed, moved or deleted"
    cut = export()
    count = len(cut["lines"])
    del cut["lines"][-1]
    assert said(cut) == f"the plant knew another line {count}"
    cut["plant"] = []
    assert said(cut) == "not sealed after line 0"
    forged = export()
    forged["key"] = read_or_make_key(tmp_path / "other.key").public
    assert "was not sealed with the key" in said(forged)
