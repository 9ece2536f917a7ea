"""Which engine answers."""

from __future__ import annotations

from flask import Response

from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.routes import offered

# The last version whose API is meant; clients choose by it what they may ask for.
SPOKEN = "7.24.0"


@offered("GET", "/version")
def version(call: Call) -> Response:
    return answer({"version": SPOKEN})


@offered("GET", "/engine")
def engines(call: Call) -> Response:
    return answer([{"name": "default"}])
