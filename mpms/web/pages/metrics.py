"""The plant for Prometheus.

Open to programs on this machine, or to whoever has the token if one is set. Behind a
proxy everybody seems to come from this machine, so a request that was passed on needs
the token.
"""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from werkzeug.exceptions import Forbidden

from mpms.web.rights import open_to_all
from mpms.web.site.metrics import current_registry
from mpms.web.site.signed_in import current_desk
from mpms.web.texts import t

pages = Blueprint("metrics", __name__)
PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via")


@pages.get("/metrics")
@open_to_all
def scrape() -> Response:
    token = current_desk().metrics_token
    if not (_has(token) if token else _from_this_machine()):
        raise Forbidden(
            t("Metrics need the token of MPMS_METRICS_TOKEN, or this very machine.")
        )
    return Response(
        generate_latest(current_registry()), content_type=CONTENT_TYPE_LATEST
    )


def _has(token: str) -> bool:
    sent = request.headers.get("Authorization", "")
    return hmac.compare_digest(sent.encode(), f"Bearer {token}".encode())


def _from_this_machine() -> bool:
    if any(name in request.headers for name in PASSED_ON):
        return False
    try:
        return ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False
