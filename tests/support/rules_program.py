"""The tablet's rules of forms as a module that Node can run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parents[2] / "frontend"


def node() -> str:
    """The system's, or the one that comes with the test requirements."""
    beside = Path(sys.executable).parent / "node"
    found = shutil.which("node") or (str(beside) if beside.exists() else None)
    if found is None or not (FRONTEND / "node_modules" / "esbuild").exists():
        missing = "Node or frontend/node_modules is missing: run npm ci in frontend/"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


RULES = FRONTEND / "src" / "fields" / "rules.ts"


def built_rules(program: str, folder: Path, rules: Path = RULES) -> None:
    settings = {
        "entryPoints": [str(rules)],
        "bundle": True,
        "format": "esm",
        "outfile": str(folder / "rules.mjs"),
    }
    script = f'import("esbuild").then(({{ build }}) => build({json.dumps(settings)}))'
    subprocess.run(
        [program, "-e", script], cwd=FRONTEND, check=True, capture_output=True
    )
