"""Stock by the API: goods in, stock-take, what lies where."""

from __future__ import annotations

from tests.support.web_api import Plant

BODY = {"lot": "W-1", "material": "Water", "kg": 20, "place": "A"}


def test_goods_in_stock_take_and_release(plant: Plant) -> None:
    leader, viewer = plant.program("supervisor"), plant.program("viewer")
    made = leader("POST", "/stock/lots", BODY)
    assert (made.status_code, made.json["state"]) == (200, "quarantine"), made.text
    again = leader("POST", "/stock/lots", BODY)
    assert "There is a lot W-1 already." in again.text
    count = {"lot": "W-1", "place": "A", "kg": 19.5}
    assert float(leader.post("/stock/counts", count)["difference_kg"]) == -0.5
    assert viewer("POST", "/stock/counts", count).status_code == 403
    said = {"state": "released", "reason": "the certificate is there"}
    story = leader.post("/stock/lots/W-1/state", said)
    assert story["state"] == "released"
    assert [move["kind"] for move in story["moves"]] == ["correct", "receive"]
    (row,) = viewer.get("/stock")["items"]
    assert (row["lot"], row["place"], float(row["kg"])) == ("W-1", "A", 19.5)
    assert viewer("GET", "/stock/lots/W-2").status_code == 404
    assert viewer.get("/schedule")["orders"] == []
