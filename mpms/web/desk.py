"""What the pages are given: services and ports, nothing that opens a connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from mpms.domain.history.kinds import Kinds
from mpms.domain.people.people import Role
from mpms.ports.admin.plant_desk import PlantDesk
from mpms.ports.alerts import Pusher
from mpms.ports.clock import Clock
from mpms.ports.engine import Engine
from mpms.ports.people.hasher import Hasher
from mpms.ports.people.identity import IdentityProvider
from mpms.ports.people.second_factors import Authenticators
from mpms.ports.store import UnitOfWork
from mpms.ports.trials import Trials
from mpms.services.instances.advance import Advance
from mpms.services.people.recognise import IDLE
from mpms.services.testdrive.drives import Drives, NoneRun
from mpms.web.changes.live import Live


@dataclass(frozen=True)
class DemoDoor:
    """Somebody a visitor of the demo may be, and the page that this begins with."""

    login: str
    password: str
    page: str = "/"


@dataclass(frozen=True)
class DemoDoors:
    """Whom visitors of the demo may be."""

    doors: Mapping[str, DemoDoor] = field(default_factory=dict)
    """By who it is: leader, worker, engineer, admin, viewer."""


@dataclass(frozen=True)
class Desk:
    """One a process; safe to share between threads."""

    uow: UnitOfWork
    engine: Engine
    advance: Advance
    clock: Clock
    live: Live
    hasher: Hasher
    authenticators: Authenticators | None = None  # apps and devices: second factors
    leaders_need_two: bool = False  # factors, where they sign in with a password
    idle: Mapping[Role, timedelta] = field(default_factory=lambda: dict(IDLE))
    kinds: Kinds = field(default_factory=Kinds)  # of history lines
    ca_certificate: bytes | None = None
    drives: Drives = field(default_factory=NoneRun)  # of models, before they go live
    trials: Trials | None = None  # reads and tries what is not deployed, behind a wall
    requests_each: int = 24  # of one person or token at once
    pusher: Pusher | None = None  # to devices that ask for alerts
    demo: DemoDoors | None = None
    plant: PlantDesk = field(default_factory=PlantDesk)
    metrics_token: str | None = None  # without one only this machine may ask
    secure: bool = False  # served over TLS: cookies say so
    webhooks_to_private: bool = False  # also to addresses inside the plant
    trusted_proxies: Sequence[IPv4Network | IPv6Network] = ()  # that tell who asks
    public_url: str | None = None  # how browsers reach us, behind a proxy
    sign_in_elsewhere: IdentityProvider | None = None  # at the company's own door
    settings: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict
    )  # by plug-in

    @property
    def tries(self) -> Trials:
        return self.trials or self.engine
