"""What ``mpms work`` does, and the worker of the demo: a worker and its loops."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from mpms import bootstrap
from mpms.adapters.webhook_post import HttpPoster
from mpms.assets import product_version
from mpms.background import BackgroundLoop
from mpms.bootstrap.alerts import alert_sender, notice_sender, site_url
from mpms.cli.database import database
from mpms.demo.known_secrets import require_plant
from mpms.factory.ports.scales import Scale
from mpms.factory.settings import NAME, FactorySettings, records_key
from mpms.factory.work import FactoryOptions, tell
from mpms.plugins import BackgroundTask, WorkContext, loading
from mpms.services.history.retention import run_deletion
from mpms.services.webhooks.tell import TellWebhooks
from mpms.settings import Settings
from mpms.worker import Worker

if TYPE_CHECKING:
    from mpms.bootstrap.mail import MailDesk

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
            url,
            application="mpms worker",
            limits=settings.limits,
            execution=settings.execution,
        )
        desk = _mail_desk(settings)
        with running_worker(settings, services, desk):
            stop.wait()
        services.close()
    return 0


def _mail_desk(settings: Settings) -> MailDesk | None:
    if FactorySettings.of(settings).imap_url is None:
        return None
    from mpms.bootstrap.mail import mail_desk  # only a plant that takes mail loads it

    return mail_desk(settings)


@contextmanager
def running_worker(
    settings: Settings,
    services: bootstrap.Services,
    desk: MailDesk | None,
    *,
    scale: Scale | None = None,
    on_told: Callable[[str, str], None] = tell,
) -> Iterator[None]:
    """A worker with what plug-ins do beside it, as long as the block runs."""
    # A pid alone is not unique: two containers are both host:1.
    name = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:6]}"
    stop = threading.Event()
    factory = FactoryOptions(
        scale=scale,
        mail=desk,
        records_key=records_key(settings),
        state_dir=settings.state_dir,
        site_url=site_url(settings),
        on_told=on_told,
    )
    with ExitStack() as stack:
        alarm = stack.enter_context(services.listen())
        handlers, working = loading.start_work(
            stack,
            WorkContext(
                services.uow,
                services.advance,
                name,
                alarm.wake,
                {},
                lease_s=settings.lease_s,
            ),
            settings.plugins,
            {NAME: factory},
        )
        worker = Worker(
            services.uow,
            services.advance,
            handlers,
            alarm,
            name=name,
            first=[phase for each in working for phase in each.first],
            then=[phase for each in working for phase in each.then],
            poll_s=settings.poll_s,
            lease_s=settings.lease_s,
            version=product_version(),
        )
        thread = threading.Thread(target=worker.run, args=(stop,), name="worker")
        beside = [
            BackgroundLoop(task.name, task.run, pause_s=task.pause_s)
            for task in (
                *(task for each in working for task in each.background),
                *_background(settings, services, desk, name, stop),
            )
        ]
        thread.start()
        for loop in beside:
            loop.start()
        try:
            yield
        finally:
            stop.set()
            alarm.wake()
            for loop in beside:
                loop.stop()
            if desk is not None:
                desk.close()
            thread.join()
            for loop in beside:
                loop.join()


def _background(
    settings: Settings,
    services: bootstrap.Services,
    desk: MailDesk | None,
    name: str,
    stop: threading.Event,
) -> list[BackgroundTask]:
    """What the core itself does beside a worker."""
    poster = HttpPoster(private_allowed=settings.webhooks_to_private)
    return [
        BackgroundTask("alerts", alert_sender(settings, services, desk)),
        BackgroundTask("notices", notice_sender(settings, services, desk)),
        BackgroundTask("webhooks", TellWebhooks(services.uow, services.clock, poster)),
        BackgroundTask(
            "old history",
            lambda: run_deletion(
                services.uow, services.clock, worker=name, stopping=stop.is_set
            ),
            pause_s=DELETIONS_EVERY_S,
        ),
    ]
