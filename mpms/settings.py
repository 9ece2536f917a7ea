"""Settings, read once from the environment. docs/settings.md lists every one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from mpms.domain.errors import MpmsError


class SettingInvalid(MpmsError):
    """A setting cannot be used."""


@dataclass(frozen=True)
class Settings:
    """One attribute a variable ``MPMS_<NAME>``."""

    database_url: str | None = None
    pg_bindir: Path | None = None
    state_dir: Path = Path()
    world: str = "paint_factory"
    robots_url: str | None = None
    robots_ca_file: Path | None = None
    log_level: str = "WARNING"
    poll_s: float = 1.0
    lease_s: float = 30.0

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the environment. SettingInvalid names the variable and the reason."""
        env = os.environ if environment is None else environment
        known = {f"MPMS_{f.name.upper()}" for f in fields(cls)}
        for name in env:
            if name.startswith("MPMS_") and name not in known | ALLOWED:
                raise SettingInvalid(f"{name} is not a setting. See docs/settings.md.")
        return cls(
            database_url=env.get("MPMS_DATABASE_URL") or None,
            pg_bindir=_path(env.get("MPMS_PG_BINDIR")),
            state_dir=_path(env.get("MPMS_STATE_DIR")) or default_state_dir(env),
            world=env.get("MPMS_WORLD") or "paint_factory",
            robots_url=env.get("MPMS_ROBOTS_URL") or None,
            robots_ca_file=_path(env.get("MPMS_ROBOTS_CA_FILE")),
            log_level=_level(env.get("MPMS_LOG_LEVEL")),
            poll_s=_seconds(env, "MPMS_POLL_S", 1.0),
            lease_s=_seconds(env, "MPMS_LEASE_S", 30.0),
        )


# Variables with our prefix that are not settings of the product.
ALLOWED = frozenset({"MPMS_TEST_PG_BINDIR"})
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def default_state_dir(env: Mapping[str, str]) -> Path:
    """Where embedded servers keep their data. Root's home is closed to them."""
    if os.geteuid() == 0:
        return Path("/var/lib/mpms")
    base = env.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "mpms"


def _path(text: str | None) -> Path | None:
    return Path(text).expanduser().absolute() if text else None


def _level(text: str | None) -> str:
    level = (text or "WARNING").upper()
    if level not in LEVELS:
        raise SettingInvalid(f"MPMS_LOG_LEVEL is one of {', '.join(LEVELS)}.")
    return level


def _seconds(env: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(env.get(name) or default)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise SettingInvalid(f"{name} is a number of seconds above zero.")
    return value
