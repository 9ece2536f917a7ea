"""Materials, recipes and their versions by the API."""

from __future__ import annotations

from typing import Any

from tests.support.web_api import Plant

ZINC = {
    "name": "Zinc phosphate",
    "aliases": ["Zinkphosphat"],
    "max_kg": 400.5,
    "place": "B",
    "reason": "new primer",
}
PRIMER = {
    "batch": 100,
    "unit": "kg",
    "lines": [{"material": "RM-001", "kg": 40}, {"material": "RM-321", "kg": 10}],
    "reason": "new product",
}
LINES = {"lines": [{"material": "RM-321", "amount": 25, "unit": "kg"}]}


def order(number: str) -> dict[str, Any]:
    return {"order": number, **LINES}


def test_a_material_is_put_read_ordered_and_deleted(plant: Plant) -> None:
    admin, leader = plant.program("admin"), plant.program("supervisor")
    assert leader("GET", "/materials/RM-321").status_code == 404
    refused = leader("POST", "/orders", order("MO-2026-0001"))
    assert [r["code"] for r in refused.json["reasons"]] == ["unknown_material"]
    made = admin("PUT", "/materials/RM-321", ZINC)
    assert made.status_code == 200, made.text
    assert made.json == {
        "code": "RM-321",
        "name": "Zinc phosphate",
        "aliases": ["Zinkphosphat"],
        "max_kg": 400.5,
        "density_kg_per_l": None,
        "place": "B",
        "picture": "",
        "version": 2,
    }
    assert leader.get("/materials/RM-321") == made.json
    assert made.json in leader.get("/materials")["items"]
    known = {m["code"]: m for m in admin.get("/plant/materials")["items"]}
    assert (known["RM-321"]["place"], known["RM-321"]["problem"]) == ("B", "")
    places = {p["name"]: p for p in leader.get("/floor/plan")["places"]}
    assert "RM-321" in places["B"]["materials"]
    assert leader("POST", "/orders", order("MO-2026-0001")).status_code == 201
    gone = admin("DELETE", "/materials/RM-321", query_string={"reason": "sold out"})
    assert gone.json == {"version": 3, "open_orders": ["MO-2026-0001"]}
    assert plant.told("material removed") == [
        (
            "api:robot-admin",
            {
                "material": "RM-321",
                "name": "Zinc phosphate",
                "version": 3,
                "reason": "sold out",
            },
        )
    ]


def test_a_recipe_is_put_under_any_of_its_names_and_keeps_its_material(
    plant: Plant,
) -> None:
    admin = plant.program("admin")
    unknown = admin("PUT", "/recipes/Grey primer", PRIMER)
    assert unknown.status_code == 422
    assert unknown.json["errors"] == [
        {
            "in": "body",
            "at": "line-2",
            "code": "unknown_material",
            "reason": "There is no material RM-321.",
        }
    ]
    admin("PUT", "/materials/RM-321", ZINC)
    made = admin("PUT", "/recipes/Grey primer", PRIMER)
    assert made.status_code == 200, made.text
    assert made.json["name"] == "Grey primer"
    renamed = admin("PUT", "/recipes/GREY-primer", PRIMER | {"name": "Primer 50/50"})
    assert renamed.json["name"] == "Primer 50/50"
    assert [r["name"] for r in admin.get("/recipes")["items"]].count("Grey primer") == 0
    needed = admin("DELETE", "/materials/RM-321", query_string={"reason": "tidy"})
    assert needed.status_code == 409
    assert "Primer 50/50" in needed.json["detail"]
    gone = admin("DELETE", "/recipes/Primer 50 50", query_string={"reason": "tidy"})
    assert (gone.status_code, gone.json["did"]) == (200, "recipe removed")
    assert admin("GET", "/recipes/Primer 50 50").status_code == 404


def test_a_client_does_not_overwrite_what_it_has_not_seen(plant: Plant) -> None:
    admin = plant.program("admin")
    seen = admin("PUT", "/materials/RM-321", ZINC).json["version"]
    admin("PUT", "/materials/RM-321", ZINC | {"max_kg": 300})
    late = ZINC | {"max_kg": 200, "version": seen}
    answer = admin("PUT", "/materials/RM-321", late)
    assert answer.status_code == 409
    assert answer.json["type"].endswith("#problem-catalogue-changed")
    assert "robot-admin has changed this meanwhile" in answer.json["detail"]
    assert admin.get("/materials/RM-321")["max_kg"] == 300


def test_faults_are_named_and_change_nothing(plant: Plant) -> None:
    admin = plant.program("admin")
    wrong = ZINC | {"name": "Water", "place": "moon"}
    answer = admin("PUT", "/materials/RM-321", wrong)
    assert answer.status_code == 422
    assert [e["at"] for e in answer.json["errors"]] == ["name", "place"]
    for body in (
        ZINC | {"max_kg": 0},
        ZINC | {"max_kg": "much"},
        {k: v for k, v in ZINC.items() if k != "reason"},
    ):
        assert admin("PUT", "/materials/RM-321", body).status_code == 422
    assert admin("PUT", "/materials/x-1", ZINC).status_code == 404
    assert admin("DELETE", "/materials/RM-001").status_code == 422
    assert plant.rows("SELECT count(*) FROM catalogue_versions") == [(0,)]


def test_a_repeated_request_makes_one_version(plant: Plant) -> None:
    admin = plant.program("admin")
    first = admin("PUT", "/materials/RM-321", ZINC, key="once")
    again = admin("PUT", "/materials/RM-321", ZINC, key="once")
    assert first.json == again.json
    assert again.headers["Idempotency-Replayed"] == "true"
    assert plant.rows("SELECT count(*) FROM catalogue_versions") == [(2,)]


def test_versions_are_listed_read_and_taken_again(plant: Plant) -> None:
    admin = plant.program("admin")
    for number in range(3):
        admin("PUT", "/materials/RM-321", ZINC | {"max_kg": 100 + number})
    page = admin.get("/catalogue/versions", limit=2)
    assert [v["number"] for v in page["items"]] == [4, 3]
    rest = admin.get("/catalogue/versions", cursor=page["next"])
    assert [(v["number"], v["did"]) for v in rest["items"]] == [
        (2, "material added"),
        (1, "catalogue file taken"),
    ]
    third = admin.get("/catalogue/versions/3")
    assert third["changes"] == [
        {
            "kind": "material",
            "key": "RM-321",
            "name": "Zinc phosphate",
            "change": "changed",
            "fields": [{"field": "max_kg", "old": "100", "new": "101"}],
        }
    ]
    assert "RM-321" in {m["code"] for m in third["materials"]}
    why = {"reason": "as it was"}
    made = admin.post("/catalogue/versions/3/again", why)
    assert (made["number"], made["did"]) == (5, "catalogue version taken")
    assert admin.get("/materials/RM-321")["max_kg"] == 101
    same = admin("POST", "/catalogue/versions/3/again", why)
    assert same.status_code == 409
    assert admin("POST", "/catalogue/versions/99/again", why).status_code == 404
    assert admin.post("/catalogue/file/again", why)["did"] == "catalogue file taken"
    assert admin("GET", "/materials/RM-321").status_code == 404
    wrong = admin("GET", "/catalogue/versions", query_string={"cursor": "x"})
    assert wrong.status_code == 422
