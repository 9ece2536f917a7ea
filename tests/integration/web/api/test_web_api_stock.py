"""Stock by the API: goods in, stock-take, what lies where."""

from __future__ import annotations

from base64 import b64encode

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


def test_a_table_of_materials_is_previewed_and_taken_as_one_version(
    plant: Plant,
) -> None:
    admin = plant.program("admin")
    table = admin.get("/catalogue/table")["csv"]
    same = admin.post("/catalogue/table", {"csv": table})
    assert (same["faults"], same["changes"]) == ([], [])
    wanted = (
        "code;name;max_kg;minimum_kg;hazards;names\r\n"
        "RM-001;Water;3000;500;;de: Leitungswasser\r\n"
        "4711-B;Zinc phosphate;400,5;20;GHS09; \r\n"
    )
    seen = admin.post("/catalogue/table", {"csv": wanted})
    assert [(c["material"], c["change"]) for c in seen["changes"]] == [
        ("4711-B", "added"),
        ("RM-001", "changed"),
    ]
    assert seen["version"] is None
    assert seen["changes"][1]["fields"]["minimum_kg"] == ["", "500"]
    assert "4711-B" not in admin.get("/catalogue/table")["csv"]
    taken = admin.post(
        "/catalogue/table", {"csv": wanted, "take": True, "reason": "yearly table"}
    )
    assert taken["version"] == 2
    assert "4711-B" in admin.get("/catalogue/table")["csv"]
    admin.post("/stock/lots", BODY)
    (short,) = admin.get("/stock")["short"]
    assert (short["material"], float(short["minimum_kg"])) == ("RM-001", 500)


def test_every_fault_of_a_table_is_named_by_row_and_column(plant: Plant) -> None:
    admin = plant.program("admin")
    bad = (
        "code,name,max_kg,place,colour\n"
        "RM 1,Zinc,much,moon,red\n"
        "RM-002,Water,5,,\n"
        "RM-002,again,5,,\n"
    )
    said = admin.post("/catalogue/table", {"csv": bad, "take": True, "reason": "x"})
    assert said["version"] is None
    found = {(f["row"], f["column"], f["code"]) for f in said["faults"]}
    assert found == {
        (1, "colour", "column_unknown"),
        (2, "code", "code_form"),
        (2, "max_kg", "number"),
        (2, "place", "place_unknown"),
        (3, "name", "name_taken"),
        (4, "code", "row_twice"),
    }


def test_a_material_gets_a_picture_that_everybody_sees(plant: Plant) -> None:
    admin, worker = plant.program("admin"), plant.program("worker")
    address = "/materials/RM-001/picture"
    assert worker("GET", address).status_code == 404
    png = b"\x89PNG\r\n\x1a\n a sack"
    given = {"content": b64encode(png).decode(), "reason": "new sacks"}
    made = admin("PUT", address, given).json
    assert made["picture"].endswith(".png")
    shown = worker("GET", address)
    assert (shown.data, shown.content_type) == (png, "image/png")
    assert worker("PUT", address, given).status_code == 403
    text = given | {"content": b64encode(b"<svg>").decode()}
    assert "JPEG, PNG or WebP" in admin("PUT", address, text).text
    assert "base64" in admin("PUT", address, given | {"content": "?"}).text
    gone = admin("DELETE", f"{address}?reason=torn")
    assert gone.json["picture"] == ""
    assert worker("GET", address).status_code == 404
