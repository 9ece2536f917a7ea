"""A small mail program and a small workbook writer, for messages made to measure."""

import base64
import io
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from mpms.factory.adapters.mail.sandbox.workbook import read_workbook
from mpms.factory.domain.order_mail import Catalogue, Outcome, RememberedMail, Senders
from mpms.factory.domain.order_mail.reading import read_order_mail

DATA = Path(__file__).resolve().parents[2] / "data"
BRIGHTCOAT = "orders@brightcoat.example.com"

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
Workbook = Callable[..., bytes]


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue.from_json((DATA / "orders_more" / "catalogue.json").read_bytes())


@pytest.fixture(scope="session")
def senders() -> Senders:
    return Senders.from_json((DATA / "orders" / "senders.json").read_bytes())


@pytest.fixture(scope="session")
def build() -> Build:
    """Return a function that writes a message which the trusted host vouches for."""

    def write(
        body: str | bytes = "Materials:\nWater 5 kg\n",
        *,
        sender: str = BRIGHTCOAT,
        subject: str = "Order MO-2026-0901",
        content_type: str = "text/plain; charset=utf-8",
        from_field: str | None = None,
        auth_result: str | None = None,
        extra: str = "",
    ) -> bytes:
        domain = sender.rpartition("@")[2]
        if auth_result is None:
            auth_result = (
                "Authentication-Results: mx.plant.example.com;"
                f" dmarc=pass header.from={domain}\r\n"
            )
        head = (
            f"Return-Path: <{sender}>\r\n{auth_result}{extra}"
            f"{from_field if from_field is not None else f'From: {sender}'}\r\n"
            f"Subject: {subject}\r\nMessage-ID: <one@{domain}>\r\n"
            f"MIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\r\n"
        )
        if isinstance(body, str):
            body = body.replace("\n", "\r\n").encode()
        return head.encode() + body

    return write


@pytest.fixture(scope="session")
def with_file(build: Build) -> Build:
    """Return a function that writes a message with one attachment."""

    def write(content: bytes, name: str, *, text: str = "", **more: object) -> bytes:
        body = (
            b"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
            + text.replace("\n", "\r\n").encode()
            + b"\r\n--b\r\nContent-Type: application/octet-stream\r\n"
            + b"Content-Transfer-Encoding: base64\r\n"
            + f'Content-Disposition: attachment; filename="{name}"\r\n\r\n'.encode()
            + _base64_lines(content)
            + b"\r\n--b--\r\n"
        )
        return build(body, content_type="multipart/mixed; boundary=b", **more)

    return write


@pytest.fixture(scope="session")
def workbook() -> Workbook:
    """Return a function that writes an XLSX file of texts and numbers."""

    def write(rows: list[list[object]], *, doctype: str = "", sheet: str = "") -> bytes:
        sheet += "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
        space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        packaged = "http://schemas.openxmlformats.org/package/2006/relationships"
        members = {
            "_rels/.rels": f'<Relationships xmlns="{packaged}">'
            f'<Relationship Id="rId1" Type="{related}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{related}">'
            '<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packaged}">'
            f'<Relationship Id="rId1" Type="{related}/worksheet"'
            ' Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'{doctype}<worksheet xmlns="{space}">'
            f"<sheetData>{sheet}</sheetData></worksheet>",
        }
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in members.items():
                archive.writestr(name, text)
        return packed.getvalue()

    return write


def _cell(value: object) -> str:
    if isinstance(value, int | Decimal):
        return f"<c><v>{value}</v></c>"
    text = escape(str(value))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _base64_lines(content: bytes) -> bytes:
    return base64.encodebytes(content).replace(b"\n", b"\r\n")


@pytest.fixture
def read(catalogue: Catalogue, senders: Senders) -> Read:
    """Return a function that reads a message as the first one ever."""
    return lambda raw: read_order_mail(
        raw, catalogue, senders, RememberedMail(), read_workbook=read_workbook
    )


@pytest.fixture(scope="session")
def data() -> Path:
    return DATA
