"""Materials and recipes on the pages: added, changed, removed, and taken again."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest

from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.services.catalogue.current import CurrentCatalogue
from tests.support.site import Browser
from tests.support.web_admin import Office

NEW = "/admin/places/materials/new"
WATER = "/admin/places/materials/RM-001"
ZINC = {
    "code": "rm-321",
    "name": "Zinc phosphate",
    "aliases": "Zinkphosphat\r\n\r\n Fosfato  de zinc ",
    "max_kg": "400,5",
    "density_kg_per_l": "",
    "place": "B",
    "reason": "new primer",
}
PRIMER = {
    "name": "Grey primer 50/50",
    "aliases": "",
    "batch": "100",
    "unit": "kg",
    "density_kg_per_l": "",
    "material": ["RM-001", "", "RM-002"],
    "kg": ["40", "", "12.5"],
    "reason": "new product",
}


def seen_in(page: str) -> str:
    found = re.search(r'name="seen" value="(\d*)"', page)
    assert found is not None
    return found[1]


def entry(office: Office, code: str) -> Any:
    return office.catalogue.by_code(code)


def test_only_administrators_come_here(office: Office) -> None:
    for login in ("sofia", "ana"):
        browser = office.browser_of(login)
        assert browser.get(NEW).status_code == 403
        assert browser.post(NEW, data=ZINC).status_code == 403
        assert browser.get("/admin/places/versions").status_code == 403
    assert office.desk().in_force.version == 0


def test_a_material_is_added_with_its_place_and_can_be_ordered(
    office: Office, admin: Browser
) -> None:
    answer = admin.post(NEW, data=ZINC, follow_redirects=True)
    assert answer.status_code == 200
    assert "RM-321 is saved as version 2." in answer.text
    found = entry(office, "RM-321")
    assert found.aliases == ("Zinkphosphat", "Fosfato de zinc")
    assert (str(found.max_kg), found.density_kg_per_l, found.place) == (
        "400.5",
        None,
        "B",
    )
    page = admin.get("/admin/places").text
    assert "In force: version 2." in page
    assert "new primer" in page
    assert "RM-321 Zinc phosphate" in admin.get("/orders/new").text
    (place,) = [
        p for p in admin.get("/admin/places.json").json["places"] if p["name"] == "B"
    ]
    assert "RM-321" in place["materials"]
    (known,) = [
        p for p in admin.get("/map/plan.json").json["places"] if p["name"] == "B"
    ]
    assert "RM-321" in known["materials"]
    assert office.told("material added") == [
        (
            "adam",
            {
                "material": "RM-321",
                "old": {f: "" for f in ("name", "aliases", "max_kg", "place")},
                "new": {
                    "name": "Zinc phosphate",
                    "aliases": "Zinkphosphat, Fosfato de zinc",
                    "max_kg": "400.5",
                    "place": "B",
                },
                "version": 2,
                "reason": "new primer",
            },
        )
    ]
    audit = admin.get("/admin/audit?thing=RM-321").text
    assert "added a material" in audit


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"code": "RM 1"}, "A code has capitals, digits"),
        ({"code": "RM-001"}, "This code belongs to Water."),
        ({"name": ""}, "Write a name with at least one letter"),
        ({"name": "chalk"}, "This name stands for RM-003 Calcium carbonate."),
        ({"aliases": "Wasser"}, "One stands for something else: Wasser: RM-001 Water"),
        ({"max_kg": "much"}, "Write a number above zero"),
        ({"density_kg_per_l": "-1"}, "Write a number above zero"),
        ({"place": "moon"}, "Choose a place that is on the floor."),
        ({"reason": " "}, "Enter a reason; it is kept in the history."),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(
    office: Office, admin: Browser, change: dict[str, str], told: str
) -> None:
    answer = admin.post(NEW, data=ZINC | change)
    assert answer.status_code == 422
    (error,) = re.findall(r'class="field-error"[^>]*>([^<]+)', answer.text)
    assert told in error
    assert 'aria-invalid="true"' in answer.text
    kept = ZINC | change
    for name in ("name", "max_kg"):
        assert f'value="{kept[name]}"' in answer.text
    if "reason" not in change:
        assert 'value="new primer"' in answer.text
    assert "Zinkphosphat\nFosfato de zinc" in answer.text or "aliases" in change
    assert office.desk().in_force.version == 0


def test_all_that_is_wrong_is_told_at_once(office: Office, admin: Browser) -> None:
    page = admin.post(NEW, data={"code": "RM 1", "name": "chalk", "max_kg": "0"})
    errors = re.findall(r'class="field-error" id="([^"]+)"', page.text)
    assert errors == ["code-error", "name-error", "max_kg-error", "save-reason-error"]


def test_a_material_is_changed_and_stands_elsewhere(
    office: Office, admin: Browser
) -> None:
    page = admin.get(WATER).text
    assert "where the world file says: A" in page
    offered = set(re.findall(r'<option value="([^"]+)"', page))
    homes = {robot.home for robot in office.world.robots}
    assert offered == set(office.world.places) - homes
    data = {"name": "Soft water", "aliases": "Agua", "max_kg": "2500", "place": "C"}
    changed = data | {"seen": seen_in(page), "reason": "softener"}
    answer = admin.post(WATER, data=changed, follow_redirects=True)
    assert "RM-001 is saved as version 2." in answer.text
    assert entry(office, "RM-001").name == "Soft water"
    assert office.desk().placed_world.material_places["RM-001"] == "C"
    again = admin.get(WATER).text
    same = admin.post(
        WATER, data=changed | {"seen": seen_in(again)}, follow_redirects=True
    )
    assert "Nothing has changed." in same.text
    assert admin.get("/admin/places/materials/RM-777").status_code == 404


def test_whoever_comes_second_is_told_by_whom_and_what_and_may_save_again(
    office: Office, admin: Browser
) -> None:
    seen = seen_in(admin.get(WATER).text)
    data = {"name": "Water", "aliases": "Agua", "max_kg": "2000"}
    first = data | {"seen": seen, "reason": "small tank"}
    assert admin.post(WATER, data=first).status_code == 303
    second = data | {"max_kg": "2750", "seen": seen, "reason": "big tank"}
    answer = admin.post(WATER, data=second)
    assert answer.status_code == 409
    assert "adam has changed this meanwhile (version 2): small tank" in answer.text
    assert "3000 → 2000" in answer.text
    assert 'value="2750"' in answer.text
    third = second | {"seen": seen_in(answer.text)}
    assert admin.post(WATER, data=third).status_code == 303
    assert entry(office, "RM-001").max_kg == 2750


def test_what_was_removed_meanwhile_can_be_added_again_from_what_was_typed(
    office: Office, admin: Browser
) -> None:
    admin.post(NEW, data=ZINC)
    address = "/admin/places/materials/RM-321"
    seen = seen_in(admin.get(address).text)
    admin.post(f"{address}/remove", data={"reason": "mistake", "seen": seen})
    answer = admin.post(address, data=ZINC | {"seen": seen, "name": "Zinc"})
    assert answer.status_code == 409
    assert f'action="{NEW}"' in answer.text
    assert 'value="Zinc"' in answer.text
    assert admin.post(NEW, data=ZINC | {"name": "Zinc"}).status_code == 303
    assert entry(office, "RM-321").name == "Zinc"


def test_a_material_of_a_recipe_stays_and_one_of_open_orders_goes_with_a_warning(
    office: Office, admin: Browser
) -> None:
    admin.post(NEW, data=ZINC)
    recipe = PRIMER | {"material": ["RM-321"], "kg": ["3"]}
    admin.post("/admin/places/recipes/new", data=recipe)
    address = "/admin/places/materials/RM-321"
    refused = admin.post(f"{address}/remove", data={"reason": "tidy"})
    assert refused.status_code == 422
    assert "change them first: Grey primer 50/50" in refused.text
    gone = {"name": "Grey primer 50/50"}
    admin.post(
        "/admin/places/recipe/remove", query_string=gone, data={"reason": "tidy"}
    )
    office.rows(
        "INSERT INTO orders (number, product, priority, customer, status)"
        " VALUES ('MO-2026-0007', 'Primer', 'normal', 'x@example.com', 'new')"
    )
    office.rows(
        "INSERT INTO order_lines (order_number, line, material, name, required_kg)"
        " VALUES ('MO-2026-0007', 0, 'RM-321', 'Zinc phosphate', 5)"
    )
    assert "still need it: MO-2026-0007" in admin.get(address).text
    nothing = admin.post(f"{address}/remove", data={"reason": " "})
    assert nothing.status_code == 422
    done = admin.post(
        f"{address}/remove", data={"reason": "sold out"}, follow_redirects=True
    )
    assert "RM-321 is removed from the catalogue." in done.text
    assert "still need it: MO-2026-0007" in done.text
    assert entry(office, "RM-321") is None


def test_a_recipe_with_any_name_is_added_changed_and_removed(
    office: Office, admin: Browser
) -> None:
    name = {"name": "Grey primer 50/50"}
    answer = admin.post("/admin/places/recipes/new", data=PRIMER, follow_redirects=True)
    assert "Grey primer 50/50 is saved" in answer.text
    found = office.catalogue.recipe("grey primer 50 50")
    assert found is not None
    assert [(x.material, float(x.kg)) for x in found.lines] == [
        ("RM-001", 40.0),
        ("RM-002", 12.5),
    ]
    page = admin.get("/admin/places/recipe", query_string=name)
    assert page.status_code == 200
    changed = PRIMER | {"name": "Grey primer", "seen": seen_in(page.text)}
    done = admin.post("/admin/places/recipe", query_string=name, data=changed)
    assert done.status_code == 303
    assert office.catalogue.recipe("Grey primer 50/50") is None
    name = {"name": "Grey primer"}
    admin.post("/admin/places/recipe/remove", query_string=name, data={"reason": "no"})
    assert office.catalogue.recipe("Grey primer") is None
    assert admin.get("/admin/places/recipe", query_string=name).status_code == 404


def test_lines_of_a_recipe_are_added_and_removed_without_scripts(
    office: Office, admin: Browser
) -> None:
    address = "/admin/places/recipes/new"
    assert admin.get(address).text.count('name="material"') == 3
    more = admin.post(address, data=PRIMER | {"action": "add"})
    assert more.text.count('name="material"') == 4
    less = admin.post(address, data=PRIMER | {"action": "remove:0"})
    assert less.text.count('name="material"') == 2
    assert 'value="12.5"' in less.text
    assert office.desk().in_force.version == 0


def test_faults_of_a_recipe_stand_at_their_lines(
    office: Office, admin: Browser
) -> None:
    wrong = PRIMER | {
        "batch": "0",
        "unit": "gal",
        "material": ["RM-001", "", "RM-777", ""],
        "kg": ["x", "", "5", "7"],
    }
    page = admin.post("/admin/places/recipes/new", data=wrong)
    assert page.status_code == 422
    errors = re.findall(r'class="field-error" id="([^"]+)"', page.text)
    assert errors == [
        "batch-error",
        "unit-error",
        "line-1-error",
        "line-3-error",
        "line-4-error",
    ]
    empty = PRIMER | {"material": [""], "kg": [""]}
    page = admin.post("/admin/places/recipes/new", data=empty)
    assert "A recipe needs at least one material." in page.text


def test_versions_tell_who_and_why_and_can_be_taken_again(
    office: Office, admin: Browser
) -> None:
    versions = "/admin/places/versions"
    assert "Nobody has changed anything here yet." in admin.get(versions).text
    admin.post(NEW, data=ZINC)
    page = admin.get(versions).text
    assert "Material RM-321 added" in page
    assert "As in the plant’s file" in page
    assert "new primer" in page
    nothing = {"number": "1", "seen": "2", "reason": ""}
    assert admin.post(versions, data=nothing).status_code == 422
    back = {"number": "1", "seen": "2", "reason": "too early"}
    done = admin.post(versions, data=back, follow_redirects=True)
    assert "Version 1 restored. Version 3 is in force." in done.text
    assert entry(office, "RM-321") is None
    late = admin.post(versions, data={"number": "2", "seen": "2", "reason": "x"})
    assert late.status_code == 422
    assert "adam has changed this meanwhile (version 3): too early" in late.text
    assert "This is what is in force already." in (
        admin.post(versions, data={"number": "1", "reason": "x"}).text
    )
    assert "There is no such version." in (
        admin.post(versions, data={"number": "99", "reason": "x"}).text
    )


def test_the_file_is_taken_again_as_it_is_now(office: Office) -> None:
    files = [office.catalogue]
    materials = CurrentCatalogue(lambda: files[0], path="catalogue.json")
    admin = office.browser_of("adam", materials=materials)
    admin.post(NEW, data=ZINC)
    versions = "/admin/places/versions"
    page = admin.get(versions).text
    assert "The plant’s file says something else" in page
    assert "Entries in which the plant’s file differs: 1" in page
    files[0] = Catalogue(files[0].materials[:3])
    data = {"file": "yes", "seen": "2", "reason": "fewer"}
    done = admin.post(versions, data=data, follow_redirects=True)
    assert "As in the plant’s file. Version 3 is in force." in done.text
    assert "The plant’s file says something else" not in done.text
    assert len(office.catalogue.materials) == 3


def test_old_versions_are_paged(office: Office, admin: Browser) -> None:
    for number in range(22):
        other = {"code": f"RM-5{number:02}", "name": f"M{number}", "aliases": ""}
        admin.post(NEW, data=ZINC | other)
    page = admin.get("/admin/places/versions").text
    assert page.count('id="version-') == 20
    (below,) = re.findall(r"below=(\d+)", page)
    rest = admin.get(f"/admin/places/versions?below={below}").text
    assert rest.count('id="version-') == 3
    assert "Older versions" not in rest


def test_a_material_without_a_place_is_warned_of_with_the_way_to_mend_it(
    office: Office, admin: Browser
) -> None:
    admin.post(NEW, data=ZINC | {"place": ""})
    page = admin.get("/admin/places").text
    assert "the world has no place for it" in page
    assert "Set its place" in page
    admin.post("/admin/places/materials/RM-014/remove", data={"reason": "sold out"})
    page = admin.get("/admin/places").text
    assert "/admin/places/materials/new?code=RM-014" in page
    assert 'value="RM-014"' in admin.get(f"{NEW}?code=RM-014").text


@pytest.mark.parametrize("language", ["de", "es"])
def test_the_pages_speak_the_languages_of_the_plant(
    office: Office, language: str
) -> None:
    office.rows("UPDATE people SET language = %s WHERE login = 'adam'", language)
    admin = office.browser_of("adam")
    wanted = {"de": "Neues Material", "es": "Material nuevo"}[language]
    assert wanted in admin.get(NEW).text
    refused = admin.post(NEW, data=ZINC | {"max_kg": ""})
    told = {"de": "Zahl über null", "es": "número mayor que cero"}[language]
    assert told in refused.text


def test_a_material_has_a_picture_which_versions_keep(
    office: Office, admin: Browser
) -> None:
    def hand_in(content: bytes, **more: str) -> Any:
        sent = {"picture": (BytesIO(content), "sack.png"), "reason": "new sacks"}
        return admin.post(f"{WATER}/picture", data=sent | more)

    png = b"\x89PNG\r\n\x1a\n a sack"
    assert hand_in(png).status_code == 303
    (address,) = re.findall(r'src="(/stock/pictures/[^"]+)"', admin.get(WATER).text)
    shown = office.browser_of("ana").get(address)
    assert (shown.data, shown.content_type) == (png, "image/png")
    assert "sandbox" in shown.headers["Content-Security-Policy"]
    assert "JPEG, PNG or WebP" in hand_in(b"<svg onload=alert(1)>").text
    assert "larger than 2 MB" in hand_in(png + bytes(2_000_000)).text
    assert "Choose a file." in hand_in(b"").text
    assert "Enter a reason" in hand_in(b"\xff\xd8\xff other", reason=" ").text
    assert admin.get(address.replace(".png", ".jpg")).status_code == 404
    hand_in(b"", remove="yes")
    assert "/stock/pictures/" not in admin.get(WATER).text
    assert admin.get(address).status_code == 200  # of an earlier version
