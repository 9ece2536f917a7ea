"""What happens to an order is in its record, written as it happens."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import psycopg2
import pytest

from mpms.factory.domain.records import FIRST, PLANT, hash_of
from mpms.factory.domain.records.reading import read_record
from mpms.factory.services.orders.accept import accept_order
from mpms.services.instances.cancel import cancel_instance
from tests.integration.services_records.conftest import RecordPlant


def lines(plant: RecordPlant, record: str) -> list[dict[str, Any]]:
    with plant.uow() as tx:
        return [json.loads(line.content) for line in tx.records.lines(record)]


def made(plant: RecordPlant) -> str:
    return plant.made("MO-2026-0001")


@pytest.mark.covers("A62")
def test_a_record_tells_an_order_from_its_mail_to_its_end(plant: RecordPlant) -> None:
    record = lines(plant, made(plant))
    said = [line["what"] for line in record]
    assert said[0] == "order accepted"
    assert record[0]["data"]["lines"][1]["required_kg"] == "120.5"
    started = record[said.index("instance started")]["data"]
    assert started["process"] == "warehouse"
    assert len(started["sha256"]) == 64
    assert said.count("weighed") == said.count("loaded") == 3
    assert said.count("goal ended") == 7
    ends = [line["new"] for line in record if line["what"] == "order status"]
    assert ends == ["in process", "done"]
    produced = record[said.index("produced")]["data"]
    assert produced == {
        "material": "Matt white wall paint",
        "lot": "MO-2026-0001",
        "kg": "670.5",
    }


@pytest.mark.covers("A16")
def test_a_load_tells_lot_weight_deviation_and_worker(plant: RecordPlant) -> None:
    record = lines(plant, made(plant))
    load = next(line for line in record if line["what"] == "loaded")
    assert load["who"] == "ada"
    assert load["data"] == {
        "material": "RM-001",
        "name": "Water",
        "lot": "L-7",
        "kg": "310.0",
        "required_kg": "310",
        "deviation_kg": "0.0",
    }


def test_a_load_tells_between_which_weights_it_had_to_be(plant: RecordPlant) -> None:
    number = made(plant)
    with plant.uow() as tx:
        read = read_record(number, tx.records.lines(number))
    within = {load.material: load.within_kg for load in read.loads}
    assert within["RM-001"] == Decimal("6.2")  # 2 % of 310 kg


@pytest.mark.covers("A58")
def test_a_wrong_weight_is_a_deviation_of_the_record(plant: RecordPlant) -> None:
    number = "MO-2026-0001"
    plant.accept(number)
    plant.scale.readings = [280.0]
    plant.confirm_everything()
    with plant.uow() as tx:
        read = read_record(number, tx.records.lines(number))
    (wrong,) = read.weighed_again
    assert (wrong.data["material"], wrong.data["measured_kg"]) == ("RM-001", 280.0)
    assert read.loads[0].kg == Decimal("310.0")


def test_a_cancelled_order_is_told_and_made_nothing(plant: RecordPlant) -> None:
    number = "MO-2026-0001"
    plant.accept(number)
    instance_id = plant.rows("SELECT id::text FROM instances")[0][0]
    cancel_instance(plant.uow, plant.advance, instance_id, by="sofia", reason="no drum")
    record = lines(plant, number)
    said = {line["what"]: line for line in record}
    assert said["cancel"]["why"] == "no drum"
    assert said["cancel"]["who"] == "sofia"
    assert "produced" not in said


@pytest.mark.covers("A15", "A85")
def test_the_lines_of_an_order_get_what_was_weighed(plant: RecordPlant) -> None:
    made(plant)
    rows = plant.rows(
        "SELECT material, measured_kg::float, loaded_lot, loaded_at IS NOT NULL"
        " FROM order_lines ORDER BY line"
    )
    assert rows == [
        ("RM-001", 310.0, "L-7", True),
        ("RM-002", 120.5, "L-7", True),
        ("RM-003", 240.0, "L-7", True),
    ]


def test_each_line_goes_on_from_the_one_before(plant: RecordPlant) -> None:
    record = made(plant)
    with plant.uow() as tx:
        kept = tx.records.lines(record)
        opened = json.loads(tx.records.lines(PLANT)[0].content)
        heads = {head.record: head for head in tx.records.heads()}
    before = FIRST
    for number, line in enumerate(kept, 1):
        assert line.line == number == json.loads(line.content)["line"]
        assert line.hash == hash_of(before, line.content)
        before = line.hash
    assert heads[record].hash == before
    assert opened["data"] == {"record": record, "hash": kept[0].hash}


def test_what_is_undone_leaves_no_line(plant: RecordPlant) -> None:
    def break_off() -> None:
        with plant.uow() as tx:
            order = plant.order("MO-2026-0002")
            accept_order(tx, plant.engine, order, by="buyer@plant")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert plant.rows("SELECT count(*) FROM record_lines") == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record_lines SET content = '{}' WHERE line = 3",
        "DELETE FROM record_lines WHERE line = 3",
        "TRUNCATE record_lines",
    ],
)
def test_no_line_can_be_changed(plant: RecordPlant, statement: str) -> None:
    made(plant)
    with pytest.raises(psycopg2.errors.RaiseException, match="append-only"):
        plant.rows(statement)


def test_an_instance_without_an_order_leaves_no_record(plant: RecordPlant) -> None:
    plant.start("warehouse", business_key="MO-2026-0009", order_number="MO-2026-0009")
    assert plant.rows("SELECT count(*) FROM record_lines") == [(0,)]
