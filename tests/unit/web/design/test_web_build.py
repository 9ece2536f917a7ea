"""The build of the pages: the same twice, honest about failures and licences."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from mpms.web.site.assets import DIST


@pytest.fixture(scope="session")
def hatch_build(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "hatch_build", root / "hatch_build.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copied(tmp_path: Path, root: Path, frontend: Path, hatch_build: ModuleType) -> Path:
    """A tree with the sources of the pages and our packages, but without a build."""
    if not (frontend / "node_modules" / "esbuild").is_dir():
        hatch_build.fetch_packages(root, hatch_build.find_node(), all_of_them=False)
    target = tmp_path / "frontend"
    shutil.copytree(
        frontend, target, ignore=shutil.ignore_patterns("node_modules", "tests")
    )
    (target / "node_modules").symlink_to(frontend / "node_modules")
    return tmp_path


def build(
    hatch_build: ModuleType, tree: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*hatch_build.find_node().node, "build.mjs", *options],
        cwd=tree / "frontend",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def contents(dist: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(dist.iterdir())}


def test_two_builds_of_the_same_sources_are_the_same(
    hatch_build: ModuleType, copied: Path
) -> None:
    first = build(hatch_build, copied)
    assert first.returncode == 0, first.stderr
    dist = copied / hatch_build.DIST
    before = contents(dist)
    assert "up to date" in build(hatch_build, copied).stdout
    again = build(hatch_build, copied, "--force", "--out", str(copied / "elsewhere"))
    assert again.returncode == 0, again.stderr
    assert contents(copied / "elsewhere") == before


def test_the_stamp_that_the_build_writes_is_the_one_that_the_hook_expects(
    hatch_build: ModuleType, copied: Path
) -> None:
    assert not hatch_build.is_up_to_date(copied)
    assert build(hatch_build, copied).returncode == 0
    assert hatch_build.is_up_to_date(copied)
    with (copied / "frontend" / "src" / "theme.ts").open("a") as source:
        source.write("// changed\n")
    assert not hatch_build.is_up_to_date(copied)


def test_an_entry_that_fails_is_named_and_the_others_are_built(
    hatch_build: ModuleType, copied: Path
) -> None:
    (copied / "frontend" / "src" / "login.ts").write_text("const = 1;")
    failed = build(hatch_build, copied)
    assert failed.returncode == 1
    assert "src/login.ts" in failed.stderr
    dist = copied / hatch_build.DIST
    built = json.loads((dist / "manifest.json").read_bytes())
    assert "main.js" in built
    assert "login.js" not in built
    assert not (dist / "stamp").exists()


def test_some_entries_can_be_built_alone(hatch_build: ModuleType, copied: Path) -> None:
    done = build(hatch_build, copied, "--only", "theme,css")
    assert done.returncode == 0, done.stderr
    built = json.loads((copied / hatch_build.DIST / "manifest.json").read_bytes())
    assert {"theme.js", "main.css"} <= set(built)
    assert "main.js" not in built


def test_every_bundled_package_is_named_with_its_licence() -> None:
    notices = (DIST / "THIRD-PARTY-NOTICES.txt").read_text("utf-8")
    packages = json.loads((DIST / "packages.json").read_bytes())
    assert {"htmx.org", "bpmn-js", "zxing-wasm", "idb"} <= set(packages)
    headings = re.findall(r"^(\S+) [\d.]+ \([^)]+\)$", notices, re.MULTILINE)
    assert sorted(headings) == sorted(packages)
    for part in notices.split("-" * 72)[1:]:
        assert re.search(r"copyright|permission|license", part, re.IGNORECASE), part


def test_versions_are_exact_and_the_lock_names_no_host(frontend: Path) -> None:
    package = json.loads((frontend / "package.json").read_bytes())
    for wanted in (package["dependencies"], package["devDependencies"]):
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", v) for v in wanted.values())
    lock = json.loads((frontend / "package-lock.json").read_bytes())
    entries = {name: entry for name, entry in lock["packages"].items() if name}
    assert all("resolved" not in entry for entry in entries.values())
    assert all("integrity" in entry for entry in entries.values())


def test_the_service_worker_keeps_all_that_tasks_need() -> None:
    built = json.loads((DIST / "manifest.json").read_bytes())
    worker = (DIST / built["sw.js"]).read_text("utf-8")
    for name in ("main.js", "main.css", "tasks.js", "tasks.css", "forms.css"):
        assert f"/static/{built[name]}" in worker
    assert built["zxing_reader.wasm"] not in worker
