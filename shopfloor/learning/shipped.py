"""Policies that come with the product: a small file each, beside the worlds."""

from __future__ import annotations

from pathlib import Path

from shopfloor.learning.errors import PolicyRefused

POLICY = "alley_pass"


def find_policy(name: str) -> Path:
    """A path if there is one, otherwise a policy that comes with the product."""
    given = Path(name)
    if given.is_file():
        return given
    here = Path(__file__).resolve().parents[2]
    for shelf in (here / "worlds", here / "mpms" / "_assets" / "worlds"):
        file = shelf / "policies" / f"{name}.npz"
        if file.is_file():
            return file
    raise PolicyRefused(f"there is no policy {name!r}; shopfloor learn makes one")
