"""The settings of the factory: one attribute a variable ``MPMS_<NAME>``.

They were there before plug-ins had settings, so their variables do not begin with the
plug-in's name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mpms.domain.settings import SettingInvalid, path, seconds, yes_or_no
from mpms.factory.domain.shifts import USUAL
from mpms.plugins import Setting
from robot_bridge.tls import TlsFiles

if TYPE_CHECKING:
    from mpms.settings import Settings

NAME = "factory"
SCALES = ("memory", "bridge")


def _shifts(text: str) -> tuple[time, ...]:
    try:
        found = tuple(sorted({time.fromisoformat(t.strip()) for t in text.split(",")}))
    except ValueError:
        raise ValueError("is the times at which shifts begin, as 06:00,14:00") from None
    if any(at.tzinfo is not None for at in found):
        raise ValueError("is times without a zone")
    return found


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError("is an amount of money, such as 45.50") from None
    if not amount.is_finite() or amount < 0:
        raise ValueError("is an amount of money, zero or more")
    return amount


def _scale(text: str) -> str:
    if text not in SCALES:
        raise ValueError(f"is one of {', '.join(SCALES)}")
    return text


def _kilograms(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0:
        raise ValueError("is a number of kilograms, zero or more")
    return value


@dataclass(frozen=True)
class FactorySettings:
    """What a plant says of its world, its robots and its orders."""

    world: str = "paint_factory"
    robots_url: str | None = field(default=None, repr=False)  # may hold a password
    robots_ca_file: Path | None = None
    robots_cert_file: Path | None = None
    robots_key_file: Path | None = None
    robot_patience_s: float = 60.0
    worker_patience_s: float = 900.0
    scale: str | None = None
    instruments: Path | None = None
    imap_url: str | None = field(default=None, repr=False)
    catalogue: Path | None = None
    senders: Path | None = None
    check_dkim: bool = False
    release_first_order: bool = False
    release_above_kg: Decimal | None = None
    records_key_file: Path | None = None
    shifts: tuple[time, ...] = USUAL
    waiting_cost_per_hour: Decimal | None = None
    currency: str = "EUR"

    def __post_init__(self) -> None:
        if self.scale == "bridge" and not self.robots_url:
            raise SettingInvalid("MPMS_SCALE bridge needs MPMS_ROBOTS_URL.")

    @property
    def robots_tls(self) -> TlsFiles:
        """With which certificates robots and brokers are spoken to."""
        files = self.robots_ca_file, self.robots_cert_file, self.robots_key_file
        return TlsFiles(*files)

    @classmethod
    def of(cls, settings: Settings) -> FactorySettings:
        """Those of this process."""
        return cls(**settings.plugins.get(NAME, {}))


def with_factory(settings: Settings, **changed: Any) -> Settings:
    """The same with other settings of the factory."""
    mine = dict(settings.plugins.get(NAME, {})) | changed
    return replace(settings, plugins=dict(settings.plugins) | {NAME: mine})


def records_key(settings: Settings) -> Path:
    """What seals batch records; made where it is missing."""
    given = FactorySettings.of(settings).records_key_file
    return given or settings.state_dir / "records.key"


def _setting(about: str, without: str, **more: Any) -> Setting:
    return Setting(about, without=without, **more)


_SAID = {
    "world": _setting(
        "name of a shipped world, or the directory of your own", "paint_factory"
    ),
    "robots_url": _setting(
        "rosbridge server of the robots, such as ws://127.0.0.1:9090; {robot} stands"
        " for a robot's name where each has a server of its own; other beginnings are"
        " those of drivers in plug-ins",
        "robots in memory that arrive at once",
        address=True,
    ),
    "robots_ca_file": _setting(
        "certificates to check a wss:// server or an mqtts:// broker with",
        "those of the system",
        read=path,
    ),
    "robots_cert_file": _setting(
        "our certificate, for a server or a broker of robots that asks for one",
        "none is shown",
        read=path,
    ),
    "robots_key_file": _setting(
        "its key", "the key is in MPMS_ROBOTS_CERT_FILE", read=path
    ),
    "robot_patience_s": _setting(
        "a robot with a goal that is silent, stopped or blocked for so many seconds is"
        " an incident",
        "60.0",
        read=seconds,
    ),
    "worker_patience_s": _setting(
        "a step of an order that nobody has done for so many seconds is reminded of;"
        " after twice that it is an incident, and whoever took it loses it",
        "900.0",
        read=seconds,
    ),
    "scale": _setting(
        "where a load is weighed: bridge, on the scale of the robot over rosbridge;"
        " memory, on a scale that shows nothing, so that every load is a case for the"
        " worker",
        "bridge if MPMS_ROBOTS_URL is set",
        read=_scale,
    ),
    "instruments": _setting(
        "scales and tanks of the plant, as YAML",
        "instruments.yaml in the world's directory, if there is one",
        read=path,
    ),
    "imap_url": _setting(
        "the mailbox that orders arrive in: imaps://user:password@host:993/INBOX, also"
        " imap+starttls://, and imap:// on this machine",
        "no mail is read",
        address=True,
    ),
    "catalogue": _setting(
        "the materials, as JSON, until somebody changes them on the pages",
        "those of the world",
        read=path,
    ),
    "senders": _setting(
        "the people who may order, as JSON", "those of the world", read=path
    ),
    "check_dkim": _setting(
        "yes: check DKIM signatures ourselves, where the mail host writes no result;"
        " needs a name service",
        "no",
        read=yes_or_no,
    ),
    "release_first_order": _setting(
        "yes: the first order of a sender waits for a supervisor", "no", read=yes_or_no
    ),
    "release_above_kg": _setting(
        "orders above this weight wait for a supervisor", "none waits", read=_kilograms
    ),
    "records_key_file": _setting(
        "the Ed25519 key (PEM) that seals batch records, the same for all workers of a"
        " plant; keep a copy",
        "records.key in the state directory, made when it is missing",
        read=path,
    ),
    "shifts": _setting(
        "when shifts begin, on the clock of the machine",
        "06:00,14:00,22:00",
        read=_shifts,
    ),
    "waiting_cost_per_hour": _setting(
        "what an hour costs in which an order waits; the dashboard tells waiting in"
        " money then",
        "waiting is told in hours",
        read=_money,
    ),
    "currency": _setting("the money of the dashboard", "EUR"),
}
SETTINGS = {
    each.name: replace(
        _SAID[each.name], default=each.default, variable=f"MPMS_{each.name.upper()}"
    )
    for each in fields(FactorySettings)
}
