"""Messages on their way out: JSON, CBOR, PNG and fragments.

A message goes to any number of clients in any of these forms; each form is made
once, when the first client wants it.
"""

import base64
import io
import json
import math
import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import cbor2
import orjson
from PIL import Image

from shopfloor.sim.message_types import Field, Message, TypeRegistry
from shopfloor.sim.serialisation import serialised

Frame = str | bytes

_TYPED_ARRAYS = {
    "int8": (72, "b"),
    "uint16": (69, "H"),
    "uint32": (70, "I"),
    "uint64": (71, "Q"),
    "int16": (77, "h"),
    "int32": (78, "i"),
    "int64": (79, "q"),
    "float32": (85, "f"),
    "float64": (86, "d"),
}


def _octets_as_base64(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def json_bytes(value: Any) -> bytes:
    """JSON in which NaN and infinities are null and octets are base64."""
    return orjson.dumps(value, default=_octets_as_base64)


def json_frame(value: Any) -> str:
    return json_bytes(value).decode("utf-8")


class Payload:
    """One message of a known type."""

    def __init__(self, registry: TypeRegistry, type_name: str, message: Message):
        self.registry = registry
        self.type = type_name
        self.message = message

    @cached_property
    def json(self) -> bytes:
        return json_bytes(self.message)

    @cached_property
    def cbor_value(self) -> Any:
        return _cbor_message(self.registry, self.type, self.message)

    @cached_property
    def serialised(self) -> bytes:
        return serialised(self.registry, self.type, self.message)

    def frame(self, topic: str, compression: str, now: float) -> Frame:
        """The publish operation for a client, in the form it asked for."""
        if compression == "cbor":
            return cbor2.dumps(
                {"op": "publish", "topic": topic, "msg": self.cbor_value}
            )
        if compression == "cbor-raw":
            secs, nsecs = self.registry.time(now).values()
            raw = {"secs": secs, "nsecs": nsecs, "bytes": self.serialised}
            return cbor2.dumps({"op": "publish", "topic": topic, "msg": raw})
        text = json_frame(
            {"op": "publish", "topic": topic, "msg": orjson.Fragment(self.json)}
        )
        return png_frame(text) if compression == "png" else text


def png_frame(text: str) -> str:
    """The text as the pixels of an RGB image, padded with line ends."""
    data = json.dumps(json.loads(text)).encode("ascii")
    pixels = math.ceil(len(data) / 3)
    width = max(1, math.isqrt(pixels))
    height = math.ceil(pixels / width)
    data = data.ljust(width * height * 3, b"\n")
    buffer = io.BytesIO()
    Image.frombytes("RGB", (width, height), data).save(buffer, "PNG")
    encoded = base64.b64encode(buffer.getvalue()).decode("ascii")
    return json_frame({"op": "png", "data": encoded})


def fragments(text: str, size: int, message_id: str) -> Iterator[str]:
    """``total`` is a fraction, not a count: that is what the real server sends."""
    for number, start in enumerate(range(0, len(text), size)):
        yield json_frame(
            {
                "op": "fragment",
                "id": message_id,
                "data": text[start : start + size],
                "num": number,
                "total": len(text) / size,
            }
        )


def _cbor_message(registry: TypeRegistry, name: str, message: Message) -> Message:
    return {
        field.name: _cbor_value(registry, field, message[field.name])
        for field in registry.messages[name]
    }


def _cbor_value(registry: TypeRegistry, field: Field, value: Any) -> Any:
    if field.length is not None and field.type in _TYPED_ARRAYS:
        tag, code = _TYPED_ARRAYS[field.type]
        return cbor2.CBORTag(tag, struct.pack(f"<{len(value)}{code}", *value))
    if field.type in registry.messages:
        if field.length is None:
            return _cbor_message(registry, field.type, value)
        return [_cbor_message(registry, field.type, item) for item in value]
    return value
