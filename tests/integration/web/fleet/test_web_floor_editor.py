"""The floor is drawn anew: checked, saved as a version, previewed, used."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.model.reading import read_world
from mpms.domain.people.people import Role
from mpms.factory import bootstrap as factory_bootstrap
from mpms.services.api.manage_tokens import add_token
from tests.support.factory import ROOT
from tests.support.warehouse_site import WarehouseSite
from tests.support.web_api import Program

SAVE = "/admin/floor/versions"
USE = "/admin/floor/use"


@pytest.fixture
def plant(database_url: str) -> Iterator[WarehouseSite]:
    with WarehouseSite(database_url) as plant:
        yield plant


def drawn(plant: WarehouseSite) -> dict[str, Any]:
    """What the editor begins with."""
    draft: dict[str, Any] = (
        plant.browser(Role.ADMIN).get("/api/v1/plant/floor").json["draft"]
    )
    return copy.deepcopy(draft)


def with_gate(plant: WarehouseSite) -> dict[str, Any]:
    draft = drawn(plant)
    draft["places"]["gate"] = {"x_m": 22.0, "y_m": 15.0, "yaw_deg": 90.0}
    return draft


def program(plant: WarehouseSite) -> Program:
    made = add_token(plant.uow, plant.clock, "planner", Role.ADMIN, by="test")
    return Program(plant.browser(), made.secret)


def save(plant: WarehouseSite, draft: dict[str, Any], reason: str = "new") -> Any:
    asked = {"draft": draft, "based_on": 0, "reason": reason}
    return plant.browser(Role.ADMIN).post(SAVE, json=asked)


def test_every_mistake_of_a_drawing_is_told_at_once(plant: WarehouseSite) -> None:
    draft = drawn(plant)
    draft["places"]["inside a rack"] = {"x_m": 12.0, "y_m": 4.5}
    draft["places"]["moon"] = {"x_m": 99.0, "y_m": 2.0}
    draft["lanes"] = [{"id": "gap", "points": [[2.0, 3.0], [4.0, 3.0]], "width_m": 0.4}]
    draft["lanes"].append({"id": "through", "points": [[12.0, 2.0], [12.0, 7.0]]})
    draft["zones"]["line"] = {"corners": [[1.0, 1.0], [2.0, 2.0]]}
    draft["robots"][0]["home"] = "nowhere"
    draft["robots"][1]["kind"] = "unicorn"
    draft["charging"]["west"]["max_robots"] = 9
    asked = {"draft": draft, "based_on": 0}
    answer = plant.browser(Role.ADMIN).post("/admin/floor/check", json=asked)
    found: dict[tuple[str, str], str] = {}
    for each in answer.json["faults"]:
        noun = each["section"], each["name"]
        found[noun] = f"{found.get(noun, '')} {each['text']}"
    assert "is reached by no robot" in found["places", "inside a rack"]
    assert ("places", "moon") in found
    assert "0.40 m wide" in found["lanes", "gap"]
    assert "nearer to a wall" in found["lanes", "through"]
    assert "at least 3 corners" in found["zones", "line"]
    assert "names no place: 'nowhere'" in found["robots", "tug1"]
    assert "unicorn" in found["robots", "tug2"]
    assert "is for 9 robots" in found["charging", "west"]
    refused = save(plant, draft)
    assert refused.status_code == 422
    assert len(refused.json["faults"]) >= len(found)
    assert plant.rows("SELECT count(*) FROM world_versions") == [(0,)]


def test_a_lane_that_some_robots_fit_into_is_a_hint(plant: WarehouseSite) -> None:
    draft = drawn(plant)
    for kind in draft["robot_types"].values():
        kind["moves"] = "lanes"
    draft["lanes"] = [{"id": "gap", "points": [[2.0, 3.0], [4.0, 3.0]], "width_m": 0.8}]
    asked = {"draft": draft, "based_on": 0}
    answer = plant.browser(Role.ADMIN).post("/admin/floor/check", json=asked)
    (gap,) = [each for each in answer.json["faults"] if each["name"] == "gap"]
    assert not gap["refuses"]
    assert "lifter needs 0.90 m" in gap["text"]


def test_a_version_is_used_only_after_its_preview(
    plant: WarehouseSite, tmp_path: Path
) -> None:
    admin = plant.browser(Role.ADMIN)
    assert save(plant, with_gate(plant), reason=" ").status_code == 422
    go = save(plant, with_gate(plant)).json["go"]
    assert go.endswith("version=1")
    page = admin.get(go).text
    assert "Preview it first." in page
    admin.post(USE, data={"version": "1", "reason": "soon"})
    assert plant.rows("SELECT count(*) FROM world_uses") == [(0,)]
    seen = admin.post(f"{SAVE}/1/preview").json["preview"]
    assert seen["robots"] == 10
    assert seen["contacts"] == 0
    assert seen["done"] > 0
    assert {len(frame) for frame in seen["frames"]} == {20}
    assert "previewed" in admin.get("/admin/floor").text
    uow, name = plant.uow, "warehouse_small"
    assert factory_bootstrap.world_in_use(uow, name, tmp_path) == name
    admin.post(USE, data={"version": "1", "reason": "the gate is open"})
    used = factory_bootstrap.world_in_use(uow, name, tmp_path)
    assert "gate" in factory_bootstrap.world_named(used).places
    files = factory_bootstrap.fleet_of(used)
    assert files is not None
    assert "gate" in files.world.places
    assert files.world.stock == plant.files.world.stock
    admin.post(USE, data={"version": "0", "reason": "back"})
    assert factory_bootstrap.world_in_use(uow, name, tmp_path) == name
    told = [kind for (kind,) in plant.rows("SELECT kind FROM events ORDER BY id")]
    assert told[-4:] == ["floor saved", "floor previewed", "floor used", "floor used"]


def test_a_floor_on_which_nobody_gets_anything_done_is_not_used(
    plant: WarehouseSite,
) -> None:
    save(plant, with_gate(plant))
    calls = program(plant)
    for wrong, sentence in (
        ('{"done": 0, "contacts": 0}', "No robot did any work"),
        ('{"done": 5, "contacts": 2}', "Robots touched"),
    ):
        with plant.uow() as tx:
            tx.world_versions.keep_preview(1, json.loads(wrong))
        asked = {"version": 1, "reason": "hope"}
        refused = calls("POST", "/plant/floor/use", asked)
        assert refused.status_code == 409
        assert sentence in refused.text
    assert plant.rows("SELECT count(*) FROM world_uses") == [(0,)]


def test_the_leader_of_another_floor_is_noticed(plant: WarehouseSite) -> None:
    admin = plant.browser(Role.ADMIN)
    plant.turn(2)
    assert "still drives by another floor" not in admin.get("/admin/floor").text
    save(plant, with_gate(plant))
    admin.post(f"{SAVE}/1/preview")
    admin.post(USE, data={"version": "1", "reason": "the gate is open"})
    assert "still drives by another floor" in admin.get("/admin/floor").text


def test_what_nobody_drew_stays_as_it_is_in_the_files(plant: WarehouseSite) -> None:
    save(plant, with_gate(plant))
    packed = plant.browser(Role.ADMIN).get("/admin/floor/files?version=1").data
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    folder = ROOT / "worlds" / "warehouse_small"
    for name in ("fleet.yaml", "storage.yaml"):
        assert files[f"warehouse_small/{name}"] == (folder / name).read_text()
    assert "gate" in files["warehouse_small/world.yaml"]


def test_programs_draw_the_floor_too(plant: WarehouseSite) -> None:
    calls = program(plant)
    draft = {"draft": {"zones": {"aisle": {"corners": [[7, 6], [18, 6], [18, 8]]}}}}
    assert calls.post("/plant/floor/check", draft)["faults"] == []
    made = calls.post("/plant/floor/versions", draft | {"reason": "slow"})
    assert made["number"] == 1
    seen = calls.get("/plant/floor", version=1)
    assert list(seen["draft"]["zones"]) == ["aisle"]
    assert seen["use"]["number"] == 0
    wrong = {"draft": {"lanes": [{"points": []}]}, "reason": "no"}
    refused = calls("POST", "/plant/floor/versions", wrong)
    assert refused.status_code == 422
    assert "lanes" in refused.text
    assert calls("POST", "/plant/floor/versions/7/preview").status_code == 404


def test_only_administrators_draw(plant: WarehouseSite) -> None:
    leader = plant.browser(Role.SUPERVISOR)
    assert leader.get("/admin/floor").status_code == 403
    assert leader.post(SAVE, json={"draft": {}}).status_code == 403
    assert plant.browser(Role.ADMIN).get("/admin/floor?version=x").status_code == 404
    assert plant.browser(Role.ADMIN).get("/admin/floor?version=3").status_code == 404
    assert plant.browser(Role.ADMIN).post(SAVE, json=[]).status_code == 400


def checked(plant: WarehouseSite, draft: dict[str, Any]) -> dict[tuple[str, str], str]:
    asked = {"draft": draft, "based_on": 0}
    answer = plant.browser(Role.ADMIN).post("/admin/floor/check", json=asked)
    assert answer.status_code == 200
    return {(e["section"], e["name"]): e["text"] for e in answer.json["faults"]}


def test_walls_doors_packages_and_what_lies_there_are_drawn_too(
    plant: WarehouseSite,
) -> None:
    draft = drawn(plant)
    assert len(draft["walls"]) == len(plant.files.world.walls)
    assert draft["stock"]["A1"] == {"package": "P-1", "type": "small_box"}
    draft["walls"].append([20.0, 14.0, 21.0, 14.0])
    draft["doors"] = [{"id": "gate", "x1_m": 1, "y1_m": 9, "x2_m": 3, "y2_m": 9}]
    draft["packages"]["crate"] = {"weight_kg": 20, "geometry": "box"}
    free = next(p for p in plant.files.world.storage if p not in draft["stock"])
    draft["stock"][free] = {"package": "C-1", "type": "crate"}
    assert checked(plant, draft) == {}
    assert save(plant, draft).status_code == 200
    with plant.uow() as tx:
        files = tx.world_versions.files("warehouse_small", 1)
    assert files is not None
    world = read_world(files)
    assert (20.0, 14.0, 21.0, 14.0) in world.walls
    assert world.doors["gate"].x2_m == 3.0
    assert world.packages["crate"].weight_kg == 20.0
    assert world.stock[free] == ("C-1", "crate")
    assert world.packages.keys() > plant.files.world.packages.keys()
    seen = plant.browser(Role.ADMIN).post(f"{SAVE}/1/preview").json["preview"]
    assert (seen["contacts"], seen["robots"]) == (0, 10)
    assert seen["done"] > 0


def test_mistakes_of_walls_doors_packages_and_stock_name_their_part(
    plant: WarehouseSite,
) -> None:
    draft = drawn(plant)
    draft["walls"] += [[1.0, 2.0, 3.0], [0.0, 8.0, 30.0, 8.0]]
    draft["doors"] = [{"id": "gate", "x1_m": 1.0}]
    draft["packages"]["piano"] = {"weight_kg": 9000}
    draft["packages"]["feather"] = {"weight_kg": -1}
    draft["stock"]["A1"]["type"] = "unicorn"
    draft["stock"]["rest_1"] = {"package": "P-77", "type": "small_box"}
    found = checked(plant, draft)
    wall = f"wall_{len(draft['walls']) - 1}"
    assert "4 numbers" in found["walls", wall]
    assert ("doors", "gate") in found
    assert "carried by no robot" in found["packages", "piano"]
    assert ("packages", "feather") in found
    assert "no known type: 'unicorn'" in found["stock", "A1"]
    assert "lies in no storage place" in found["stock", "rest_1"]
    cut_off = [name for section, name in found if section in ("places", "storage")]
    assert cut_off, "the wall through the hall cuts places off"
    for wrong in ("a wall", [["x", 1, 2, 3]], {"a": 1}):
        assert checked(plant, drawn(plant) | {"walls": wrong}) != {}
    assert plant.rows("SELECT count(*) FROM world_versions") == [(0,)]


def test_a_version_with_other_walls_names_no_picture_of_the_walls_before() -> None:
    drafts = factory_bootstrap.drafts_of("paint_factory")
    files = drafts.files()
    assert "image: map.png" in files["world.yaml"]
    draft = dict(drafts.draft(files))
    same = drafts.written(files, draft)
    assert same == files
    draft["walls"] = draft["walls"][:-1]
    changed = yaml.safe_load(drafts.written(files, draft)["world.yaml"])["map"]
    assert "image" not in changed
    assert len(changed["walls"]) == len(drafts.draft(files)["walls"]) - 1
