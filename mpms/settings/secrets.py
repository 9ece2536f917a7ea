"""Secrets that do not stand in the environment, where every child process sees them.

``MPMS_DATABASE_URL_FILE`` names a file that holds what ``MPMS_DATABASE_URL`` would: the
way of containers. systemd hands a service its credentials as files in a directory,
``CREDENTIALS_DIRECTORY``; those that are called like a secret setting are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mpms.domain.settings import SettingInvalid

SUFFIX = "_FILE"
CREDENTIALS = "CREDENTIALS_DIRECTORY"
MOST_BYTES = 64 << 10


def with_secrets(
    environment: Mapping[str, str], variables: frozenset[str]
) -> Mapping[str, str]:
    """The environment with the secrets that stand in files. SettingInvalid."""
    found = dict(environment)
    for variable in sorted(variables):
        named = found.pop(variable + SUFFIX, None)
        handed = _credential(environment, variable)
        ways = [
            way
            for way, given in (
                (variable, environment.get(variable)),
                (variable + SUFFIX, named),
                (f"the systemd credential {variable}", handed),
            )
            if given
        ]
        if len(ways) > 1:
            raise SettingInvalid(f"{' and '.join(ways)} are both set; keep one.")
        if named:
            found[variable] = _read(variable + SUFFIX, Path(named))
        elif handed is not None:
            found[variable] = _read(f"the systemd credential {variable}", handed)
    return found


def secret_in_file(environment: Mapping[str, str], variable: str) -> bool:
    """Tell whether a secret was read from a file."""
    named = environment.get(variable + SUFFIX)
    return bool(named) or _credential(environment, variable) is not None


def _credential(environment: Mapping[str, str], variable: str) -> Path | None:
    directory = environment.get(CREDENTIALS)
    file = Path(directory, variable) if directory else None
    return file if file is not None and file.is_file() else None


def _read(way: str, file: Path) -> str:
    """What the file holds, without the line end that editors add."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as failure:
        raise SettingInvalid(
            f"{way}: {file} cannot be read: {failure.strerror}."
        ) from None
    if len(content) > MOST_BYTES:
        raise SettingInvalid(f"{way}: {file} is larger than {MOST_BYTES >> 10} kB.")
    try:
        text = content.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise SettingInvalid(f"{way}: {file} is not text in UTF-8.") from None
    if not text or any(letter in text for letter in "\r\n\0"):
        raise SettingInvalid(f"{way}: {file} does not hold one line.")
    return text
