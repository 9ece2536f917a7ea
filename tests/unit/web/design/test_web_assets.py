"""Scripts and styles: named by content, kept for ever, and nothing beside them."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from mpms.web.site import assets
from mpms.web.site.assets import DIST, Assets, AssetUnknown


def manifest() -> dict[str, str]:
    loaded: dict[str, str] = json.loads((DIST / "manifest.json").read_bytes())
    return loaded


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("main.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("icon-192.png", "image/png"),
    ],
)
def test_an_asset_is_kept_for_ever_under_its_hashed_name(
    client: FlaskClient, name: str, kind: str
) -> None:
    hashed = manifest()[name]
    answer = client.get(f"/static/{hashed}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.data == (DIST / hashed).read_bytes()


def test_an_asset_travels_packed_to_who_can_unpack(client: FlaskClient) -> None:
    hashed = manifest()["main.js"]
    packed = client.get(f"/static/{hashed}", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == (DIST / hashed).read_bytes()
    refused = client.get(f"/static/{hashed}", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


@pytest.mark.parametrize(
    "path",
    [
        "../assets.py",
        "..%2f..%2fassets.py",
        "%2e%2e/%2e%2e/assets.py",
        "/etc/passwd",
        "..\\assets.py",
        "./manifest.json",
        "manifest.json",
        "stamp",
        "main.js",
        "main-0123456789.js",
        "",
        "chunk-%00.js",
    ],
)
def test_nothing_but_assets_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code in {404, 308}


def test_a_link_out_of_the_directory_needs_a_name_of_ours(tmp_path: Path) -> None:
    app = Flask(__name__, static_folder=None)
    assets.install(app, tmp_path)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "a-0123456789.exe").write_text("unknown type")
    for name in ("secret.txt", "a-0123456789.exe"):
        assert app.test_client().get(f"/static/{name}").status_code == 404


def test_without_a_build_pages_say_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = Flask(__name__, static_folder=None)
    assets.install(app, tmp_path)

    @app.get("/")
    def page() -> str:
        return assets.asset("main.js")

    answer = app.test_client().get("/")
    assert answer.status_code == 503
    assert "make web" in answer.text
    assert "make web" in caplog.text


def test_a_new_build_is_noticed_by_a_running_server(tmp_path: Path) -> None:
    (tmp_path / "browser.json").write_text("{}")
    (tmp_path / "manifest.json").write_text('{"main.js": "main-0000000000.js"}')
    known = Assets(tmp_path)
    assert known.url("main.js") == "/static/main-0000000000.js"
    fresh = tmp_path / "fresh"
    fresh.write_text('{"main.js": "main-1111111111.js"}')
    later_ns = (tmp_path / "manifest.json").stat().st_mtime_ns + 1_000_000_000
    fresh.rename(tmp_path / "manifest.json")
    os.utime(tmp_path / "manifest.json", ns=(later_ns, later_ns))
    assert known.url("main.js") == "/static/main-1111111111.js"
    with pytest.raises(AssetUnknown, match=r"tasks\.js"):
        known.url("tasks.js")


def test_every_asset_that_pages_ask_for_is_built(root: Path) -> None:
    wanted = set()
    for path in (root / "mpms" / "web").rglob("*"):
        if path.suffix in {".html", ".py"}:
            wanted |= set(
                re.findall(r"""\basset\(\s*["']([^"']+)["']""", path.read_text("utf-8"))
            )
    assert wanted
    assert wanted - {"name", "X.js"} <= set(manifest())


@pytest.mark.parametrize("role", ["worker", "viewer", "supervisor", "admin"])
def test_each_role_is_shown_its_pages(client: FlaskClient, role: str) -> None:
    page = client.get(f"/frame?role={role}").text
    navigation = re.search(r'<nav class="bar-nav".*?</nav>', page, re.DOTALL)
    assert navigation is not None
    assert re.findall(r'href="([^"]+)"', navigation[0]) == {
        "worker": ["/tasks", "/map", "/orders"],
        "viewer": ["/orders", "/map", "/cockpit"],
    }.get(role, ["/", "/incidents", "/tasks", "/orders", "/map", "/cockpit", "/admin"])


def test_a_stranger_is_shown_no_pages(client: FlaskClient) -> None:
    assert '<nav class="bar-nav"' not in client.get("/frame").text


def test_the_frame_holds_no_inline_code_and_names_no_other_host(
    client: FlaskClient,
) -> None:
    for address in ("/frame?role=worker", "/design?role=admin"):
        page = client.get(address).text
        assert not re.search(r"\sstyle=|\son\w+=|<style", page)
        assert not re.search(r'(src|href|action)="(https?:)?//', page)
        for attributes, body in re.findall(r"<script([^>]*)>(.*?)</script>", page):
            assert "application/json" in attributes or body == ""


def test_a_name_cannot_smuggle_markup_into_the_frame(client: FlaskClient) -> None:
    page = client.get("/frame?role=worker").text
    assert "Ana <b>" not in page
    assert "Ana &lt;b&gt;" in page


def test_a_long_page_travels_packed(client: FlaskClient) -> None:
    plain = client.get("/design?role=admin")
    packed = client.get("/design?role=admin", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.data) < len(plain.data) / 3
