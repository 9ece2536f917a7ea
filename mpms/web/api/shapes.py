"""Shapes that are a dataclass of ours, told once: in the dataclass."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, create_model

from mpms.web.api.operation import Shape

S = TypeVar("S", bound=Shape)


def like(source: type, *, without: str = "") -> Callable[[type[S]], type[S]]:
    """Give a shape the fields of a dataclass, in its order, but those in ``without``.

    A field that the shape has itself, because it is shown in another form or described,
    replaces that of the dataclass; what the dataclass does not have comes last.
    """
    hidden = set(without.split())
    known = {field.name for field in dataclasses.fields(source)}
    if hidden - known:
        raise TypeError(f"{source.__name__} has no {', '.join(sorted(hidden - known))}")

    def shaped(shape: type[S]) -> type[S]:
        if lost := [name for name in vars(shape) if _is_written(shape, name)]:
            raise TypeError(f"{shape.__name__} would lose {', '.join(lost)}")
        hints = get_type_hints(source)
        found: dict[str, Any] = {
            field.name: hints[field.name]
            for field in dataclasses.fields(source)
            if field.name not in hidden
        }
        for name, own in shape.model_fields.items():
            found[name] = (own.annotation, own)
        made: Any = create_model(
            shape.__name__,
            __base__=Shape,
            __doc__=shape.__doc__,
            __module__=shape.__module__,
            **found,
        )
        return made  # type: ignore[no-any-return]

    return shaped


def _is_written(shape: type[Shape], name: str) -> bool:
    """Whether somebody gave the shape a method or a validator."""
    own = not name.startswith("_") and name not in vars(BaseModel)
    return own and name not in shape.model_fields
