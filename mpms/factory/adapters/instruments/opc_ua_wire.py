"""Values of nodes of an OPC UA server, read and written in one short session."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from mpms.factory.adapters.instruments.extra import library

Result = TypeVar("Result")
Talk = Callable[["Session"], Coroutine[Any, Any, Result]]


class Session:
    """One open connection. OSError with what the server said."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def values(self, *nodes: str) -> list[Any]:
        """All of them from one moment, and none that the server doubts."""
        ua = library("asyncua.ua")
        made = [self._client.get_node(node) for node in nodes]
        found = await self._client.uaclient.read_attributes(
            [node.nodeid for node in made], ua.AttributeIds.Value
        )
        for node, each in zip(nodes, found, strict=True):
            if each.StatusCode is None or not each.StatusCode.is_good():
                raise ConnectionError(f"{node} is {each.StatusCode.name}")
        return [each.Value.Value for each in found]

    async def write(self, node: str, value: Any) -> None:
        ua = library("asyncua.ua")
        made = self._client.get_node(node)
        kind = await made.read_data_type_as_variant_type()
        await made.write_value(ua.DataValue(ua.Variant(value, kind)))


def talk(address: str, timeout_s: float, what: Talk[Result]) -> Result:
    """OSError where nobody answers or the server refuses."""
    made = library("asyncua").Client(address, timeout=timeout_s)
    errors = library("asyncua.ua.uaerrors")
    for name in ("asyncua.client", "asyncua.common", "asyncua.uaprotocol"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # we say what fails

    async def run() -> Result:
        async with made as client:
            return await what(Session(client))

    try:
        return asyncio.run(asyncio.wait_for(run(), timeout_s))
    except TimeoutError as late:
        raise ConnectionError(f"no answer within {timeout_s:g} s") from late
    except (errors.UaError, ValueError) as refused:
        raise ConnectionError(f"{type(refused).__name__}: {refused}") from refused
