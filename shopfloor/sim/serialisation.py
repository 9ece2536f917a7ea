"""Messages as the bytes that nodes exchange: what clients get who ask for cbor-raw.

ROS 1 packs fields one behind the other. ROS 2 writes CDR: every number stands at a
multiple of its size, counted from behind a header of four bytes.
"""

import struct
from typing import Any

from shopfloor.sim.message_types import Field, Message, TypeRegistry

CDR_LITTLE_ENDIAN = b"\x00\x01\x00\x00"
_CODES = {
    "bool": "?",
    "byte": "B",
    "char": "B",
    "uint8": "B",
    "int8": "b",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float32": "f",
    "float64": "d",
}


def serialised(registry: TypeRegistry, type_name: str, message: Message) -> bytes:
    ros2 = registry.dialect == "ros2"
    writer = _Cdr(registry) if ros2 else _Ros1(registry)
    writer.write_message(type_name, message)
    return (CDR_LITTLE_ENDIAN if ros2 else b"") + bytes(writer.out)


class _Ros1:
    def __init__(self, registry: TypeRegistry) -> None:
        self.out = bytearray()
        self._registry = registry

    def write_message(self, type_name: str, message: Message) -> None:
        for field in self._registry.messages[type_name]:
            self._write_field(field, message[field.name])

    def _write_field(self, field: Field, value: Any) -> None:
        if field.length is None:
            self._write(field.type, value)
            return
        if field.length == 0:
            self._number("I", len(value))
        if field.octets:
            self.out += value
        elif field.type in _CODES:
            self._numbers(_CODES[field.type], value)
        else:
            for item in value:
                self._write(field.type, item)

    def _write(self, type_name: str, value: Any) -> None:
        if type_name == "byte":
            self._number("B", value & 0xFF)
        elif type_name in _CODES:
            self._number(_CODES[type_name], value)
        elif type_name == "string":
            self._text(value.encode("utf-8"))
        elif type_name in ("time", "duration"):
            self._instant(type_name, *value.values())
        else:
            self.write_message(type_name, value)

    def _number(self, code: str, value: float) -> None:
        self.out += struct.pack("<" + code, value)

    def _numbers(self, code: str, values: list[Any]) -> None:
        if code == "B":
            values = [value & 0xFF for value in values]
        self.out += struct.pack(f"<{len(values)}{code}", *values)

    def _text(self, text: bytes) -> None:
        self._number("I", len(text))
        self.out += text

    def _instant(self, type_name: str, whole: int, nanos: int) -> None:
        signs = "Ii" if type_name == "time" else "ii"
        self.out += struct.pack("<" + signs, whole, nanos)


class _Cdr(_Ros1):
    def write_message(self, type_name: str, message: Message) -> None:
        if not self._registry.messages[type_name]:
            self.out += b"\x00"  # no message of ROS 2 is without any field
        super().write_message(type_name, message)

    def _align(self, code: str) -> None:
        size = struct.calcsize("<" + code)
        self.out += bytes(-len(self.out) % size)

    def _number(self, code: str, value: float) -> None:
        self._align(code)
        super()._number(code, value)

    def _numbers(self, code: str, values: list[Any]) -> None:
        if values:
            self._align(code)
        super()._numbers(code, values)

    def _text(self, text: bytes) -> None:
        super()._text(text + b"\x00")

    def _instant(self, type_name: str, whole: int, nanos: int) -> None:
        self._number("i", whole)
        self._number("I", nanos)
