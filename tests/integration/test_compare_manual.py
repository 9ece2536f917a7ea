"""The plant's orders with a cart and with robots: a table, each order, a picture."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mpms.cli import main
from mpms.factory.domain.orders import OrderLine
from tests.support.paint_factory import SAMPLE, PaintFactory


@pytest.mark.covers("A82")
def test_the_same_orders_are_compared_as_table_rows_and_picture(
    stocked_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MPMS_DATABASE_URL", stocked_url)
    monkeypatch.setenv("MPMS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MPMS_WORLD", "paint_factory")
    out = tmp_path / "compared"
    command = ["compare-manual", "--out", str(out)]
    assert main(command) == 1
    assert "There is no order whose materials have places" in capsys.readouterr().err
    with PaintFactory(stocked_url) as plant:
        plant.make("MO-1")  # its picks are planned
        with plant.uow() as tx:
            tx.orders.add(plant.order("MO-2"))  # its materials lie at their places
            lost = (*SAMPLE, OrderLine("RM-999", "Stardust", SAMPLE[0].required_kg))
            tx.orders.add(plant.order("MO-3", lost))
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "Left out, without places: MO-3" in said
    assert "2 orders of 670.5 kg on average in Paint factory, per order:" in said
    assert "robot, one worker:" in said
    assert "Assumed: walking_mps 1.3" in said
    with out.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_way = {(row["order"], row["way"]): row for row in rows}
    assert len(by_way) == 2 * 4
    assert by_way["MO-1", "cart"]["seconds"] == by_way["MO-2", "cart"]["seconds"]
    assert float(by_way["MO-1", "cart"]["pushed_kg_m"]) > 0
    assert float(by_way["MO-1", "robot_one_worker"]["pushed_kg_m"]) == 0
    picture = out.with_suffix(".svg").read_text(encoding="utf-8")
    assert "2 orders of 670.5 kg in Paint factory" in picture
    assert picture.count("<rect") == 1 + 4 * 5
