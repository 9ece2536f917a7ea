"""Places and materials: found, exported, and compared with each other."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from mpms.factory.services.catalogue.current import CurrentCatalogue
from tests.support.site import Browser
from tests.support.web_admin import Office


def test_materials_are_found_by_any_name_and_marked_on_the_plan(
    office: Office, admin: Browser
) -> None:
    page = admin.get("/admin/places?find=RM-001").text
    assert "RM-001" in page
    assert "RM-002" not in page
    assert "admin-plan-found" in page
    assert "No material found." in admin.get("/admin/places?find=gold").text


def test_what_does_not_fit_is_told(office: Office) -> None:
    places = dict(office.world.material_places)
    places.pop("RM-001")
    places["RM-999"] = next(iter(office.world.places))
    world = replace(office.world, material_places=places)
    page = office.browser_of("adam", world=world).get("/admin/places").text
    assert "the world has no place for it" in page
    assert "has a place, but cannot be ordered" in page
    adam = office.browser_of("adam", materials=CurrentCatalogue())
    assert "There is no catalogue" in adam.get("/admin/places").text


def test_both_lists_can_be_taken_along(office: Office, admin: Browser) -> None:
    text = admin.get("/admin/materials.csv").text.lstrip("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["code"] for row in rows} == set(office.world.material_places)
    assert all(row["place"] in office.world.places for row in rows)
    text = admin.get("/admin/places.csv").text.lstrip("\ufeff")
    names = {row["name"] for row in csv.DictReader(io.StringIO(text))}
    assert names == set(office.world.places)
    assert len(admin.get("/admin/places.json").json["places"]) == len(names)
