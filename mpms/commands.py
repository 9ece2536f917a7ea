"""What the commands of ``mpms`` do, apart from the demo."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from mpms import assets, bootstrap
from mpms.adapters.robots import probe
from mpms.adapters.webhook_post import HttpPoster
from mpms.assets import product_version
from mpms.bootstrap_alerts import alert_sender
from mpms.bootstrap_mail import MailDesk, mail_desk
from mpms.domain.errors import MpmsError
from mpms.embedded import postgres
from mpms.errands import Errand
from mpms.model_commands import in_a_line
from mpms.ports.plant import Scale
from mpms.services.deploy_models import deploy_models
from mpms.services.keep_history import run_deletion
from mpms.services.tell_webhooks import TellWebhooks
from mpms.settings import Settings
from mpms.worker import Worker

log = logging.getLogger(__name__)

DELETIONS_EVERY_S = 5.0


class RobotNotProbed(MpmsError):
    """The robot cannot be probed."""


class FileUnreadable(MpmsError):
    """A file cannot be read."""


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """The configured database, or an embedded one for as long as it is needed."""
    if settings.database_url:
        yield settings.database_url
        return
    with postgres.start(
        settings.state_dir / "postgres", bindir=settings.pg_bindir
    ) as server:
        yield server.dsn


def deploy(settings: Settings, files: Sequence[Path]) -> int:
    """Deploy files, all or none, and say what came of it."""
    contents: dict[str, bytes] = {}
    for path in files:
        try:
            contents[path.name] = path.read_bytes()
        except OSError as failure:
            raise FileUnreadable(f"{path}: {failure.strerror}.") from failure
    with database(settings) as url:
        bootstrap.migrate_database(url)
        services = bootstrap.connect(url)
        try:
            done = deploy_models(
                services.uow,
                services.engine,
                contents,
                by=os.environ.get("USER", "cli"),
            )
        finally:
            services.close()
    for definition in done.definitions:
        print(f"{definition.key}: version {definition.version}")
    for key in done.decisions:
        print(f"{key}: decision")
    for form in done.forms:
        print(f"{form}: form")
    for file, found in done.warnings.items():
        for one in found:
            line = in_a_line(one.element, one.name, one.reason)
            print(f"warning: {file}: {line}")
    return 0


def migrate(settings: Settings) -> int:
    """Apply what is missing."""
    with database(settings) as url:
        applied = bootstrap.migrate_database(url)
    print("\n".join(applied) if applied else "The database is up to date.")
    return 0


def check(settings: Settings) -> int:
    """Say of every part whether it is there."""
    print(f"models     {len(assets.shipped_models())} files")
    world = bootstrap.world_named(settings.world)
    print(f"world      {world.name}: {len(world.places)} places,", end=" ")
    print(f"{len(world.robots)} robots")
    with database(settings) as url:
        services = bootstrap.connect(url)
        try:
            bootstrap.require_migrated(services)
            with services.uow() as tx:
                known = tx.definitions.listing()
        finally:
            services.close()
    print(f"database   reachable, {len(known)} processes deployed")
    return 0


def work(settings: Settings, require: Callable[[str], None]) -> int:
    """Run a worker until SIGTERM or SIGINT. ``require`` may refuse the database."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with database(settings) as url:
        bootstrap.migrate_database(url)
        require(url)
        services = bootstrap.connect(
            url, application="mpms worker", limits=settings.limits
        )
        desk = mail_desk(settings)
        with running_worker(settings, services, desk, settings.robots_url):
            stop.wait()
        services.close()
    return 0


@contextmanager
def running_worker(
    settings: Settings,
    services: bootstrap.Services,
    desk: MailDesk | None,
    robots_url: str | None,
    *,
    scale: Scale | None = None,
    on_told: Callable[[str, str], None] | None = None,
) -> Iterator[None]:
    """A worker with its errands in threads, as long as the block runs."""
    # A pid alone is not unique: two containers are both host:1.
    name = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:6]}"
    world = bootstrap.world_named(settings.world)
    stop = threading.Event()
    intake = None if desk is None else desk.intake(services.uow)
    errands = [
        Errand(what, run)
        for what, run in ([] if desk is None else desk.errands(services.uow, name))
    ]
    errands.append(Errand("alerts", alert_sender(settings, services, desk)))
    poster = HttpPoster(private_allowed=settings.webhooks_to_private)
    tell = TellWebhooks(services.uow, services.clock, poster)
    errands.append(Errand("webhooks", tell))
    errands.append(
        Errand(
            "old history",
            lambda: run_deletion(
                services.uow, services.clock, worker=name, stopping=stop.is_set
            ),
            pause_s=DELETIONS_EVERY_S,
        )
    )
    with services.listen() as alarm:
        scale = scale or bootstrap.connect_scale(
            world, robots_url, settings.scale, ca_file=settings.robots_ca_file
        )
        robots = bootstrap.connect_robots(
            world,
            robots_url,
            ca_file=settings.robots_ca_file,
            on_report=alarm.wake,
            on_told=on_told or (lambda robot, text: log.warning("%s: %s", robot, text)),
        )
        worker = Worker(
            services.uow,
            services.advance,
            bootstrap.factory_handlers(
                services,
                world,
                scale=scale,
                intake=intake,
                materials=bootstrap.current_catalogue(
                    settings.catalogue, settings.world
                ),
            ),
            robots,
            alarm,
            name=name,
            poll_s=settings.poll_s,
            lease_s=settings.lease_s,
            robot_patience_s=settings.robot_patience_s,
            version=product_version(),
        )
        thread = threading.Thread(target=worker.run, args=(stop,), name="worker")
        thread.start()
        for errand in errands:
            errand.start()
        try:
            yield
        finally:
            stop.set()
            alarm.wake()
            for errand in errands:
                errand.stop()
            if desk is not None:
                desk.close()
            thread.join()
            for errand in errands:
                errand.join()
            robots.close()


def probe_robot(settings: Settings, asked: argparse.Namespace) -> int:
    """Drive one goal; every state with its time, as JSON."""
    x_m, y_m = asked.goal
    try:
        story = probe(
            asked.url,
            asked.profile,
            x_m,
            y_m,
            asked.timeout,
            robot_id=asked.robot,
            namespace=asked.namespace,
            ca_file=settings.robots_ca_file,
        )
    except (ValueError, OSError) as failure:
        raise RobotNotProbed(str(failure)) from failure
    print(json.dumps(story, indent=2))
    return 0 if story["ok"] else 1
