"""Health check of the pages in a container: do they answer, with or without TLS?"""

from __future__ import annotations

import http.client
import os
import ssl
import sys


def answers(secure: bool, port: int) -> bool:
    here = ssl._create_unverified_context()  # noqa: S323  this machine asks itself
    link = (
        http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=here)
        if secure
        else http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    )
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        link.close()


if __name__ == "__main__":
    port = int(os.environ.get("MPMS_WEB_PORT") or 8080)
    sys.exit(0 if answers(True, port) or answers(False, port) else 1)
