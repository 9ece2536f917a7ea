"""Materials and recipes that may be ordered, read from the plant's own file.

Where somebody administers them on the pages, each version is such a file as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail.comparing import fold

T = TypeVar("T")
CODE = re.compile(r"(?<![\w-])RM-[0-9]{3}(?![\w-])")  # as in the contract
# A plant's own codes: no spaces, and something that no word of a language has.
OWN_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9][A-Z0-9._-]{1,39}")


class CatalogueInvalid(MpmsError):
    """The catalogue file cannot be used."""


@dataclass(frozen=True)
class Material:
    """A raw material; without a density it cannot be ordered by volume."""

    code: str
    name: str
    aliases: tuple[str, ...]
    max_kg: Decimal
    density_kg_per_l: Decimal | None = None
    place: str | None = None  # None: where the world says
    names: tuple[tuple[str, str], ...] = ()  # (language, name), besides ``name``
    hazards: tuple[str, ...] = ()  # GHS02
    tolerance_class: str = ""  # a rule of the weighing decision table
    picture: str = ""  # the name of one that was handed in
    minimum_kg: Decimal | None = None  # below it, an alarm
    reorder_kg: Decimal | None = None  # how much to order then
    supplier: str = ""

    @property
    def all_names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases, *(name for _, name in self.names))


@dataclass(frozen=True)
class RecipeLine:
    """How much of a material one base batch takes."""

    material: str
    kg: Decimal
    step: int | None = None  # lines of one step may be added in any order


@dataclass(frozen=True)
class Supplier:
    """Whoever delivers raw materials."""

    code: str
    name: str
    email: str = ""


@dataclass(frozen=True)
class MixingProgramme:
    """What a tank can do, and how long that takes."""

    name: str
    minutes: Decimal


@dataclass(frozen=True)
class Tank:
    """A mixing tank; ``place`` is where robots unload for it."""

    place: str
    volume_l: Decimal
    programmes: tuple[MixingProgramme, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """What one base batch of a product is made from."""

    name: str
    aliases: tuple[str, ...]
    batch: Decimal
    unit: str  # "l" or "kg"
    lines: tuple[RecipeLine, ...]
    density_kg_per_l: Decimal | None = None
    version: int = 1  # goes up with every change
    programme: str = ""  # of the tank
    mixing_minutes: Decimal | None = None  # where no programme says

    @property
    def digest(self) -> str:
        """SHA-256 of what it says, as JSON with sorted keys."""
        said = json.dumps(_written_recipe(self), sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True)
class Catalogue:
    """Materials and recipes, found by code or by any of their names."""

    materials: tuple[Material, ...]
    recipes: tuple[Recipe, ...] = ()
    suppliers: tuple[Supplier, ...] = ()
    tanks: tuple[Tank, ...] = ()
    apart: frozenset[frozenset[str]] = frozenset()  # pairs of hazards
    _codes: Mapping[str, Material] = field(init=False, repr=False, compare=False)
    _names: Mapping[str, Material] = field(init=False, repr=False, compare=False)
    _recipes: Mapping[str, Recipe] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        codes: dict[str, Material] = {}
        names: dict[str, Material] = {}
        recipes: dict[str, Recipe] = {}
        for material in self.materials:
            _add(codes, material.code, material, "the code")
            for name in dict.fromkeys(map(fold, material.all_names)):
                _add(names, name, material, "the material name")
        for recipe in self.recipes:
            for name in (recipe.name, *recipe.aliases):
                _add(recipes, fold(name), recipe, "the recipe name")
            for line in recipe.lines:
                if line.material not in codes:
                    raise CatalogueInvalid(
                        f"recipe {recipe.name!r} uses the unknown material"
                        f" {line.material!r}"
                    )
        for name, value in (("_codes", codes), ("_names", names)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_recipes", recipes)

        for code in {each.code for each in self.suppliers if not each.code.strip()}:
            raise CatalogueInvalid(f"the code {code!r} of a supplier is empty")

    def tank(self, place: str) -> Tank | None:
        return next((tank for tank in self.tanks if tank.place == place), None)

    def by_code(self, code: str) -> Material | None:
        return self._codes.get(code)

    def codes_in(self, text: str) -> set[str]:
        """The codes that a text names: ours, and what has the form of the contract."""
        words = {word.strip("()[],;:") for word in text.split()}
        return set(CODE.findall(text)) | {word for word in words if word in self._codes}

    def names_in(self, text: str) -> bool:
        """Whether a text speaks of a material, by a code or by one of its names."""
        words = f" {fold(text)} "
        return bool(self.codes_in(text)) or any(f" {n} " in words for n in self._names)

    def by_name(self, name: str) -> Material | None:
        return self._names.get(fold(name))

    def recipe(self, name: str) -> Recipe | None:
        return self._recipes.get(fold(name))

    @classmethod
    def from_json(cls, text: str | bytes) -> Catalogue:
        """Read ``catalogue.json``; CatalogueInvalid names what is wrong with it."""
        entry = _Entry("the catalogue", load_object(text, CatalogueInvalid))
        return cls(
            materials=tuple(_material(item) for item in entry.entries("materials")),
            recipes=tuple(_recipe(item) for item in entry.entries("recipes", ())),
            suppliers=tuple(_supplier(i) for i in entry.entries("suppliers", ())),
            tanks=tuple(_tank(item) for item in entry.entries("tanks", ())),
            apart=frozenset(
                frozenset(item.texts("hazards")) for item in entry.entries("apart", ())
            ),
        )

    def to_json(self) -> str:
        written: dict[str, object] = {
            "materials": [_written_material(m) for m in self.materials],
            "recipes": [_written_recipe(r) for r in self.recipes],
        }
        more: dict[str, object] = {
            "suppliers": [
                _stated({"code": s.code, "name": s.name, "email": s.email})
                for s in self.suppliers
            ],
            "tanks": [
                {
                    "place": tank.place,
                    "volume_l": str(tank.volume_l),
                    "programmes": [
                        {"name": p.name, "minutes": str(p.minutes)}
                        for p in tank.programmes
                    ],
                }
                for tank in self.tanks
            ],
            "apart": [
                {"hazards": sorted(pair)} for pair in sorted(self.apart, key=sorted)
            ],
        }
        return json.dumps(written | _stated(more))


def _stated(fields: dict[str, object]) -> dict[str, object]:
    """Those that say something: what nobody filled in is not written."""
    return {key: value for key, value in fields.items() if value}


def _written_material(m: Material) -> dict[str, object]:
    return {
        "code": m.code,
        "name": m.name,
        "aliases": m.aliases,
        "density_kg_per_l": _text_or_none(m.density_kg_per_l),
        "max_kg": str(m.max_kg),
        "place": m.place,
    } | _stated(
        {
            "names": dict(m.names),
            "hazards": m.hazards,
            "tolerance_class": m.tolerance_class,
            "picture": m.picture,
            "minimum_kg": _text_or_none(m.minimum_kg),
            "reorder_kg": _text_or_none(m.reorder_kg),
            "supplier": m.supplier,
        }
    )


def _written_recipe(r: Recipe) -> dict[str, object]:
    return {
        "name": r.name,
        "aliases": r.aliases,
        "batch": str(r.batch),
        "unit": r.unit,
        "density_kg_per_l": _text_or_none(r.density_kg_per_l),
        "lines": [
            {"material": line.material, "kg": str(line.kg)}
            | ({} if line.step is None else {"step": line.step})
            for line in r.lines
        ],
    } | _stated(
        {
            "version": r.version if r.version > 1 else None,
            "programme": r.programme,
            "mixing_minutes": _text_or_none(r.mixing_minutes),
        }
    )


def load_object(
    text: str | bytes, invalid: Callable[[str], MpmsError]
) -> dict[str, object]:
    """Parse a JSON object, with one kind of error for everything wrong."""
    try:
        loaded = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as cause:
        raise invalid(f"not JSON: {cause}") from None
    if not isinstance(loaded, dict):
        raise invalid("a JSON object is expected")
    return loaded


def _add(index: dict[str, T], key: str, value: T, what: str) -> None:
    if not key:
        raise CatalogueInvalid(f"{what} of an entry is empty")
    if index.setdefault(key, value) is not value:
        raise CatalogueInvalid(f"{what} {key!r} stands for two entries")


def _text_or_none(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


def _material(entry: _Entry) -> Material:
    code = entry.text("code")
    if OWN_CODE.fullmatch(code) is None:
        raise CatalogueInvalid(f"{code!r} is no material code such as RM-001")
    return Material(
        code=code,
        name=entry.text("name"),
        aliases=entry.texts("aliases"),
        max_kg=entry.positive("max_kg"),
        density_kg_per_l=entry.positive_or_none("density_kg_per_l"),
        place=None if entry.fields.get("place") is None else entry.text("place"),
        names=entry.names("names"),
        hazards=entry.texts("hazards"),
        tolerance_class=entry.text_or("tolerance_class"),
        picture=entry.text_or("picture"),
        minimum_kg=entry.positive_or_none("minimum_kg"),
        reorder_kg=entry.positive_or_none("reorder_kg"),
        supplier=entry.text_or("supplier"),
    )


def _supplier(entry: _Entry) -> Supplier:
    return Supplier(entry.text("code"), entry.text("name"), entry.text_or("email"))


def _tank(entry: _Entry) -> Tank:
    return Tank(
        entry.text("place"),
        entry.positive("volume_l"),
        tuple(
            MixingProgramme(item.text("name"), item.positive("minutes"))
            for item in entry.entries("programmes", ())
        ),
    )


def _recipe(entry: _Entry) -> Recipe:
    unit = entry.text("unit")
    if unit not in {"l", "kg"}:
        raise CatalogueInvalid(f"{entry.name}: the unit must be 'l' or 'kg'")
    lines = tuple(
        RecipeLine(
            line.text("material"), line.positive("kg"), line.whole_or_none("step")
        )
        for line in entry.entries("lines")
    )
    if not lines:
        raise CatalogueInvalid(f"{entry.name}: a recipe needs lines")
    return Recipe(
        name=entry.text("name"),
        aliases=entry.texts("aliases"),
        batch=entry.positive("batch"),
        unit=unit,
        lines=lines,
        density_kg_per_l=entry.positive_or_none("density_kg_per_l"),
        version=entry.whole_or_none("version") or 1,
        programme=entry.text_or("programme"),
        mixing_minutes=entry.positive_or_none("mixing_minutes"),
    )


@dataclass(frozen=True)
class _Entry:
    """One JSON object of the file; every complaint says which one and where."""

    name: str
    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        value = self.fields.get(key)
        if not isinstance(value, str) or not value.strip():
            raise CatalogueInvalid(f"{self.name}: {key!r} must be a text")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise CatalogueInvalid(f"{self.name}: {key!r} must be a list of texts")
        return tuple(value)

    def text_or(self, key: str) -> str:
        return "" if self.fields.get(key) is None else self.text(key)

    def names(self, key: str) -> tuple[tuple[str, str], ...]:
        value = self.fields.get(key, {})
        if not isinstance(value, dict) or not all(
            isinstance(name, str) and name.strip() for name in value.values()
        ):
            raise CatalogueInvalid(f"{self.name}: {key!r} must name languages")
        return tuple((language, name.strip()) for language, name in value.items())

    def whole_or_none(self, key: str) -> int | None:
        value = self.positive_or_none(key)
        if value is not None and value != int(value):
            raise CatalogueInvalid(f"{self.name}: {key!r} must be a whole number")
        return None if value is None else int(value)

    def positive(self, key: str) -> Decimal:
        value = self.fields.get(key)
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
                raise ValueError
            number = Decimal(value)
        except (ValueError, InvalidOperation):
            number = Decimal("NaN")
        if not (number.is_finite() and 0 < number < Decimal("1e12")):
            raise CatalogueInvalid(f"{self.name}: {key!r} must be a number above zero")
        return number

    def positive_or_none(self, key: str) -> Decimal | None:
        return None if self.fields.get(key) is None else self.positive(key)

    def entries(
        self, key: str, default: tuple[object, ...] | None = None
    ) -> Iterator[_Entry]:
        value = self.fields.get(key, default)
        if not isinstance(value, list | tuple):
            raise CatalogueInvalid(f"{self.name}: {key!r} must be a list")
        for number, item in enumerate(value, start=1):
            if not isinstance(item, dict):
                raise CatalogueInvalid(f"{self.name}: {key} {number} must be an object")
            yield _Entry(f"{self.name}, {key} {number}", item)
