"""What ``mpms serve`` does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mpms import bootstrap
from mpms.cli.database import database
from mpms.demo.known_secrets import require_plant
from mpms.domain.errors import DatabaseAway
from mpms.log_lines import start_log
from mpms.server import tls
from mpms.server.open_site import OpenSite
from mpms.server.serve import Address, run_web
from mpms.settings import Settings

AWAY_S = 2.0


def serve(
    settings: Settings,
    *,
    demo: bool = False,
    with_parent: bool = False,
    keep_demo_data: bool = False,
) -> int:
    """Serve the pages until SIGTERM or SIGINT. DemoData."""
    cert, key = _certificate(settings, demo=demo)
    with database(settings) as url:
        _wait_for(lambda: bootstrap.migrate_database(url))
        if not demo:
            require_plant(url, keep_demo_data=keep_demo_data)
        return run_web(
            OpenSite(
                settings,
                url,
                demo=demo,
                secure=cert is not None,
                ca_certificate=tls.ca_certificate_der(settings),
            ),
            Address(settings.web_host, settings.web_port, cert, key),
            on_ready=lambda address: print(f"MPMS is at {address}", flush=True),
            with_parent=with_parent,
            log_level=settings.log_level,
            start_log=partial(start_log, settings, "serve"),
        )


def _wait_for(attempt: Callable[[], object]) -> None:
    """A machine that starts need not start its database first. A database that can
    never be reached says so in each line."""
    told = ""
    while True:
        try:
            attempt()
        except DatabaseAway as away:
            if str(away) != told:
                told = str(away)
                print(f"waiting for the database: {told}", file=sys.stderr, flush=True)
            time.sleep(AWAY_S)
        else:
            return


def _certificate(settings: Settings, *, demo: bool) -> tuple[Path | None, Path | None]:
    """The one of the settings, else the one that ``mpms tls init`` made."""
    if settings.web_cert_file or settings.web_key_file:
        return settings.web_cert_file, settings.web_key_file
    made = None if demo else tls.ready(settings)
    return (None, None) if made is None else (made.certificate, made.key)
