"""A server with the event stream alone: the address of a database, a quick heartbeat.

Run as a script; prints its address when it answers.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from types import SimpleNamespace

from flask import Flask

from mpms import bootstrap
from mpms.serve import Address, run_web
from mpms.web import signed_in
from mpms.web.live import Live
from mpms.web.pages import events
from mpms.web.rights import open_to_all


class LiveSite:
    """As the real one, without pages."""

    most_body_bytes = 1 << 20

    def __init__(self, database_url: str) -> None:
        events.BEAT_S = events.CHECK_S = 0.3
        services = bootstrap.connect(database_url)
        self.live = Live(services.uow, services.listen(), frame=lambda: {"robots": []})
        self.live.start()
        self.app = Flask("live")
        self.app.extensions["desk"] = SimpleNamespace(
            uow=services.uow, clock=services.clock, live=self.live
        )
        signed_in.install(self.app)
        self.app.register_blueprint(events.pages)
        self.app.add_url_rule(
            "/healthz", "healthz", open_to_all(lambda: self._health())
        )

    def end_streams(self) -> None:
        self.live.close()

    def _health(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "streams": self.live.open_streams,
            "threads": len(os.listdir("/proc/self/task")),
            "position": self.live.position(),
        }


if __name__ == "__main__":
    sys.exit(
        run_web(
            partial(LiveSite, sys.argv[1]),
            Address(port=0),
            on_ready=lambda url: print(url, flush=True),
            with_parent=True,
        )
    )
