"""The page that tells how a tablet learns to trust the server."""

from __future__ import annotations

import hashlib
import ssl
import xml.etree.ElementTree as ElementTree

from tests.support.web_login import Gate

CERTIFICATE = b"\x30\x82\x01\x00 not a real one"


def test_the_certificate_is_given_as_tablets_want_it(site: Gate) -> None:
    for kept in (CERTIFICATE, ssl.DER_cert_to_PEM_cert(CERTIFICATE).encode()):
        browser = site.visitor(ca_certificate=kept)
        answer = browser.get("/trust/ca.crt")
        assert answer.data == CERTIFICATE
        assert answer.content_type == "application/x-x509-ca-cert"
        assert "mpms-ca.crt" in answer.headers["Content-Disposition"]
    page = browser.get("/trust").text
    assert 'href="/trust/ca.crt"' in page
    assert hashlib.sha256(CERTIFICATE).digest().hex(":").upper() in page


def test_without_a_certificate_the_page_says_how_to_make_one(site: Gate) -> None:
    browser = site.visitor()
    assert browser.get("/trust/ca.crt").status_code == 404
    page = browser.get("/trust").text
    assert "mpms tls init" in page
    assert "/trust/ca.crt" not in page


def test_the_code_leads_to_the_address_under_which_the_page_was_opened(
    site: Gate,
) -> None:
    browser = site.visitor()
    page = browser.get("/trust", base_url="https://plant.local:8443").text
    assert "https://plant.local:8443/trust" in page
    assert "works on this machine only" not in page
    drawing = page[page.index("<svg viewBox", page.index("trust-code")) :]
    svg = ElementTree.fromstring(  # noqa: S314  our own page
        drawing[: drawing.index("</svg>") + len("</svg>")]
    )
    assert svg.tag == "svg"
    for loopback in ("http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]"):
        assert (
            "works on this machine only"
            in browser.get("/trust", base_url=loopback).text
        )


def test_the_steps_are_told_in_three_languages(site: Gate) -> None:
    browser = site.visitor()
    for language, word in (("en", "Install"), ("de", "wählen"), ("es", "Elegir")):
        browser.post("/language", data={"language": language, "next": "/trust"})
        page = browser.get("/trust").text
        assert word in page
        for system in ("Android", "iPad", "Windows"):
            assert system in page
