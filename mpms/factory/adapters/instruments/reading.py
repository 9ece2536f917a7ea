"""Reads the plant's instruments: one YAML file, every error at once."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mpms.domain.errors import MpmsError
from mpms.factory.domain.weighing import KG_PER_UNIT

Kind = Literal["int16", "uint16", "int32", "uint32", "float32", "float64"]


class InstrumentsInvalid(MpmsError):
    """The file of instruments cannot be used."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Part):
    """A number in the registers of a Modbus device."""

    register_: Annotated[int, Field(ge=0, le=65535, alias="register")]
    kind: Kind = "float32"
    word_order: Literal["big", "little"] = "big"
    input: bool = False  # input registers instead of holding registers
    factor: Decimal = Decimal(1)


class Bit(_Part):
    """A yes or no in the registers of a Modbus device."""

    register_: Annotated[int, Field(ge=0, le=65535, alias="register")]
    bit: Annotated[int, Field(ge=0, le=15)] = 0
    input: bool = False


class _Scale(_Part):
    places: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    name: str = ""  # what the record calls it; its key in the file
    calibrated_on: date | None = None
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 10.0


class _Wired(_Scale):
    address: str


class MtSicsScale(_Wired):
    driver: Literal["mt-sics"]


class ModbusScale(_Wired):
    driver: Literal["modbus"]
    device: Annotated[int, Field(ge=0, le=255)] = 1
    unit: str = "kg"
    net: Value
    gross: Value | None = None
    tare: Value | None = None
    stable: Bit


class OpcUaScale(_Wired):
    driver: Literal["opc-ua"]
    unit: str = "kg"
    net: str
    gross: str | None = None
    tare: str | None = None
    stable: str


class ManualScale(_Scale):
    driver: Literal["manual"]


AnyScale = Annotated[
    MtSicsScale | ModbusScale | OpcUaScale | ManualScale, Field(discriminator="driver")
]


class _Tank(_Part):
    address: str
    programme: Annotated[int, Field(ge=0, le=65535)] = 1
    programmes: dict[str, Annotated[int, Field(ge=0, le=65535)]] = {}
    clean_between: bool = False
    timeout_s: Annotated[float, Field(gt=0, le=30)] = 5.0
    patience_s: Annotated[float, Field(gt=0)] = 60.0  # of silence
    poll_s: Annotated[float, Field(gt=0, le=60)] = 1.0


class ModbusTank(_Tank):
    driver: Literal["modbus"]
    device: Annotated[int, Field(ge=0, le=255)] = 1
    register_: Annotated[int, Field(ge=0, le=65500, alias="register")] = 0
    word_order: Literal["big", "little"] = "big"


class OpcUaTank(_Tank):
    driver: Literal["opc-ua"]
    node: str = "ns=2;s=Tank"


class ManualTank(_Part):
    """Somebody starts it by hand and confirms by a form."""

    driver: Literal["manual"]
    clean_between: bool = False


AnyTank = Annotated[ModbusTank | OpcUaTank | ManualTank, Field(discriminator="driver")]


class Instruments(_Part):
    """All that the plant weighs and mixes with."""

    scales: dict[str, AnyScale] = {}
    tanks: dict[str, AnyTank] = {}


def read_instruments(
    path: Path, *, places: Container[str], robots: Container[str]
) -> Instruments:
    """Those of this file. InstrumentsInvalid names all that is wrong in it."""
    try:
        data: Any = yaml.safe_load(path.read_bytes())
    except OSError as unreadable:
        raise InstrumentsInvalid(f"{path}: {unreadable.strerror}.") from unreadable
    except (yaml.YAMLError, UnicodeDecodeError) as broken:
        raise InstrumentsInvalid(f"{path} is not YAML: {broken}") from broken
    try:
        found = Instruments.model_validate(data or {})
    except ValidationError as invalid:
        faults = [_words(each) for each in invalid.errors()]
        raise InstrumentsInvalid(_all(path, faults)) from invalid
    faults = _faults(found, places, robots)
    if faults:
        raise InstrumentsInvalid(_all(path, faults))
    return found


def _all(path: Path, faults: list[str]) -> str:
    return f"{path}: {'; '.join(faults)}."


def _words(error: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _faults(
    found: Instruments, places: Container[str], robots: Container[str]
) -> list[str]:
    faults = []
    taken: dict[tuple[str, str], str] = {}
    for name, scale in found.scales.items():
        where = f"scales.{name}"
        if not scale.places and not scale.robots:
            faults.append(f"{where}: say at which places or on which robots it is")
        if isinstance(scale, MtSicsScale | ModbusScale | OpcUaScale):
            faults += _address(where, scale.driver, scale.address)
        unit = "kg" if isinstance(scale, MtSicsScale | ManualScale) else scale.unit
        if unit.strip().lower() not in KG_PER_UNIT:
            faults.append(f"{where}.unit: {unit!r} is none of {', '.join(KG_PER_UNIT)}")
        for kind, listed, known_ones in (
            ("place", scale.places, places),
            ("robot", scale.robots, robots),
        ):
            for each in listed:
                if each not in known_ones:
                    faults.append(f"{where}: the world has no {kind} {each!r}")
                other = taken.setdefault((kind, each), name)
                if other != name:
                    faults.append(f"{where}: scale {other} is at {each!r} already")
    for name, tank in found.tanks.items():
        if name not in places:
            faults.append(f"tanks.{name}: the world has no such place")
        if not isinstance(tank, ManualTank):
            faults += _address(f"tanks.{name}", tank.driver, tank.address)
    return faults


BEGINS = {"mt-sics": "tcp://", "modbus": "tcp://", "opc-ua": "opc.tcp://"}


def _address(where: str, driver: str, address: str) -> list[str]:
    begin = BEGINS[driver]
    host, _, port = address.removeprefix(begin).rpartition(":")
    port = port.partition("/")[0]
    if address.startswith(begin) and host and port.isdecimal() and int(port) < 65536:
        return []
    return [f"{where}.address: {address!r} is not {begin}host:port"]


def host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.partition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)
