"""Every pinned package has hashes, and the pins are those of constraints.txt."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>\S+)(?P<more>.*)$")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path: Path) -> dict[str, str]:
    """Name and version of each package; of one with several, the last."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [PIN.match(line) for line in lines if not line.startswith((" ", "#"))]
    return {plain(m["name"]): m["version"] for m in found if m}


def test_there_is_a_file_for_each_use() -> None:
    names = {path.stem for path in FILES}
    assert names == {"server", "demo", "development", "bench", "supply"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_package_has_hashes_and_no_host_is_named(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert len(blocks) > 20
    for block in blocks:
        assert PIN.match(block.splitlines()[0]), block
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block
    assert "://" not in text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_versions_are_those_of_the_constraints(path: Path) -> None:
    pinned = pins(ROOT / "constraints.txt")
    found = pins(path)
    other = {
        name: (version, pinned[name])
        for name, version in found.items()
        if name in pinned and pinned[name] != version
    }
    assert other == {}, "run: make requirements"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "audit", ROOT / "requirements/audit.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_audit_that_could_not_be_made_is_no_good_news(
    audit: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.told(1, "", "requests.exceptions.ConnectionError: no route") == 3
    assert "cannot be reached" in capsys.readouterr().err
    assert audit.told(0, "", "No known vulnerabilities found") == 0
    found = "flask 3.1.3 PYSEC-1 3.1.4\n"
    assert audit.told(1, found, "Found 1 known vulnerability") == 1
    assert found in capsys.readouterr().out
