"""Places and materials: where everything stands, and what does not fit together."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from flask import Blueprint, Response, jsonify, render_template, request

from mpms.factory.domain.order_mail import Catalogue, Recipe
from mpms.factory.services.catalogue.list_versions import catalogue_source
from mpms.factory.services.floor.plan import floor_plan
from mpms.factory.services.places.check import (
    MaterialShown,
    list_materials,
    list_places,
)
from mpms.factory.web.desk import current_desk
from mpms.web.labels.cockpit import cell
from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.texts import t

pages = Blueprint("places", __name__)


@pages.get("/admin/places")
@allowed(ADMINS)
def show() -> str:
    desk = current_desk()
    find = request.args.get("find", "").strip()
    wanted = find.casefold()
    source = catalogue_source(desk.uow, desk.materials)
    world = source.now.placed(desk.world)
    catalogue = source.now.catalogue
    everything = list_materials(world, catalogue)
    materials = [m for m in everything if wanted in _words(m)]
    places = list_places(world)
    stands = {m.place for m in materials} if find else set()
    shown = [
        p for p in places if not find or p.name in stands or wanted in p.name.casefold()
    ]
    return render_template(
        "admin_places.html",
        world=world,
        plan=floor_plan(world),
        source=source,
        recipes=_recipes(catalogue, wanted, {m.code for m in materials}),
        found_places=shown,
        marked={p.name for p in shown} if find else set(),
        all_places=places,
        materials=materials,
        problems=[m for m in everything if m.problem],
        has_catalogue=catalogue is not None,
        find=find,
        problem_words=problem_words(),
        kinds={
            "tank": t("mixing tank"),
            "home": t("robot's home"),
            "rack": t("materials"),
            "other": t("place"),
        },
    )


@pages.get("/admin/materials.csv")
@allowed(ADMINS)
def materials_csv() -> Response:
    heading = [
        *("code", "name", "aliases", "max_kg", "density_kg_per_l", "place"),
        *("recipes", "problem"),
    ]
    return _csv(
        "materials",
        heading,
        [
            [
                *(m.code, m.name, "; ".join(m.aliases), m.max_kg, m.density_kg_per_l),
                *(m.place, "; ".join(m.recipes), m.problem),
            ]
            for m in _materials()
        ],
    )


@pages.get("/admin/places.csv")
@allowed(ADMINS)
def places_csv() -> Response:
    return _csv(
        "places",
        ["name", "kind", "x_m", "y_m", "yaw_rad", "materials", "robots"],
        [
            [
                *(p.name, p.kind, p.x_m, p.y_m, round(p.yaw_rad, 4)),
                *("; ".join(p.materials), "; ".join(p.robots)),
            ]
            for p in list_places(current_desk().placed_world)
        ],
    )


@pages.get("/admin/places.json")
@allowed(ADMINS)
def as_json() -> Response:
    answer = jsonify(
        places=[p.__dict__ for p in list_places(current_desk().placed_world)],
        materials=[m.__dict__ for m in _materials()],
    )
    answer.headers["Content-Disposition"] = 'attachment; filename="places.json"'
    return answer


def problem_words() -> dict[str, str]:
    return {
        "no_place": t("can be ordered, but the world has no place for it"),
        "unknown_place": t("stands at a place that the world lacks"),
        "not_in_catalogue": t("has a place, but cannot be ordered"),
    }


def _materials() -> list[MaterialShown]:
    desk = current_desk()
    now = desk.in_force
    return list_materials(now.placed(desk.world), now.catalogue)


def _recipes(catalogue: Catalogue | None, wanted: str, codes: set[str]) -> list[Recipe]:
    """Those that are called so, or need a material that is."""
    return [
        recipe
        for recipe in (() if catalogue is None else catalogue.recipes)
        if wanted in " ".join((recipe.name, *recipe.aliases)).casefold()
        or any(line.material in codes for line in recipe.lines)
    ]


def _words(material: MaterialShown) -> str:
    words = (
        material.code,
        material.name,
        *material.aliases,
        material.place or "",
        *material.recipes,
    )
    return " ".join(words).casefold()


def _csv(name: str, heading: list[str], rows: Sequence[Sequence[object]]) -> Response:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(heading)
    for row in rows:
        writer.writerow([cell(value) for value in row])
    answer = Response(
        "\ufeff" + buffer.getvalue(), content_type="text/csv; charset=utf-8"
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer
