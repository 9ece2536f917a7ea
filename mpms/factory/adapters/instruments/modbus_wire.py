"""Numbers and bits in the registers of a Modbus device, over TCP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from mpms.factory.adapters.instruments.extra import library
from mpms.factory.adapters.instruments.reading import Bit, Value, host_and_port

WORDS = {"int16": 1, "uint16": 1, "int32": 2, "uint32": 2, "float32": 2, "float64": 4}


class Device:
    """One open connection. OSError with what the device said."""

    def __init__(self, client: Any, device: int) -> None:
        self._client, self._device = client, device

    def value(self, at: Value) -> Decimal:
        words = self.words(at.register_, WORDS[at.kind], input_=at.input)
        number = self._client.convert_from_registers(
            words,
            getattr(self._client.DATATYPE, at.kind.upper()),
            word_order=at.word_order,
        )
        return _decimal(number, at.kind) * at.factor

    def bit(self, at: Bit) -> bool:
        (word,) = self.words(at.register_, 1, input_=at.input)
        return bool(word >> at.bit & 1)

    def words(self, register: int, count: int, *, input_: bool = False) -> list[int]:
        ask = self._client.read_holding_registers
        if input_:
            ask = self._client.read_input_registers
        answer = self._said(ask, register, count=count)
        return list(answer.registers)

    def write(self, register: int, words: list[int]) -> None:
        self._said(self._client.write_registers, register, words)

    def _said(self, ask: Any, *given: Any, **named: Any) -> Any:
        exceptions = library("pymodbus.exceptions")
        try:
            answer = ask(*given, device_id=self._device, **named)
        except exceptions.ModbusException as failed:
            raise ConnectionError(str(failed)) from failed
        if answer.isError():
            raise ConnectionError(f"register {given[0]}: {answer}")
        return answer


def _decimal(number: float, kind: str) -> Decimal:
    """Of a float32 only the digits that it can tell apart."""
    return Decimal(f"{number:.7g}") if kind == "float32" else Decimal(str(number))


@contextmanager
def device_at(address: str, device: int, timeout_s: float) -> Iterator[Device]:
    """OSError where nobody answers."""
    host, port = host_and_port(address)
    made = library("pymodbus.client").ModbusTcpClient(
        host, port=port, timeout=timeout_s, retries=0, reconnect_delay=0
    )
    try:
        if not made.connect():
            raise ConnectionError(f"nobody answers at {host}:{port}")
        yield Device(made, device)
    finally:
        made.close()
