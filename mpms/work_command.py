"""What ``mpms work`` does, and the worker of the demo: one worker with its errands."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from mpms import bootstrap, plugins
from mpms.adapters.webhook_post import HttpPoster
from mpms.assets import product_version
from mpms.at_the_desk import database
from mpms.bootstrap_alerts import alert_sender
from mpms.demo.known_secrets import require_plant
from mpms.errands import Errand
from mpms.ports.plant import Scale
from mpms.services.keep_history import run_deletion
from mpms.services.tell_webhooks import TellWebhooks
from mpms.settings import Settings
from mpms.worker import Worker

if TYPE_CHECKING:
    from mpms.bootstrap_mail import MailDesk

log = logging.getLogger(__name__)

DELETIONS_EVERY_S = 5.0


def work(settings: Settings, *, keep_demo_data: bool = False) -> int:
    """Run a worker until SIGTERM or SIGINT. DemoData."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with database(settings) as url:
        bootstrap.migrate_database(url)
        require_plant(url, keep_demo_data=keep_demo_data)
        services = bootstrap.connect(
            url, application="mpms worker", limits=settings.limits
        )
        desk = _mail_desk(settings)
        with running_worker(settings, services, desk, settings.robots_url):
            stop.wait()
        services.close()
    return 0


def _mail_desk(settings: Settings) -> MailDesk | None:
    if settings.imap_url is None:
        return None
    from mpms.bootstrap_mail import mail_desk  # only a plant that takes mail loads it

    return mail_desk(settings)


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
            plugins.joined(
                bootstrap.factory_handlers(
                    services,
                    world,
                    scale=scale,
                    intake=intake,
                    materials=bootstrap.current_catalogue(
                        settings.catalogue, settings.world
                    ),
                )
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
