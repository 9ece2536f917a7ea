"""Which tank a product goes to is the world's matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpms.demo.buyer import PAINTS
from mpms.factory.adapters.worlds import WorldInvalid, read_world
from mpms.factory.domain.worlds import World

ROOT = Path(__file__).resolve().parents[3]
PLACES = """
  tank: {x_m: 1.0, y_m: 1.0}
  north: {x_m: 2.0, y_m: 2.0}
  south: {x_m: 3.0, y_m: 3.0}
"""


def world(directory: Path, tanks: str, places: str = PLACES) -> World:
    text = f"name: x\nplaces:{places}\nrobots: []\ntanks: {tanks}\n"
    (directory / "world.yaml").write_text(text, encoding="utf-8")
    return read_world(directory)


def test_a_product_goes_to_its_tank_however_its_name_is_written(tmp_path: Path) -> None:
    found = world(tmp_path, "{default: south, Sky Blue: north}")
    assert [found.tank_for(name) for name in ("Sky Blue", " sky  BLUE", "red")] == [
        "north",
        "north",
        "south",
    ]
    assert found.tanks == {"north", "south"}


@pytest.mark.parametrize("tanks", ["", "{}"])
def test_a_world_that_says_nothing_has_one_tank(tmp_path: Path, tanks: str) -> None:
    assert world(tmp_path, tanks).tank_for("anything") == "tank"
    assert world(tmp_path, tanks).tanks == {"tank"}


def test_without_a_default_the_place_named_tank_takes_the_rest(tmp_path: Path) -> None:
    found = world(tmp_path, "{Sky Blue: north}")
    assert found.tank_for("red") == "tank"


@pytest.mark.parametrize(
    ("tanks", "missing"), [("{default: east}", "east"), ("{Sky Blue: east}", "east")]
)
def test_a_tank_without_a_place_is_refused(
    tmp_path: Path, tanks: str, missing: str
) -> None:
    with pytest.raises(WorldInvalid, match=f"lacks: '{missing}'"):
        world(tmp_path, tanks)
    with pytest.raises(WorldInvalid, match="lacks: 'tank'"):
        world(tmp_path, "{Sky Blue: north}", PLACES.replace("tank:", "kettle:"))


def test_tanks_that_are_no_mapping_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldInvalid, match="not laid out"):
        world(tmp_path, "[north]")


def test_the_demo_s_products_go_to_three_tanks() -> None:
    shipped = read_world(ROOT / "worlds" / "paint_factory")
    tanks = [shipped.tank_for(product) for product, *_ in PAINTS]
    assert tanks == ["tank", "tank_2", "tank_3"]


def test_the_demo_s_orders_begin_at_three_places() -> None:
    shipped = read_world(ROOT / "worlds" / "paint_factory")
    first = [material.split()[0] for _, material, *_ in PAINTS]
    assert len({shipped.material_places[code] for code in first}) == 3
