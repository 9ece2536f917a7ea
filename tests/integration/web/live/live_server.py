"""The pages of a test's site with real streams: a quick heartbeat, and ``/state``.

Run as a script with the address of a database; prints its address when it answers.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from mpms.plugins import loading
from mpms.server.serve import Address, run_web


class LiveSite:
    """As the real one, with a floor on which nothing moves; as there, only the process
    that serves loads the pages."""

    most_body_bytes = 1 << 20

    def __init__(self, database_url: str) -> None:
        from mpms.web.changes.live import Live
        from mpms.web.pages import events
        from mpms.web.rights import open_to_all
        from tests.support.site import Site

        events.BEAT_S = events.CHECK_S = 0.3
        site = Site(database_url)
        self.live = Live(
            site.uow,
            site.services.listen(),
            frame=lambda: {"robots": []},
            kinds=loading.kinds(),
        )
        self.live.start()
        self.app = site.app(live=self.live)
        self.app.add_url_rule("/state", "state", open_to_all(lambda: self._state()))

    def end_streams(self) -> None:
        self.live.close()

    def _state(self) -> dict[str, object]:
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
