"""An OPC UA server whose values are asked for when somebody reads them."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from mpms.factory.adapters.instruments.extra import library
from mpms.factory.adapters.instruments.simulators.loop import Serving

Values = Callable[[], Mapping[str, Any]]
Written = Callable[[str, Any], None]


def nodes_served(
    values: Values, written: Written, writable: frozenset[str], port: int = 0
) -> Serving:
    """Nodes ``ns=2;s=<name>``; what clients write to the writable ones is handed on."""

    @asynccontextmanager
    async def serving() -> Any:
        asyncua = library("asyncua")
        ua = asyncua.ua
        logging.getLogger("asyncua").setLevel(logging.CRITICAL)
        server = asyncua.Server()
        await server.init()
        chosen = port or _free_port()
        server.set_endpoint(f"opc.tcp://127.0.0.1:{chosen}")
        server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        await server.register_namespace("urn:mpms:simulator")

        def read(name: str, _node: Any, _attribute: Any) -> Any:
            return ua.DataValue(kinds[name](values()[name]))

        def write(name: str, _node: Any, _attribute: Any, value: Any) -> None:
            written(name, value.Value.Value)

        kinds: dict[str, Callable[[Any], Any]] = {}
        for name, value in values().items():
            node = await server.nodes.objects.add_variable(
                ua.NodeId(name, 2), ua.QualifiedName(name, 2), value
            )
            kind = await node.read_data_type_as_variant_type()
            kinds[name] = partial(ua.Variant, VariantType=kind)
            if name in writable:
                await node.set_writable()
                server.set_attribute_value_setter(node.nodeid, partial(write, name))
            server.set_attribute_value_callback(node.nodeid, partial(read, name))
        async with server:
            yield chosen

    return serving


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
