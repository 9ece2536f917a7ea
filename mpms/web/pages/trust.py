"""How a tablet learns to trust this server: browsers give camera and offline work
to secure pages only, and a factory's server has no certificate of the Internet."""

from __future__ import annotations

import hashlib
import ipaddress
import ssl
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, render_template, request

from mpms.web.labels.qr_code import qr_code
from mpms.web.rights import open_to_all
from mpms.web.site.signed_in import current_desk

pages = Blueprint("trust", __name__)


@pages.get("/trust")
@open_to_all
def show() -> str:
    address = f"{request.scheme}://{request.host}/trust"
    certificate = _certificate()
    return render_template(
        "trust.html",
        address=address,
        picture=qr_code(address),
        fingerprint=None if certificate is None else fingerprint(certificate),
        only_here=_only_here(request.host),
    )


@pages.get("/trust/ca.crt")
@open_to_all
def download() -> Response:
    content = _certificate()
    if content is None:
        abort(404)
    answer = Response(content, content_type="application/x-x509-ca-cert")
    answer.headers["Content-Disposition"] = "attachment; filename=mpms-ca.crt"
    return answer


def _certificate() -> bytes | None:
    """As DER, which every tablet reads."""
    kept = current_desk().ca_certificate
    if kept is not None and kept.startswith(b"-----BEGIN"):
        return ssl.PEM_cert_to_DER_cert(kept.decode())
    return kept


def fingerprint(certificate: bytes) -> str:
    return hashlib.sha256(certificate).digest().hex(":").upper()


def _only_here(host: str) -> bool:
    """No tablet reaches us under this name."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
