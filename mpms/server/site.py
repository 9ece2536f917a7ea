"""Puts the pages together, in the process that serves them."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mpms import assets, bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.adapters.authenticators import LibraryAuthenticators
from mpms.adapters.mail_account import AccountInvalid, Password, Security, SmtpAccount
from mpms.adapters.oauth import token_source
from mpms.adapters.oidc import OidcProvider, OidcSettings
from mpms.adapters.smtp import SmtpSender
from mpms.bootstrap.alerts import web_pusher
from mpms.bootstrap.mail import mail_accounts, mail_sender
from mpms.bootstrap.testdrive_child import ChildDrives
from mpms.bootstrap.trials import ChildTrials
from mpms.demo import visitor
from mpms.demo.buyer import BUYER, Buyer
from mpms.demo.faults import breakers
from mpms.demo.hands import LoadingHands, asked_by
from mpms.demo.people import PEOPLE
from mpms.domain.people.people import Role
from mpms.embedded import mail
from mpms.embedded.mail import MailHome
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.documents import TypstDocuments
from mpms.factory.adapters.floor import BridgeFloor, StillFloor
from mpms.factory.adapters.mail.sandbox import MailSandbox
from mpms.factory.adapters.mail.servers_check import ServersCheck
from mpms.factory.adapters.plant_key import verify as verify_seal
from mpms.factory.adapters.simulator import SimulatorProcess
from mpms.factory.adapters.trial_warehouse import SimulatedWarehouse
from mpms.factory.domain.order_mail import Catalogue, Senders
from mpms.factory.domain.worlds import World
from mpms.factory.ports.floor import Floor
from mpms.factory.ports.scales import Scale
from mpms.factory.services.floor.view import FloorViewer
from mpms.factory.services.tasks.live_weight import LiveWeights
from mpms.factory.settings import FactorySettings
from mpms.factory.web.desk import DemoFactory, FactoryDesk
from mpms.log_lines import log_files
from mpms.plugins import loading
from mpms.ports.admin.plant_desk import LogFile, PlantDesk
from mpms.ports.people.identity import IdentityProvider
from mpms.server.open_site import OpenSite
from mpms.settings import Settings
from mpms.settings.shown import settings_shown
from mpms.web import MAX_BODY_BYTES, create_app
from mpms.web.changes.live import Live
from mpms.web.desk import DemoDoor

log = logging.getLogger(__name__)


class WebSite:
    """The pages and what they stand on."""

    def __init__(self, plan: OpenSite) -> None:
        settings = plan.settings
        services = bootstrap.connect(
            plan.database_url,
            application="mpms web",
            limits=settings.limits,
            execution=settings.execution,
            most_connections=settings.web_connections,
            statement_s=settings.web_statement_s,
        )
        bootstrap.require_migrated(services)
        factory = FactorySettings.of(settings)
        in_use = factory_bootstrap.world_in_use(
            services.uow, factory.world, settings.state_dir
        )
        world = factory_bootstrap.world_named(in_use)
        self._floor = _floor(world, factory)
        kinds = loading.kinds()
        viewer = FloorViewer(services.uow, self._floor, world)
        self._live = Live(
            services.uow,
            services.listen(),
            frame=lambda: viewer.view().as_json(),
            kinds=kinds,
            most_each=settings.web_streams_each,
        )
        self._live.start()
        home = mail.read(settings.state_dir / "mail")
        hand_over, orders_address, order_sender = _mail(settings, home, demo=plan.demo)
        # It only shows messages: what may be ordered, and by whom, it need not know.
        self._sandbox = MailSandbox(Catalogue(()), Senders.nobody())
        fleet = factory_bootstrap.fleet_of(in_use)
        self._trial = SimulatedWarehouse()
        self._trials = ChildTrials(
            services.engine.promised_topics,
            settings.limits,
            settings.execution,
        )
        self.app: Callable[..., Any] = create_app(
            FactoryDesk(
                uow=services.uow,
                engine=services.engine,
                advance=services.advance,
                clock=services.clock,
                world=world,
                world_dir=factory_bootstrap.world_directory(factory.world),
                floor=self._floor,
                fleet=None if fleet is None else fleet.world,
                drafts=factory_bootstrap.drafts_of(factory.world),
                vehicles=factory_bootstrap.vehicles_of(world, factory.world),
                simulator=SimulatorProcess(),
                trial=self._trial,
                live=self._live,
                hasher=Argon2Hasher(leaked=settings.leaked_passwords),
                authenticators=LibraryAuthenticators(),
                leaders_need_two=settings.second_factor == "leaders",
                idle={
                    Role(role): timedelta(minutes=least)
                    for role, least in settings.idle_min
                },
                kinds=kinds,
                documents=TypstDocuments(),
                read_workbook=factory_bootstrap.read_workbook,
                verify_seal=verify_seal,
                materials=factory_bootstrap.current_catalogue(
                    factory.catalogue, factory.world
                ),
                ca_certificate=plan.ca_certificate,
                hand_to_mail_server=hand_over,
                orders_address=orders_address,
                order_sender=order_sender,
                pusher=web_pusher(settings),
                read_mail=self._sandbox.show,
                demo=_demo(settings, services, home) if plan.demo else None,
                metrics_token=settings.metrics_token,
                secure=plan.secure,
                hold_above_kg=factory.release_above_kg,
                shifts=factory.shifts,
                cost_per_hour=factory.waiting_cost_per_hour,
                currency=factory.currency,
                webhooks_to_private=settings.webhooks_to_private,
                trusted_proxies=settings.trusted_proxies,
                public_url=settings.site_url,
                sign_in_elsewhere=_elsewhere(settings),
                plant=plant_desk(settings, home),
                mail_check=_mail_check(settings, home),
                robot_check=factory_bootstrap.robot_check(
                    world, factory.robots_url, tls=factory.robots_tls
                ),
                weights=_weights(plan, services, world, in_use),
                drives=ChildDrives(settings, plan.database_url),
                trials=self._trials,
                requests_each=settings.web_requests_each,
                settings=settings.plugins,
            ),
        )

    @property
    def most_body_bytes(self) -> int:
        return MAX_BODY_BYTES

    def end_streams(self) -> None:
        self._live.close()
        self._floor.close()
        self._sandbox.close()
        self._trials.close()
        self._trial.stop()


def _elsewhere(settings: Settings) -> IdentityProvider | None:
    if settings.oidc_issuer is None:
        return None
    return OidcProvider(
        OidcSettings(
            settings.oidc_issuer,
            settings.oidc_client_id or "",
            settings.oidc_client_secret or "",
            name=settings.oidc_name,
            role_claim=settings.oidc_role_claim,
            roles={group: Role(role) for group, role in settings.oidc_roles},
            login_claim=settings.oidc_login_claim,
            domains=settings.oidc_domains,
            ca_file=settings.oidc_ca_file,
        )
    )


def plant_desk(settings: Settings, home: MailHome | None) -> PlantDesk:
    """What administrators may know of this process."""
    factory = FactorySettings.of(settings)
    embedded = [] if settings.database_url else ["MPMS_DATABASE_URL"]
    if home is not None and factory.imap_url is None:
        embedded += ["MPMS_IMAP_URL", "MPMS_SMTP_URL"]
    return PlantDesk(
        version=assets.product_version(),
        migration=max(p.stem for p in assets.directory("db").glob("migrations/*.sql")),
        settings=settings_shown(
            settings, os.environ, assets.settings_page(), embedded=embedded
        ),
        logs=lambda: _logs(settings.state_dir / "log"),
        disk=lambda: _disk(settings.state_dir),
    )


def _floor(world: World, factory: FactorySettings) -> Floor:
    url = factory.robots_url
    seen = None if url is None else factory_bootstrap.bridged(world, url)
    if url is None or seen is None:
        return StillFloor()
    return BridgeFloor(seen, url, tls=factory.robots_tls)


def _mail_check(settings: Settings, home: MailHome | None) -> ServersCheck | None:
    try:
        account, out = mail_accounts(settings, home)
    except AccountInvalid as invalid:  # the worker says so and does not start
        log.warning("the mail account cannot be tested: %s", invalid)
        return None
    if account is None and out is None:
        return None
    return ServersCheck(account, out, lambda a: token_source(a.login, a.user or ""))


def _logs(directory: Path) -> list[LogFile]:
    found = []
    for path in log_files(directory):
        facts = path.stat()
        changed_at = datetime.fromtimestamp(facts.st_mtime, UTC)
        found.append(LogFile(path.name, facts.st_size, changed_at, path))
    return found


def _disk(directory: Path) -> tuple[int, int]:
    """Of the nearest directory that is there."""
    while not directory.exists():
        directory = directory.parent
    usage = shutil.disk_usage(directory)
    return usage.free, usage.total


def _mail(
    settings: Settings, home: MailHome | None, *, demo: bool
) -> tuple[Callable[[bytes], None] | None, str | None, str | None]:
    """How the pages hand over a mail, where orders go to and who sends them."""
    if settings.smtp_url is not None:
        address = settings.mail_from or _user_of(settings)
        carrier = mail_sender(settings, address)
        sender, to = carrier.account.sender, address
    elif home is not None:
        sender = visitor.VISITOR if demo else BUYER
        login = Password(home.password(sender))
        embedded = SmtpAccount(
            home.host, home.smtp_port, Security.PLAIN, sender, sender, login
        )
        carrier, to = SmtpSender(embedded), home.orders
    else:
        return None, None, None
    return lambda raw: carrier.send_raw(sender, [to], raw), to, sender


def _user_of(settings: Settings) -> str:
    url = FactorySettings.of(settings).imap_url or settings.smtp_url or ""
    return unquote(urlsplit(url).username or "")


def _weights(
    plan: OpenSite, services: bootstrap.Services, world: World, in_use: str
) -> LiveWeights | None:
    factory = FactorySettings.of(plan.settings)
    url = factory.robots_url

    def loaded(scale: Scale) -> Scale:
        """In the demo nobody else can lift a sack."""
        hands = plan.demo and url is not None
        return (
            LoadingHands(scale, url or "", asked_by(services.uow)) if hands else scale
        )

    return factory_bootstrap.live_weights(
        world,
        url,
        factory.scale,
        tls=factory.robots_tls,
        instruments=factory_bootstrap.instruments_of(factory.instruments, in_use),
        demo=loaded,
    )


def _demo(
    settings: Settings, services: bootstrap.Services, home: MailHome | None
) -> DemoFactory | None:
    robots_url = FactorySettings.of(settings).robots_url
    if home is None or robots_url is None:
        return None
    passwords = {person.login: person.password for person in PEOPLE}
    return DemoFactory(
        doors={
            who: DemoDoor(login, passwords[login], page)
            for who, login, page in (
                ("leader", "sofia", "/"),
                ("worker", "ana", "/tasks"),
                ("engineer", "adam", "/models"),
                ("admin", "adam", "/admin"),
                ("viewer", "vera", "/orders"),
            )
        },
        send_order=Buyer(home, services.uow, visitor.VISITOR).send_order,
        break_something=breakers(services.uow, robots_url),
        own_orders=lambda: visitor.own_orders(services.uow),
        waiting=lambda: visitor.waiting(services.uow),
    )
