"""Materials and recipes by the API: what may be ordered, and every version of it."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.factory.domain.order_mail import Catalogue, Material, Recipe, RecipeLine
from mpms.factory.domain.order_mail.catalogue_changes import (
    MOST_ALIASES,
    MOST_RECIPE_LINES,
    FieldChange,
    differences,
)
from mpms.factory.domain.order_mail.comparing import clean_text
from mpms.factory.domain.pictures import MEDIA_TYPES, media_type_of_name
from mpms.factory.ports.catalogue import CatalogueVersion
from mpms.factory.services.catalogue.change import (
    MaterialUnknown,
    RecipeUnknown,
    remove_material,
    remove_recipe,
    save_material,
    save_recipe,
)
from mpms.factory.services.catalogue.picture import (
    PictureRefused,
    open_picture,
    save_picture,
)
from mpms.factory.services.catalogue.take import VersionUnknown, take_file, take_version
from mpms.factory.web.desk import Call
from mpms.web.api.operation import File, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import (
    Listed,
    Name,
    Page,
    Paged,
    Reason,
    Version,
    WithReason,
    number_of,
    place_in,
    shaped,
)
from mpms.web.rights import ADMINS, EVERYBODY, LEADERS

IMAGES = tuple(MEDIA_TYPES.values())
section = Section("Materials", "Materials and recipes: what may be ordered.")

Code = Annotated[
    str,
    Field(
        pattern="^[A-Z0-9][A-Z0-9._-]{1,39}$", description="The code of the material."
    ),
]
RecipeName = Annotated[
    str,
    Field(min_length=1, max_length=200, description="Its name, or any of its names."),
]
Amount = Annotated[float, Field(gt=0, le=1_000_000)]
Names = Annotated[list[Name], Field(max_length=MOST_ALIASES)]
Seen = Annotated[
    int,
    Field(
        ge=0,
        le=(1 << 31) - 1,
        description="The version that you looked at: if somebody has changed this entry"
        " since, nothing is done. Null: whatever it was.",
    ),
]


class MaterialEntry(Shape):
    code: str
    name: str
    aliases: list[str]
    max_kg: float = Field(description="The most of it in one order.")
    density_kg_per_l: float | None = Field(description="Null: not by volume.")
    place: str | None = Field(description="Null: where the world file says.")
    picture: str = Field(description="Its name; empty: there is none.")


class KnownMaterial(MaterialEntry):
    version: int = Field(description="Of the catalogue; 0 is the plant's file.")


class RecipeLineEntry(Shape):
    material: str
    kg: float


class RecipeEntry(Shape):
    name: str
    aliases: list[str]
    batch: float
    unit: str
    density_kg_per_l: float | None
    lines: list[RecipeLineEntry]


class KnownRecipe(RecipeEntry):
    version: int = Field(description="Of the catalogue; 0 is the plant's file.")


@like(FieldChange)
class FieldChangeShape(Shape): ...


class DifferenceShape(Shape):
    kind: str = Field(description="material or recipe.")
    key: str = Field(description="The code of the material, the name of the recipe.")
    name: str
    change: str = Field(description="added, removed or changed.")
    fields: list[FieldChangeShape]


@like(CatalogueVersion)
class VersionShape(Shape): ...


class WholeVersion(VersionShape):
    changes: list[DifferenceShape] = Field(description="From the version before it.")
    materials: list[MaterialEntry]
    recipes: list[RecipeEntry]


class RemovedMaterial(Shape):
    version: int
    open_orders: list[str] = Field(
        description="Orders that still need it; they keep their own lines."
    )


class MaterialGiven(Given):
    name: Name
    aliases: Names = Field(default=[])
    max_kg: Amount
    density_kg_per_l: Amount | None = None
    place: Name | None = Field(
        default=None, description="A place of the floor; null: as the world file says."
    )
    version: Seen | None = None
    reason: Reason


class PictureGiven(Given):
    content: Annotated[
        str,
        Field(max_length=2_800_000, description="JPEG, PNG or WebP, in base64."),
    ]
    version: Seen | None = None
    reason: Reason


class LineGiven(Given):
    material: Code
    kg: Amount


class RecipeGiven(Given):
    name: Name | None = Field(default=None, description="Another name; null: the same.")
    aliases: Names = Field(default=[])
    batch: Amount
    unit: Literal["l", "kg"]
    density_kg_per_l: Amount | None = None
    lines: Annotated[list[LineGiven], Field(min_length=1, max_length=MOST_RECIPE_LINES)]
    version: Seen | None = None
    reason: Reason


class Removal(Given):
    reason: Reason
    version: Annotated[int, Field(ge=0, le=(1 << 31) - 1)] | None = None


@section.get("/materials", LEADERS)
def materials(call: Call) -> Listed[KnownMaterial]:
    """Every material that may be ordered now."""
    now = call.desk.in_force
    known = () if now.catalogue is None else now.catalogue.materials
    return Listed[KnownMaterial](items=[_known(each, now.version) for each in known])


@section.get("/materials/{code}", LEADERS)
def material(call: Call, code: Code) -> KnownMaterial:
    """One material."""
    now = call.desk.in_force
    found = None if now.catalogue is None else now.catalogue.by_code(code)
    if found is None:
        raise MaterialUnknown(f"There is no material {code}.")
    return _known(found, now.version)


@section.put(
    "/materials/{code}",
    ADMINS,
    example={
        "name": "Zinc phosphate",
        "aliases": ["Zinkphosphat"],
        "max_kg": 400,
        "place": "B",
        "reason": "new primer",
    },
)
def put_material(call: Call, code: Code, body: MaterialGiven) -> KnownMaterial:
    """Add a material or put another in its place.

    The next mail, order form and order by the API follow; the robot of the next order
    drives to the place.
    """
    desk = call.desk
    now = desk.catalogue or Catalogue(())
    save_material(
        desk.uow,
        desk.materials,
        desk.world,
        Material(
            code,
            clean_text(body.name),
            tuple(map(clean_text, body.aliases)),
            _decimal(body.max_kg),
            _decimal_or_none(body.density_kg_per_l),
            body.place,
        ),
        replaces=None if now.by_code(code) is None else code,
        seen=body.version,
        by=call.by,
        reason=body.reason,
    )
    return material(call, code)


@section.delete("/materials/{code}", ADMINS)
def delete_material(call: Call, code: Code, query: Removal) -> RemovedMaterial:
    """Remove a material that no recipe needs."""
    desk = call.desk
    removed = remove_material(
        desk.uow,
        desk.materials,
        code,
        seen=query.version,
        by=call.by,
        reason=query.reason,
    )
    return RemovedMaterial(
        version=removed.version.number, open_orders=list(removed.open_orders)
    )


@section.get("/materials/{code}/picture", EVERYBODY, files=IMAGES)
def picture(call: Call, code: Code) -> File:
    """How it looks, as workers see it on the card of a task."""
    catalogue = call.desk.catalogue
    found = None if catalogue is None else catalogue.by_code(code)
    content = open_picture(call.desk.uow, "" if found is None else found.picture)
    if found is None or content is None:
        raise NotFound(f"There is no picture of {code}.")
    return File(content, media_type_of_name(found.picture))


@section.put("/materials/{code}/picture", ADMINS)
def put_picture(call: Call, code: Code, body: PictureGiven) -> KnownMaterial:
    """Give a material its picture."""
    try:
        content = base64.b64decode(body.content, validate=True)
    except ValueError:
        raise PictureRefused("The picture is not written in base64.") from None
    if not content:
        raise PictureRefused("A picture is a JPEG, PNG or WebP file.")
    return _pictured(call, code, content, body.version, body.reason)


@section.delete("/materials/{code}/picture", ADMINS)
def delete_picture(call: Call, code: Code, query: Removal) -> KnownMaterial:
    """Take the picture of a material away."""
    return _pictured(call, code, b"", query.version, query.reason)


def _pictured(
    call: Call, code: str, content: bytes, seen: int | None, reason: str
) -> KnownMaterial:
    desk = call.desk
    save_picture(
        desk.uow,
        desk.materials,
        code,
        content,
        seen=seen,
        by=call.by,
        reason=reason,
    )
    return material(call, code)


@section.get("/recipes", LEADERS)
def recipes(call: Call) -> Listed[KnownRecipe]:
    """Every recipe that orders may name now."""
    now = call.desk.in_force
    known = () if now.catalogue is None else now.catalogue.recipes
    return Listed[KnownRecipe](items=[_known_recipe(r, now.version) for r in known])


@section.get("/recipes/{name}", LEADERS)
def recipe(call: Call, name: RecipeName) -> KnownRecipe:
    """One recipe; case, accents and punctuation of the name do not count."""
    now = call.desk.in_force
    found = None if now.catalogue is None else now.catalogue.recipe(name)
    if found is None:
        raise RecipeUnknown(f"There is no recipe {name}.")
    return _known_recipe(found, now.version)


@section.put(
    "/recipes/{name}",
    ADMINS,
    example={
        "batch": 100,
        "unit": "l",
        "lines": [{"material": "RM-001", "kg": 40}, {"material": "RM-002", "kg": 25}],
        "reason": "new product",
    },
)
def put_recipe(call: Call, name: RecipeName, body: RecipeGiven) -> KnownRecipe:
    """Add a recipe or put another in its place."""
    desk = call.desk
    old = (desk.catalogue or Catalogue(())).recipe(name)
    called = clean_text(body.name or (name if old is None else old.name))
    save_recipe(
        desk.uow,
        desk.materials,
        Recipe(
            called,
            tuple(map(clean_text, body.aliases)),
            _decimal(body.batch),
            body.unit,
            tuple(RecipeLine(one.material, _decimal(one.kg)) for one in body.lines),
            _decimal_or_none(body.density_kg_per_l),
        ),
        replaces=None if old is None else old.name,
        seen=body.version,
        by=call.by,
        reason=body.reason,
    )
    return recipe(call, called)


@section.delete("/recipes/{name}", ADMINS)
def delete_recipe(call: Call, name: RecipeName, query: Removal) -> VersionShape:
    """Remove a recipe; orders that were accepted go on."""
    desk = call.desk
    made = remove_recipe(
        desk.uow,
        desk.materials,
        name,
        seen=query.version,
        by=call.by,
        reason=query.reason,
    )
    return VersionShape.model_validate(made)


@section.get("/catalogue/versions", ADMINS)
def versions(call: Call, query: Paged) -> Page[VersionShape]:
    """Who changed materials and recipes, when and why, the last first."""
    below = place_in(query.cursor, number_of)
    below = None if below is None else min(below, (1 << 31) - 1)
    with call.desk.uow() as tx:
        found = list(tx.catalogue.listing(limit=query.limit + 1, below=below))
    shown = found[: query.limit]
    more = str(shown[-1].number) if len(found) > query.limit else None
    return Page[VersionShape](items=shaped(VersionShape, shown), next=more)


@section.get("/catalogue/versions/{version}", ADMINS)
def version(call: Call, version: Version) -> WholeVersion:
    """One version: everything in it, and what it changed."""
    with call.desk.uow() as tx:
        found, content = tx.catalogue.get(version), tx.catalogue.content(version)
        before = tx.catalogue.before(version)
    if found is None or content is None:
        raise VersionUnknown(f"There is no version {version}.")
    made = Catalogue.from_json(content)
    old = made if before is None else Catalogue.from_json(before)
    return WholeVersion(
        **_fields(found),
        changes=shaped(DifferenceShape, differences(old, made)),
        materials=shaped(MaterialEntry, made.materials),
        recipes=shaped(RecipeEntry, made.recipes),
    )


@section.post("/catalogue/versions/{version}/again", ADMINS)
def again(call: Call, version: Version, body: WithReason) -> VersionShape:
    """Put an earlier version in force again, as the next version."""
    desk = call.desk
    made = take_version(
        desk.uow, desk.materials, version, by=call.by, reason=body.reason
    )
    return VersionShape.model_validate(made)


@section.post("/catalogue/file/again", ADMINS)
def file_again(call: Call, body: WithReason) -> VersionShape:
    """Put the plant's file in force again, as it is now, as the next version."""
    desk = call.desk
    made = take_file(desk.uow, desk.materials, by=call.by, reason=body.reason)
    return VersionShape.model_validate(made)


def _known(found: Material, version: int) -> KnownMaterial:
    entry = MaterialEntry.model_validate(found)
    return KnownMaterial(**entry.model_dump(), version=version)


def _known_recipe(found: Recipe, version: int) -> KnownRecipe:
    entry = RecipeEntry.model_validate(found)
    return KnownRecipe(**entry.model_dump(), version=version)


def _fields(found: CatalogueVersion) -> dict[str, Any]:
    return VersionShape.model_validate(found).model_dump()


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))


def _decimal_or_none(value: float | None) -> Decimal | None:
    return None if value is None else _decimal(value)
