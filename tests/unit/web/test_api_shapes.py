"""Shapes made from a dataclass have its fields, its order, and nothing by accident."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import Field, computed_field

from mpms.web.api.operation import Shape
from mpms.web.api.shapes import like


@dataclass(frozen=True)
class Load:
    number: int
    material: str
    places: tuple[str, ...]
    inner: bytes
    kg: float | None = None


@like(Load, without="inner")
class LoadShape(Shape):
    """What a robot carries."""

    material: str = Field(description="Its code.")
    late: bool = False


def test_a_shape_has_the_fields_of_its_dataclass_in_that_order() -> None:
    assert list(LoadShape.model_fields) == [
        *("number", "material", "places", "kg", "late"),
    ]
    shown = LoadShape.model_validate(Load(1, "RM-001", ("A",), b"secret"))
    assert shown.model_dump(mode="json") == {
        "number": 1,
        "material": "RM-001",
        "places": ["A"],
        "kg": None,
        "late": False,
    }


def test_descriptions_of_the_shape_are_kept_and_all_fields_are_always_there() -> None:
    schema = LoadShape.model_json_schema(mode="serialization")
    assert (schema["title"], schema["description"]) == (
        "LoadShape",
        "What a robot carries.",
    )
    assert schema["properties"]["material"]["description"] == "Its code."
    assert {"number", "material", "places", "kg"} <= set(schema["required"])


def test_a_misspelt_field_to_leave_out_is_noticed() -> None:
    with pytest.raises(TypeError, match="Load has no secret"):
        like(Load, without="secret")


def test_a_shape_that_would_lose_a_method_is_refused() -> None:
    class Weighed(Shape):
        @computed_field
        def heavy(self) -> bool:
            return True

    with pytest.raises(TypeError, match="would lose heavy"):
        like(Load)(Weighed)
