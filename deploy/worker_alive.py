"""Health check of a worker in a container: has it written its heartbeat lately?

A worker whose loop hangs, or that cannot reach the database, is not healthy, although
its process runs. The name of a worker begins with the name of its machine.
"""

from __future__ import annotations

import socket
import sys
from contextlib import closing

import psycopg2

from mpms.settings import Settings

LATE_S = 60
BEATS = """
    SELECT count(*) FROM workers
    WHERE starts_with(name, %s) AND seen_at > now() - make_interval(secs => %s)
"""


def main() -> int:
    url = Settings.read().database_url
    if url is None:
        print("MPMS_DATABASE_URL is not set", file=sys.stderr)
        return 1
    with (
        closing(psycopg2.connect(url, connect_timeout=5)) as link,
        link.cursor() as cursor,
    ):
        cursor.execute(BEATS, (f"{socket.gethostname()}:", LATE_S))
        (beats,) = cursor.fetchone() or (0,)
    return 0 if beats else 1


if __name__ == "__main__":
    sys.exit(main())
