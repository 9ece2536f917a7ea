"""How rosapi describes types: as lists of fields, and as the text of their files.

The two versions of ROS differ. That of ROS 2 spells the fields as its generator of
code does (``double``, ``boolean``), and in these lists, unlike anywhere else, it names
types in two parts.
"""

from collections.abc import Iterator
from typing import Any

from shopfloor.sim.message_types import Field, Message, TypeRegistry

Fields = tuple[Field, ...]

SEPARATOR = "=" * 80
INSTANTS = {
    "time": "builtin_interfaces/Time",
    "duration": "builtin_interfaces/Duration",
}
_SPELT_ROS2 = {
    **INSTANTS,
    "bool": "boolean",
    "byte": "octet",
    "char": "uint8",
    "float32": "float",
    "float64": "double",
}
_EXAMPLES = {"bool": "False", "string": "", "float32": "0.0", "float64": "0.0"}


class TypeTexts:
    def __init__(self, registry: TypeRegistry) -> None:
        self._registry = registry
        self._ros2 = registry.dialect == "ros2"

    def full_text(self, type_name: str) -> str:
        """The file of the type, and behind it those of every type that it uses."""
        fields = self._registry.messages[type_name]
        parts = [self._file(fields)]
        for name in self._nested(fields, [], instants=False):
            body = self._file(self._registry.messages[name])
            parts.append(f"{SEPARATOR}\nMSG: {name}\n{body}")
        return "\n".join(parts)

    def _file(self, fields: Fields) -> str:
        lines = []
        for field in fields:
            size = "" if field.length is None else f"[{field.length or ''}]"
            kind = INSTANTS.get(field.type, field.type) if self._ros2 else field.type
            lines.append(f"{kind}{size} {field.name}\n")
        return "".join(lines)

    def details(self, name: str) -> list[Message]:
        """The type and every type that it uses, each once."""
        return self.details_of(name, self._registry.messages[name])

    def details_of(self, name: str, fields: Fields) -> list[Message]:
        found = [self._entry(name, fields)]
        for nested in self._nested(fields, [], instants=True):
            if nested in INSTANTS:
                parts = ("secs", "nsecs")
                found.append(
                    self._entry(nested, tuple(Field(p, "int32") for p in parts))
                )
            else:
                found.append(self._entry(nested, self._registry.messages[nested]))
        return found

    def _nested(self, fields: Fields, seen: list[str], *, instants: bool) -> list[str]:
        for name in self._used(fields, instants):
            if name not in seen:
                seen.append(name)
                inner = self._registry.messages.get(name, ())
                self._nested(inner, seen, instants=instants)
        return seen

    def _used(self, fields: Fields, instants: bool) -> Iterator[str]:
        for field in fields:
            if field.type in self._registry.messages:
                yield field.type
            elif field.type in INSTANTS and (self._ros2 or instants):
                yield INSTANTS[field.type] if self._ros2 else field.type

    def _entry(self, name: str, fields: Fields) -> Message:
        lengths = [-1 if field.length is None else field.length for field in fields]
        return {
            "type": name,
            "fieldnames": [field.name for field in fields],
            "fieldtypes": [self._spelt(field.type) for field in fields],
            "fieldarraylen": lengths,
            "examples": [self._example(field) for field in fields],
            "constnames": [],
            "constvalues": [],
        }

    def _spelt(self, type_name: str) -> str:
        return _SPELT_ROS2.get(type_name, type_name) if self._ros2 else type_name

    def _example(self, field: Field) -> str:
        if field.length is not None:
            return "[]"
        known: dict[str, Any] = self._registry.messages
        if field.type in known or field.type in INSTANTS:
            return "{}"
        if self._ros2 and field.type == "byte":
            return str(b"\x00")
        return _EXAMPLES.get(field.type, "0")
