"""Who answers: what clients ask for before they begin."""

from __future__ import annotations

from flask import Response, request

from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer, done
from mpms.web.camunda8.routes import offered

# The version whose API is meant; clients choose by it what they may ask for.
SPOKEN = "8.9.0"


@offered("GET", "/topology")
def topology(call: Call) -> Response:
    """One broker with one partition: this server, as many as there may be beside it."""
    host, _, port = request.host.rpartition(":")
    broker = {
        "nodeId": 0,
        "host": host or request.host,
        "port": int(port) if port.isdecimal() else 443,
        "version": SPOKEN,
        "partitions": [{"partitionId": 1, "role": "leader", "health": "healthy"}],
    }
    return answer(
        {
            "brokers": [broker],
            "clusterId": None,
            "clusterSize": 1,
            "partitionsCount": 1,
            "replicationFactor": 1,
            "gatewayVersion": SPOKEN,
            "lastCompletedChangeId": "0",
        }
    )


@offered("GET", "/status")
def status(call: Call) -> Response:
    return done()


@offered("GET", "/license")
def license(call: Call) -> Response:
    """Nothing of Camunda is run, so nothing of it is licensed."""
    return answer(
        {
            "validLicense": True,
            "licenseType": "unknown",
            "isCommercial": False,
            "expiresAt": None,
        }
    )
