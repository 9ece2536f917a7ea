"""The batch record of an order on its page, on paper and as a file; tracing lots."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.domain.people.people import Role
from mpms.factory.adapters.documents import TypstDocuments
from mpms.factory.adapters.plant_key import read_or_make_key
from mpms.factory.domain.labels import Label, zpl
from mpms.factory.domain.stock import Lot, LotState
from mpms.factory.ports.robots.tracks import TrackPoint
from mpms.factory.services.records.seal import SealRecords
from mpms.factory.services.stock.move import receive_lot
from tests.support.site import row_of
from tests.support.web_orders import Plant

NUMBER = "MO-2026-0001"


@pytest.fixture
def made(plant: Plant, tmp_path: Path) -> Plant:
    """An order that was made, with the way of its robot, and sealed."""
    instance_id = plant.make(NUMBER)
    robot = plant.rows("SELECT robot FROM robot_holds")[0][0]
    with plant.uow() as tx:
        tx.tracks.add(
            [
                TrackPoint(robot, datetime(2026, 1, 1, 8, s, tzinfo=UTC), s / 2, 1.0)
                for s in range(20)
            ]
        )
    plant.answer_everything()
    assert instance_id
    key = read_or_make_key(tmp_path / "records.key")
    assert SealRecords(plant.uow, key, quiet_s=0.0)()
    return plant


def test_the_page_tells_loads_steps_models_and_the_seal(made: Plant) -> None:
    page = made.page(f"/orders/{NUMBER}/record")
    row = row_of(page, "Titanium dioxide")
    assert ">L-2026-0042</a>" in row
    assert "<strong>120.500</strong>" in row
    assert "+0.000" in row
    assert "Warehouse, Version 1" in page
    assert "Load material" in page
    assert ">sealed</span>" in page
    assert "was changed" not in page


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_page_speaks_the_language_of_its_reader(made: Plant, language: str) -> None:
    page = made.page(f"/orders/{NUMBER}/record", language=language)
    assert {"de": "Chargenprotokoll", "es": "Registro de lote"}[language] in page


def test_pictures_show_the_route_and_the_way_through_the_model(made: Plant) -> None:
    browser = made.browser()
    route = browser.get(f"/orders/{NUMBER}/record/route.svg")
    assert "<polyline" in route.text
    assert ">tank</text>" in route.text
    model = browser.get(f"/orders/{NUMBER}/record/model/0.svg")
    assert model.content_type.startswith("image/svg+xml")
    assert 'stroke="#1264a3"' in model.text
    assert browser.get(f"/orders/{NUMBER}/record/model/7.svg").status_code == 404


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_pdf_is_a_pdf(made: Plant, language: str) -> None:
    answer = made.browser(language=language).get(f"/orders/{NUMBER}/record.pdf")
    assert answer.content_type == "application/pdf"
    assert answer.data.startswith(b"%PDF-")


def test_without_the_package_the_page_names_the_command(
    made: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TypstDocuments, "can_set", False)
    assert "pip install &#39;mpms[records]&#39;" in made.page(
        f"/orders/{NUMBER}/record"
    )
    answer = made.browser().get(f"/orders/{NUMBER}/record.pdf")
    assert answer.status_code == 501
    assert "mpms[records]" in answer.text


def test_a_changed_record_says_so_on_its_page(made: Plant) -> None:
    made.rows(
        "SET session_replication_role = replica; UPDATE record_lines"
        " SET content = replace(content, '120.5', '120.6') WHERE what = 'loaded'"
    )
    assert "was changed" in made.page(f"/orders/{NUMBER}/record")


def test_an_order_without_a_record_has_no_page_of_it(plant: Plant) -> None:
    plant.add("MO-2026-0002")
    answer = plant.browser().get("/orders/MO-2026-0002/record")
    assert answer.status_code == 404


def test_the_export_is_the_record(made: Plant) -> None:
    found = json.loads(made.browser().get(f"/orders/{NUMBER}/record.json").text)
    assert found["record"] == NUMBER
    assert json.loads(found["lines"][-1]["content"])["what"] == "sealed"


# -- signatures ------------------------------------------------------------


def signer(plant: Plant) -> None:
    plant.person("sofia", Role.SUPERVISOR, name="Sofía Ruiz")
    with plant.uow() as tx:
        tx.people.set_password("sofia", Argon2Hasher().hash("right horse"))


def sign(plant: Plant, password: str, meaning: str = "released") -> int:
    answer = plant.browser_of("sofia", hasher=Argon2Hasher()).post(
        f"/orders/{NUMBER}/record/sign",
        data={"meaning": meaning, "why": "all within limits", "password": password},
    )
    return int(answer.status_code)


def signed_lines(plant: Plant) -> list[dict[str, object]]:
    rows = plant.rows("SELECT content FROM record_lines WHERE what = 'signed'")
    return [json.loads(content) for (content,) in rows]


def test_a_signature_needs_the_password_again_and_has_a_meaning(made: Plant) -> None:
    signer(made)
    head = made.rows("SELECT lines, hash FROM record_heads WHERE record = %s", NUMBER)
    assert sign(made, "right horse") == 303
    (line,) = signed_lines(made)
    assert (line["who"], line["why"]) == ("sofia", "all within limits")
    assert line["data"] == {
        "meaning": "released",
        "person": "Sofía Ruiz",
        "lines": head[0][0],
        "hash": head[0][1],
        "by": "password",
    }
    page = made.page(f"/orders/{NUMBER}/record")
    assert "<strong>Product released by me</strong>: Sofía" in page
    assert "Sofía Ruiz (sofia)" in page


def test_what_a_recipe_asks_for_comes_in_its_turn_and_from_different_people(
    made: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer(made)
    made.person("max", Role.WORKER, name="Max Weber", groups=["worker"])
    with made.uow() as tx:
        tx.people.set_password("max", Argon2Hasher().hash("left horse"))
    asked = {"record.signatures": "made, released"}
    monkeypatch.setattr(type(made.engine), "properties", lambda *_: asked)
    page = made.page(f"/orders/{NUMBER}/record")
    assert page.count(">missing</span>") == 2
    assert sign(made, "right horse") == 422  # nobody has said who made it
    said = {"meaning": "made", "why": "", "password": "left horse"}
    path = f"/orders/{NUMBER}/record/sign"
    max_ = made.browser_of("max", hasher=Argon2Hasher())
    assert max_.post(path, data=said).status_code == 303
    same = max_.post(path, data=said | {"meaning": "released"})
    assert same.status_code == 422
    assert "Somebody else has to sign this" in same.text
    assert sign(made, "right horse") == 303
    assert [line["who"] for line in signed_lines(made)] == ["max", "sofia"]
    assert ">missing</span>" not in made.page(path.removesuffix("/sign"))


def test_a_wrong_password_signs_nothing_and_is_told(made: Plant) -> None:
    signer(made)
    assert sign(made, "wrong horse") == 422
    assert sign(made, "right horse", meaning="adored") == 422
    assert signed_lines(made) == []
    rows = made.rows("SELECT count(*) FROM record_lines WHERE what LIKE '%refused'")
    assert rows == [(1,)]


def test_a_viewer_signs_nothing(made: Plant) -> None:
    answer = made.browser(Role.VIEWER).post(
        f"/orders/{NUMBER}/record/sign", data={"meaning": "made", "password": "x"}
    )
    assert answer.status_code == 403


# -- lots ------------------------------------------------------------


def test_a_lot_leads_to_orders_and_customers_and_back(made: Plant) -> None:
    page = made.page("/orders/trace?lot=L-2026-0042")
    assert f">{NUMBER}</a>" in page
    assert "buyer@example.com" in page
    back = made.page(f"/orders/trace?lot={NUMBER}")
    assert back.count(">L-2026-0042</a>") == 2  # two materials of the same lot
    assert "L-2026-0042" in made.page("/orders/trace?lot=L-2026")
    assert "No batch record knows" in made.page("/orders/trace?lot=L-9")


def test_a_product_in_a_product_is_found_through_both(made: Plant) -> None:
    made.make("MO-2026-0003", customer="other@example.com")
    made.answer({"confirmed": True, "lot": NUMBER})
    made.answer_everything()
    with made.uow() as tx:
        uses = tx.genealogy.of_lot("L-2026-0042", limit=100)
    found = {(use.order, use.depth) for use in uses if use.lot == NUMBER}
    assert found == {("MO-2026-0003", 2)}
    with made.uow() as tx:
        back = tx.genealogy.of_lot("MO-2026-0003", limit=100)
    assert ("L-2026-0042", 2) in {(use.lot, use.depth) for use in back}


def test_a_recall_is_a_list_and_a_draft_for_each_customer(made: Plant) -> None:
    browser = made.browser()
    listed = browser.get("/orders/trace/recall.csv?lot=L-2026-0042").text.splitlines()
    assert listed[0] == "order,product,customer,status,ended_at,material,lot,kg,steps"
    assert listed[1].startswith(
        f"{NUMBER},Matt white wall paint,buyer@example.com,done"
    )
    draft = browser.get("/orders/trace/recall/0.eml?lot=L-2026-0042").text
    assert "To: buyer@example.com" in draft
    assert "X-Unsent: 1" in draft
    assert NUMBER in draft
    assert browser.get("/orders/trace/recall/1.eml?lot=L-2026-0042").status_code == 404
    assert made.mailed == []
    assert made.rows("SELECT count(*) FROM outbox") == [(0,)]


# -- labels ---------------------------------------------------------------------------


def test_labels_are_printed_for_lots_and_all_places(plant: Plant) -> None:
    browser = plant.browser()
    lot = browser.get("/orders/labels/lot.pdf?code=L-2026-0042&code=L-7")
    assert lot.data.startswith(b"%PDF-")
    places = browser.get("/orders/labels/place.zpl").text
    assert places.count("^XA") == len(plant.world.places)
    assert "^FDtank^FS" in places
    assert browser.get("/orders/labels/lot.pdf").status_code == 422
    assert browser.get("/orders/labels/cow.zpl?code=1").status_code == 422


def test_a_label_of_a_lot_tells_gs1_and_hides_commands_of_the_printer() -> None:
    label = Label(
        "lot", "L-7", "Water", kg=Decimal("12.5"), best_before=date(2027, 1, 31)
    )
    assert label.gs1 == "(17)270131(3103)012500(10)L-7"
    printed = zpl([label, Label("container", "^XZ~JA")])
    assert "^BCN,100,Y,N,N,D^FH^FD(17)270131(3103)012500(10)L-7^FS" in printed
    assert "_5EXZ_7EJA" in printed
    assert Label("lot", "a lot whose name is far too long").gs1 == ""


def test_a_lot_is_traced_to_what_is_left_of_it_and_found_by_its_suppliers_number(
    plant: Plant,
) -> None:
    with plant.uow() as tx:
        lot = Lot("W-1", "RM-001", LotState.RELEASED, None, "CHEM", "CH-99")
        receive_lot(tx, lot, place="A", grams=2500, by="gina", reason="delivery")
    found = plant.page("/orders/trace?lot=CH-99")
    assert "/orders/trace?lot=W-1" in found
    row = row_of(plant.page("/orders/trace?lot=W-1"), "2.500")
    assert ">A<" in row
