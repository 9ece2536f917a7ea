"""The wheel carries everything it needs, in its own place and nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"mpms", "robot_bridge", "fleet", "kernel_store", "shopfloor"}
ASSETS = ("db", "forms", "processes", "worlds")


def test_the_wheel_holds_our_packages_and_no_loose_directories(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {t for t in top if not t.endswith(".dist-info")} == PACKAGES
    assert not [n for n in names if n.endswith(".pyc") or "/tests/" in n]


@pytest.mark.parametrize("kind", ASSETS)
def test_every_shipped_file_is_in_the_wheel_as_it_is_here(
    wheel: Path, kind: str
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {
            name.removeprefix(f"mpms/_assets/{kind}/"): archive.read(name)
            for name in archive.namelist()
            if name.startswith(f"mpms/_assets/{kind}/")
        }
    here = {
        path.relative_to(ROOT / kind).as_posix(): path.read_bytes()
        for path in (ROOT / kind).rglob("*")
        if path.is_file()
    }
    assert inside == here
    assert here


def test_the_installed_wheel_finds_its_files_far_from_the_checkout(
    wheel: Path, pip: Callable[..., None], tmp_path: Path
) -> None:
    target = tmp_path / "installed"
    pip("install", "--quiet", "--no-deps", "--no-compile", "--target", target, wheel)
    model = tmp_path / "warehouse.bpmn"
    model.write_bytes((ROOT / "processes" / "warehouse.bpmn").read_bytes())
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}

    def installed(*arguments: object) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *map(str, arguments)],
            env=clean | {"PYTHONPATH": str(target)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=250,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    said = installed("-m", "mpms", "models", "lint", model)
    assert json.loads(said) == {
        "file": str(model),
        "deployable": True,
        "problems": [],
    }
    found = installed(
        "-c",
        "import mpms.assets as a, mpms.factory.bootstrap as b;"
        "print(a.directory('db'));"
        "print(len(a.shipped_models()), b.world_named('paint_factory').name)",
    )
    directory, models = found.splitlines()
    assert directory == str(target / "mpms" / "_assets" / "db")
    shipped = [p for kind in ("forms", "processes") for p in (ROOT / kind).iterdir()]
    assert models == f"{len(shipped)} Paint factory"
